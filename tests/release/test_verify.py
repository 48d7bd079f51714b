"""`release --verify` says which files, and which members of archives, differ between a release and a new build."""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kogoma.lab.release import command
from kogoma.lab.release.build_info import NAME, build_info, differences
from kogoma.lab.release.comparison import compare
from kogoma.lab.release.reproducible import zipped
from kogoma.lab.release.wheels import Sources
from kogoma.native.platforms import ALL, Platform

pytest.importorskip("setuptools", reason="setuptools is not installed: ./engine.sh test --all installs it")

WHEEL, ZIP, TAR = f"kogoma-1-py3-none-{ALL[0].tag}.whl", "kogoma-1-windows-x64.zip", "kogoma-1.tar.gz"
WITHIN = {"a.py": b"one\n" * 9, "b.py": b"two\n"}


def zip_file(files: dict[str, bytes]) -> bytes:
    return zipped(files, (2026, 1, 1, 0, 0, 0), zipfile.ZIP_STORED)


def tar_file(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), mtime=0)


def write(folder: Path, **changed: bytes | None) -> Path:
    """Write a release of three files into a folder, and return the folder. `changed` has other contents for some of
    them, or None for a file that is missing."""
    folder.mkdir()
    files = {"wheel": zip_file(WITHIN), "zip": zip_file({"c/inner.zip": zip_file(WITHIN)}), "tar": tar_file(WITHIN)}
    sums = ""
    for name, kind in {WHEEL: "wheel", ZIP: "zip", TAR: "tar"}.items():
        content = changed.get(kind, files[kind])
        sums += f"{hashlib.sha256(files[kind]).hexdigest()}  {name}\n"
        if content is not None:
            (folder / name).write_bytes(content)
    (folder / "SHA256SUMS").write_text(sums)
    (folder / NAME).write_bytes(build_info(Sources(b"", "1" * 40, 1), {}))
    return folder


def one_byte(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


OTHER = {**WITHIN, "a.py": b"One\n" * 9}
CHANGES: dict[str, tuple[dict[str, bytes | None], list[str]]] = {
    "nothing": ({}, []),
    "member": ({"wheel": zip_file(OTHER)}, [f"{WHEEL}: other bytes", f"  {WHEEL}/a.py: other bytes"]),
    "inner archive": (
        {"zip": zip_file({"c/inner.zip": zip_file(OTHER)})},
        [f"{ZIP}: other bytes", f"  {ZIP}/c/inner.zip: other bytes", f"  {ZIP}/c/inner.zip/a.py: other bytes"],
    ),
    "sources": ({"tar": tar_file(OTHER)}, [f"{TAR}: other bytes", f"  {TAR}/a.py: other bytes"]),
    "names": (
        {"wheel": zip_file({"a.py": WITHIN["a.py"], "c.py": b""})},
        [f"{WHEEL}: other bytes", f"  {WHEEL}/b.py: missing", f"  {WHEEL}/c.py: not in a new build"],
    ),
    "order": (
        {"wheel": zip_file(dict(reversed(WITHIN.items())))},
        [f"{WHEEL}: other bytes", f"  {WHEEL}: the members are in another order"],
    ),
    "byte of a member": (
        {"wheel": one_byte(zip_file(WITHIN), zip_file(WITHIN).index(b"one"))},
        [f"{WHEEL}: other bytes", f"  {WHEEL}/a.py: damaged"],
    ),
    "byte of a time": (
        {"wheel": one_byte(zip_file(WITHIN), 10)},
        [f"{WHEEL}: other bytes", f"  {WHEEL}: the members are the same, but not their headers, or their compression"],
    ),
    "no archive": (
        {"wheel": b"text", "tar": b"text"},
        [
            f"{WHEEL}: other bytes",
            f"  {WHEEL}: cannot be opened as an archive",
            f"{TAR}: other bytes",
            f"  {TAR}: cannot be opened as an archive",
        ],
    ),
    "no file": ({"tar": None}, [f"{TAR}: missing"]),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_is_named(kind: str, tmp_path: Path) -> None:
    changed, lines = CHANGES[kind]
    assert compare(write(tmp_path / "given", **changed), write(tmp_path / "built")) == lines


def test_every_byte_counts(tmp_path: Path) -> None:
    """Check that a release differs from a new build if any one byte of a wheel is changed."""
    content = zip_file(WITHIN)
    given, built = write(tmp_path / "given"), write(tmp_path / "built")
    for place in range(len(content)):
        (given / WHEEL).write_bytes(one_byte(content, place))
        first, *within = compare(given, built)
        assert first == f"{WHEEL}: other bytes" and within, place


def test_other_checksums_are_a_difference(tmp_path: Path) -> None:
    given = write(tmp_path / "given")
    (given / "SHA256SUMS").write_text((given / "SHA256SUMS").read_text().replace("0", "1"))
    assert compare(given, write(tmp_path / "built")) == ["SHA256SUMS: other bytes"]


def test_the_command_verifies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Check that `release --verify FOLDER` builds the platforms of the folder, and prints the differences and other
    tools. The build itself is replaced: tests/lab/test_release.py builds releases."""
    built = list[str]()

    def release(targets: list[Platform], output: Path, tell: Callable[[str], None]) -> None:
        built[:] = [target.name for target in targets]
        write(output / "made")
        for path in (output / "made").iterdir():
            path.rename(output / path.name)

    monkeypatch.setattr(command, "release", release)
    monkeypatch.setattr(command, "provide", lambda name: None)
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    same = write(tmp_path / "same")
    assert command.run(parser.parse_args(["--verify", str(same)])) == 0
    assert built == [ALL[0].name] and "the same bytes" in capsys.readouterr().out
    other = write(tmp_path / "other", wheel=zip_file(OTHER))
    information = json.loads((other / NAME).read_text())
    information["tools"]["numba"] = "0.1"
    (other / NAME).write_text(json.dumps(information))
    assert command.run(parser.parse_args(["--verify", str(other)])) == 1
    lines = capsys.readouterr().out.splitlines()
    assert f"  {WHEEL}/a.py: other bytes" in lines and lines[-1].endswith("not the same bytes as a new build")
    assert any(line.startswith(f"numba: 0.1 in {other}, ") for line in lines)
    assert differences(same, other) == [
        f"numba: {json.loads((same / NAME).read_text())['tools']['numba']} in {same}, 0.1 here"
    ]
