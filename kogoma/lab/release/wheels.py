"""Build the wheels and the archive of the sources from a commit. The same commit always gives the same bytes."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import shutil
import sys
import tarfile
import tempfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

from kogoma.lab.release.reproducible import run_program, zipped
from kogoma.lab.release.third_party import LISTING, SBOM, listing, sbom
from kogoma.native.object_file import KernelError
from kogoma.native.platforms import Platform
from kogoma.version import FILE, __version__
from kogoma.web.released_games import ARCHIVE

CHECKOUT = Path(__file__).resolve().parents[3]
NAME = f"kogoma-{__version__}"
PREBUILT = Path("kogoma", "native", "prebuilt")  # the folder for prebuilt libraries in a source tree
GAMES = Path("kogoma", "web", ARCHIVE.name)  # the file with the games of the board's page
# Python code that calls setuptools through the standard interface of build backends (PEP 517), in the source tree.
BUILD = "import sys; from setuptools import build_meta; {}"
METADATA = "build_meta.prepare_metadata_for_build_wheel(sys.argv[1])"
WHEEL = "build_meta.build_wheel(sys.argv[1], {'--build-option': ['--plat-name', sys.argv[2]]})"


@dataclass(frozen=True)
class Sources:
    """The files of a commit, as a tar archive in which they are in the folder `kogoma-VERSION`."""

    archive: bytes
    commit: str  # the hash of the commit
    time: int  # time of the commit, in seconds since 1970

    def unpack(self, folder: Path) -> Path:
        """Unpack the archive into a folder, and return the folder `kogoma-VERSION` in it."""
        with tarfile.open(fileobj=io.BytesIO(self.archive)) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.0 to 3.11.3 do not have it
            archive.extractall(folder)
        (folder / NAME / "kogoma" / FILE).write_text(f"{__version__}\n", encoding="ascii")
        for path in (folder / NAME).rglob("*"):
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        return folder / NAME


def committed_sources() -> Sources:
    """Return the files of the newest commit of the checkout. Raises KernelError if there is no commit, or if there are
    uncommitted changes."""
    if _git("status", "--porcelain", "--untracked-files=no"):
        raise KernelError("a release is built from a commit, but there are uncommitted changes: commit them first")
    commit, committed = _git("log", "-1", "--format=%H %ct").decode().split()
    return Sources(_git("archive", f"--prefix={NAME}/", commit), commit, int(committed))


def wheel(sources: Sources, target: Platform, libraries: Path, games: bytes) -> tuple[str, bytes]:
    """Return the name and the content of the wheel for the platform `target`. The wheel contains the prebuilt libraries
    that are in the folder `libraries`, and the file `games` (see `web.games_folder.packed_games`)."""
    with tempfile.TemporaryDirectory() as name:
        tree = sources.unpack(Path(name))
        shutil.copytree(libraries, tree / PREBUILT)
        (tree / GAMES).write_bytes(games)
        (tree / LISTING).write_text(listing(f"{NAME}-py3-none-{target.tag}.whl", []), encoding="utf-8")
        for path in (tree / GAMES, tree / LISTING, tree / PREBUILT, *(tree / PREBUILT).iterdir()):
            path.chmod(0o755 if path.is_dir() else 0o644)
        made = _build(WHEEL, "*.whl", tree, sources.time, target.tag)
        content = sbom(made.name, __version__, sources.time, [])
        return made.name, _with_metadata(made.read_bytes(), f"sboms/{SBOM}", content, sources.time)


def _with_metadata(wheel: bytes, name: str, content: bytes, committed: int) -> bytes:
    """Return the content of a wheel with one more file in its folder `.dist-info`, which the build backend cannot add.
    `committed` is the time of all entries, in seconds since 1970."""
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        files = {entry: archive.read(entry) for entry in archive.namelist()}
    [record] = [entry for entry in files if entry.endswith(".dist-info/RECORD")]
    path = record.replace("RECORD", name)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    lines = f"{path},sha256={digest},{len(content)}\n".encode() + files.pop(record)
    return zipped({**files, path: content, record: lines}, time.gmtime(committed)[:6])


def source_archive(sources: Sources) -> tuple[str, bytes]:
    """Return the name and the content of the archive of the sources (sdist): all files of the commit, their version as
    a file, and PKG-INFO."""
    with tempfile.TemporaryDirectory() as name:
        made = _build(METADATA, "*.dist-info", sources.unpack(Path(name)), sources.time)
        content = (made / "METADATA").read_bytes()
    packed = io.BytesIO(sources.archive)
    with tarfile.open(fileobj=packed, mode="a") as archive:
        for added, text in ((f"kogoma/{FILE}", f"{__version__}\n".encode()), ("PKG-INFO", content)):
            entry = tarfile.TarInfo(f"{NAME}/{added}")
            entry.size, entry.mtime, entry.mode = len(text), sources.time, 0o644
            entry.uname = entry.gname = "root"
            archive.addfile(entry, io.BytesIO(text))
    return f"{NAME}.tar.gz", gzip.compress(packed.getvalue(), 9, mtime=sources.time)


def _build(call: str, result: str, tree: Path, committed: int, *arguments: str) -> Path:
    """Run the Python code `call`, which calls the build backend, in a source tree. Return the file or folder that it
    writes into a new folder beside the tree; `result` is a pattern for its name. Raises KernelError if building
    fails."""
    folder = tree.with_name("made")
    folder.mkdir()
    command = [sys.executable, "-I", "-c", BUILD.format(call), str(folder), *arguments]
    run_program(command, tree, "building the package failed", SOURCE_DATE_EPOCH=str(committed))
    return next(folder.glob(result))


def _git(*words: str) -> bytes:
    """Run git in the checkout and return its output. Raises KernelError if git fails."""
    return run_program(["git", *words], CHECKOUT, f"a release is built from a git checkout, but git {words[0]} failed")
