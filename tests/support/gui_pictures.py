"""Take the pictures of XBoard for docs/install.md. Run this program in the checkout:

PYTHONPATH=tests .venv/bin/python -m support.gui_pictures docs

The program needs Debian's xboard, uci2wb, xvfb, xdotool and imagemagick.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from support.usi_client import ENGINE, ROOT

SCREEN = "1000x900x24"
MENU, SETTINGS = (270, 14), (300, 118)  # positions of the menu Engine and its item "Engine #1 Settings..."
HINT = (205, 205)  # position of XBoard's hint, which a click removes
SILVER, AHEAD = (205, 290), (205, 250)  # positions of the silver and of the square before it
LOADED, DRAWN, ANSWERED = 20.0, 3.0, 12.0  # seconds to wait after the start, a click and a move
ENGINE_VARIABLE = "KOGOMA_PICTURED_ENGINE"  # set when this program runs inside xvfb-run


def inside(folder: Path) -> None:
    """Take the pictures on the X server that the environment variable DISPLAY names."""
    engine = os.environ[ENGINE_VARIABLE]
    words = [
        "xboard",
        "@mini",
        "-fcp",
        f"uci2wb -var 5x5+5_shogi -s {engine}",
        "-firstOptions",
        "USI_Variant=minishogi",
    ]
    words += ["-pieceImageDirectory", "~~/themes/shogi", "-soundProgram", "true"]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL) as board:
        time.sleep(LOADED)
        click(HINT)
        picture("XBoard", folder / "install-xboard.png")
        click(MENU)
        click(SETTINGS)
        picture("Engine", folder / "install-xboard-options.png")
        subprocess.run(["xdotool", "key", "Escape"], check=True)
        time.sleep(DRAWN)
        click(SILVER)
        click(AHEAD)
        time.sleep(ANSWERED)
        picture("XBoard", folder / "install-xboard-game.png")
        board.kill()


def click(place: tuple[int, int]) -> None:
    """Click at a point of the screen, and wait until XBoard has reacted."""
    subprocess.run(["xdotool", "mousemove", *map(str, place), "click", "1"], check=True)
    time.sleep(DRAWN)


def picture(title: str, path: Path) -> None:
    """Write a picture of the screen without its empty margins."""
    subprocess.run(["import", "-window", "root", str(path)], check=True)
    trim = ["-trim", "+repage", "-strip", "-define", "png:exclude-chunks=date,time", "-colors", "128"]
    subprocess.run(["mogrify", *trim, str(path)], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.absolute()
    if ENGINE_VARIABLE in os.environ:
        return inside(folder)
    os.environ["PATH"] += ":/usr/games"  # Debian installs games there
    missing = [name for name in ("xboard", "xvfb-run", "xdotool", "import") if shutil.which(name) is None]
    if missing:
        parser.error(f"not installed: {' '.join(missing)}")
    with tempfile.TemporaryDirectory() as name:
        script = Path(name, "engine.sh")
        script.write_text(f"#!/bin/sh\ncd {shlex.quote(str(ROOT))}\nexec {shlex.join(ENGINE)}\n", encoding="utf-8")
        script.chmod(0o755)
        variables = {**os.environ, ENGINE_VARIABLE: str(script)}
        command = ["xvfb-run", "-a", "-s", f"-screen 0 {SCREEN}", sys.executable, "-m", "support.gui_pictures"]
        subprocess.run([*command, str(folder)], env=variables, check=True)


if __name__ == "__main__":
    main()
