"""Programs for Windows under Wine: a Windows of its own for the tests, with the unpacked zip file in it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from kogoma.native.prebuilt import IGNORE
from kogoma.version import __version__
from support.peers import absent, find_program
from support.permissions import bound_by_permissions
from support.usi_client import ROOT, UsiClient

NAME = f"kogoma-{__version__}-windows-x64.zip"
WINE = "/usr/lib/wine/wine64"  # Debian's wine64 has it in no PATH
HOW = "./engine.sh release windows-x86_64"


def find_zip() -> Path:
    """The zip file that a release has written into dist/. Skips the test if there is none, or one of other sources."""
    path = ROOT / "dist" / NAME
    if not path.exists():
        absent(f"dist/{NAME}", HOW)
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            _, found, inside = name.partition("/packages/")
            if found and inside.startswith("kogoma/") and inside.endswith(".py"):
                source = ROOT / inside
                if not source.exists() or source.read_bytes() != archive.read(name):
                    absent(f"a zip file of these sources (other: {inside})", HOW)
    return path


class Wine:
    """A Windows, with its drive C: in `drive`. All three standard streams of a program have to be pipes. Permissions of
    files bind its programs even if root runs the tests."""

    def __init__(self, folder: Path) -> None:
        program = find_program("wine64") or find_program(WINE)
        if program is None:
            absent("wine64")
        self.start, self.drive = [*bound_by_permissions(), program], folder / "drive_c"
        self.environment = {**os.environ, "WINEPREFIX": str(folder), "WINEDEBUG": "-all"}
        self.environment |= {"WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe=", IGNORE: ""}
        self.run("wineboot", "--init")
        # Windows runs as long as a program does. Its start takes seconds and prints errors of its own.
        pipe = subprocess.PIPE
        self._shell = subprocess.Popen(self.command("cmd"), env=self.environment, stdin=pipe, stdout=pipe, stderr=pipe)
        assert self._shell.stdout is not None and self._shell.stdout.read(1)

    def run(self, *words: str | Path, text: str = "", timeout: float = 300) -> subprocess.CompletedProcess[str]:
        """Run a program to its end, with this text as its input."""
        command = self.command(*words)
        return subprocess.run(
            command, env=self.environment, input=text, capture_output=True, encoding="utf-8", timeout=timeout
        )

    def command(self, *words: str | Path) -> list[str]:
        """The command that starts a program."""
        return [*self.start, *map(str, words)]

    def usi(self, program: Path, *words: str, variant: str | None = "minishogi") -> UsiClient:
        """A client of a USI engine."""
        return UsiClient(self.command(program, *words), self.environment, variant)

    def script(self, path: Path, *words: str | Path) -> Path:
        """Write a program for Linux that starts one for Windows; for clients that take a file name only."""
        kept = {name: value for name, value in self.environment.items() if name.startswith("WINE") or name == IGNORE}
        variables = shlex.join(f"{name}={value}" for name, value in kept.items())
        path.write_text(f'#!/bin/sh\nexec env {variables} {shlex.join(self.command(*words))} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
        return path

    def close(self) -> None:
        """End it with all programs."""
        self.run("wineboot", "--kill")
        self._shell.communicate()


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack the zip file, and return the folder with the programs."""
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(folder)
    return folder / "Kogoma"


def copy(installed: Path, folder: Path) -> Path:
    """A copy of the unpacked files as links; a test that changes a file has to replace it."""
    shutil.copytree(installed, folder, copy_function=os.link)
    return folder


def contents(folder: Path) -> Mapping[str, tuple[int, int]]:
    """Sizes and times of all files."""
    found = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns) for path in found}


def one_error(done: subprocess.CompletedProcess[str], words: Sequence[str], program: str = "kogoma") -> None:
    """Assert that a program has ended with one error, in the GUI's log and on standard error, with these words."""
    assert done.returncode == 1, done
    [logged] = filter(None, done.stdout.splitlines())  # empty lines come from an engine that loads for 5 s
    [told] = done.stderr.splitlines()
    assert logged.startswith("info string error: ") and told.startswith(f"{program}: "), done
    for word in words:
        assert word in logged and word in told, done
