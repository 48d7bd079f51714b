"""Helpers that run the Windows programs of a release under Wine."""

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
WINE = "/usr/lib/wine/wine64"  # Debian's wine64 is not in PATH
HOW = "./engine.sh release windows-x86_64"


def find_zip() -> Path:
    """Return the path of the Windows zip file that the command `release` has written into dist/. Skip the test if the
    file is missing, or was built from other sources."""
    path = ROOT / "dist" / NAME
    if not path.exists():
        absent(f"dist/{NAME}", HOW)
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            _, found, inside = name.partition("/packages/")
            if found and inside.startswith("kogoma/") and inside.endswith(".py"):
                source = ROOT / inside
                if not source.exists() or source.read_bytes() != archive.read(name):
                    absent(f"a zip file made from these sources ({inside} differs)", HOW)
    return path


class Wine:
    """A Wine installation, whose drive C: is the folder `drive`. All three standard streams of a program have to be
    pipes. Programs obey file permissions even if root runs the tests."""

    def __init__(self, folder: Path) -> None:
        program = find_program("wine64") or find_program(WINE)
        if program is None:
            absent("wine64")
        self.start, self.drive = [*bound_by_permissions(), program], folder / "drive_c"
        self.environment = {**os.environ, "WINEPREFIX": str(folder), "WINEDEBUG": "-all"}
        self.environment |= {"WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe=", IGNORE: ""}
        self.run("wineboot", "--init")
        # This shell keeps Wine running, because each start of Wine takes seconds and prints errors.
        pipe = subprocess.PIPE
        self._shell = subprocess.Popen(self.command("cmd"), env=self.environment, stdin=pipe, stdout=pipe, stderr=pipe)
        assert self._shell.stdout is not None and self._shell.stdout.read(1)

    def run(self, *words: str | Path, text: str = "", timeout: float = 300) -> subprocess.CompletedProcess[str]:
        """Run a program under Wine with `text` as its input, and wait until the program ends."""
        command = self.command(*words)
        return subprocess.run(
            command, env=self.environment, input=text, capture_output=True, encoding="utf-8", timeout=timeout
        )

    def command(self, *words: str | Path) -> list[str]:
        """Return the command that starts a program under Wine."""
        return [*self.start, *map(str, words)]

    def usi(self, program: Path, *words: str, variant: str | None = "minishogi") -> UsiClient:
        """Start a USI engine under Wine, and return a client for it."""
        return UsiClient(self.command(program, *words), self.environment, variant)

    def script(self, path: Path, *words: str | Path) -> Path:
        """Write a Linux script that starts a Windows program, and return the path of the script. Clients that accept
        only a file name can then start the program."""
        kept = {name: value for name, value in self.environment.items() if name.startswith("WINE") or name == IGNORE}
        variables = shlex.join(f"{name}={value}" for name, value in kept.items())
        path.write_text(f'#!/bin/sh\nexec env {variables} {shlex.join(self.command(*words))} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
        return path

    def close(self) -> None:
        """End Wine and all programs that run under it."""
        self.run("wineboot", "--kill")
        self._shell.communicate()


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack the zip file, and return the folder of the programs."""
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(folder)
    return folder / "Kogoma"


def copy(installed: Path, folder: Path) -> Path:
    """Make a folder with hard links to the unpacked files, and return the folder. Hard links share the contents of a
    file, so a test must not write to a file. Instead, it must replace the file by a new one."""
    shutil.copytree(installed, folder, copy_function=os.link)
    return folder


def contents(folder: Path) -> Mapping[str, tuple[int, int]]:
    """Return a dictionary from the path of each file in a folder to the file's size and modification time."""
    found = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns) for path in found}


def one_error(done: subprocess.CompletedProcess[str], words: Sequence[str], program: str = "kogoma") -> None:
    """Assert that a program failed with one error message that contains these words. The message must be on standard
    error, and also on standard output, where it reaches the GUI's log."""
    assert done.returncode == 1, done
    [logged] = filter(None, done.stdout.splitlines())  # an engine that loads for 5 s sends empty lines
    [told] = done.stderr.splitlines()
    assert logged.startswith("info string error: ") and told.startswith(f"{program}: "), done
    for word in words:
        assert word in logged and word in told, done
