"""The single file for Linux is unpacked in safe folders only, and runs from there.

tests/lab/test_release.py tests how it plays.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from kogoma.lab.release.single_file import single_file
from kogoma.version import __version__
from support.permissions import ABOVE, NOBODY, SOMEBODY, as_account, below, public_folder
from support.usi_client import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="the single file is for Linux")]

VERSION = f"Kogoma {__version__}\n"


@pytest.fixture(scope="module")
def content() -> bytes:
    """Return the content of a single file that contains the package, but no prebuilt libraries."""
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted((ROOT / "kogoma").rglob("*")):
            if path.is_file() and not {"__pycache__", "prebuilt"} & set(path.parts):
                archive.write(path, path.relative_to(ROOT))
        archive.writestr("kogoma/version.txt", f"{__version__}\n")
    return single_file(wheel.getvalue(), 1_700_000_000)[1]


@pytest.fixture
def place(content: bytes) -> Iterator[Path]:
    """Yield a folder that contains the single file. All accounts can enter this folder."""
    with public_folder() as folder:
        (folder / "kogoma.pyz").write_bytes(content)
        (folder / "kogoma.pyz").chmod(0o644)
        yield folder


def run(place: Path, cache: Path, *prefix: str) -> subprocess.CompletedProcess[str]:
    """Run the single file with the folder `cache` as XDG_CACHE_HOME."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": ""}
    command = [*prefix, sys.executable, str(place / "kogoma.pyz"), "--version"]
    return subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("is_unpacked", [False, True], ids=["first start", "later start"])
@pytest.mark.parametrize("kind", ABOVE)
def test_it_runs_only_where_no_other_user_can_change_it(kind: str, is_unpacked: bool, place: Path) -> None:
    prefix, above = as_account(SOMEBODY), ABOVE[kind]
    other, cache = below(place, above)
    if is_unpacked:
        for folder in (other, cache):  # the first run uses safe folders
            os.chown(folder, SOMEBODY, SOMEBODY)
            folder.chmod(0o755)
        assert run(place, cache, *prefix).stdout == VERSION
        os.chown(other, above.owner, above.owner)
        other.chmod(above.mode)
    before = sorted(cache.rglob("*"))
    done = run(place, cache, *prefix)
    if above.why:
        why = re.escape(above.why.format(other))
        problem = rf"cannot unpack {place}/kogoma.pyz \(.*{why}: '{cache}/kogoma'\): set XDG_CACHE_HOME .*"
        assert done.returncode == 1 and re.fullmatch(f"kogoma: {problem}\n", done.stderr), done.stderr
        assert done.stdout == f"info string error: {done.stderr.removeprefix('kogoma: ')}"
        assert sorted(cache.rglob("*")) == before
    else:
        assert (done.returncode, done.stdout, done.stderr) == (0, VERSION, "")


def test_the_code_of_another_user_is_not_run(place: Path) -> None:
    """Check that the single file does not run from a folder that belongs to another user, even if a link leads to the
    folder."""
    cache = place / "cache"
    assert run(place, cache).stdout == VERSION
    [folder] = (cache / "kogoma").iterdir()
    as_account(NOBODY)
    evil = place / "evil"
    evil.mkdir()
    folder.rename(evil / folder.name)
    for path in (evil, *evil.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    (evil / folder.name / "kogoma" / "version.py").write_text("print('evil')\n__version__ = '0'\n")
    folder.symlink_to(evil / folder.name)
    done = run(place, cache)
    assert done.returncode == 1 and "belongs to another user" in done.stderr and "evil\n" not in done.stdout
    folder.unlink()
    (evil / folder.name).rename(folder)
    done = run(place, cache)
    assert done.returncode == 1 and "it belongs to another user" in done.stderr and "evil\n" not in done.stdout


def test_it_runs_from_the_folder_into_which_it_is_unpacked(place: Path) -> None:
    """Check that the single file imports its modules from the folder into which it is unpacked. Even with a umask of
    000, only the owner can enter this folder."""
    cache = place / "new" / "cache"
    for _ in range(2):
        assert run(place, cache, "sh", "-c", 'umask 000; exec "$@"', "sh").stdout == VERSION
    [folder] = (cache / "kogoma").iterdir()
    above = (folder, folder.parent, cache, cache.parent)
    assert [path.stat().st_mode & 0o777 for path in above] == [0o700] * 4
    (folder / "kogoma" / "version.py").write_text("__version__ = 'changed'\n")
    assert run(place, cache).stdout == "Kogoma changed\n"
