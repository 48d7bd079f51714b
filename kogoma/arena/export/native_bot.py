"""The frame of a bot in an exported file with native code: its options, and what happens if the code cannot run.

`native_codingame` and `native_codeabbey` are the main modules of exported files.
"""

from __future__ import annotations

import argparse
import lzma
import sys
from collections.abc import Callable, Mapping
from typing import Any

from kogoma.arena.export.native_code import NativeCode, NativeError
from kogoma.arena.export.native_engine import GameCode
from kogoma.arena.export.unpacking import unpack
from kogoma.console.streams import tell
from kogoma.rules.variants import find


def parser(file: Mapping[str, Any]) -> argparse.ArgumentParser:
    """Return a parser of the command line, without the options of an arena. `file` holds the data of the exported file,
    by the names that `native_flavor` gives them."""
    words = argparse.ArgumentParser(allow_abbrev=False, description=f"A bot for {file['GAME']['name']}.")
    words.add_argument("--source", action="store_true", help="print the Python source in this file")
    return words


def load(file: Mapping[str, Any]) -> GameCode:
    """Load the native code of an exported file. Raises NativeError if it cannot run here."""
    run = NativeCode(file["OBJECT"], file["GAME"]["cpu"], file["NETWORK"])
    return GameCode(find(file["GAME"]["variant"]), run, file["STRUCTS"])


def run(file: Mapping[str, Any], play: Callable[[GameCode], None]) -> None:
    """Call `play` with the native code. If this code cannot run here, execute the file's program in plain Python
    instead."""
    try:
        code = load(file)
    except NativeError as error:
        if not file["FALLBACK"]:
            sys.exit(f"kogoma: {error}")
        tell(f"kogoma: {error}: going on in plain Python")
        exec(lzma.decompress(unpack(file["FALLBACK"])).decode(), {"__name__": "__main__"})
        return
    try:
        play(code)
    except KeyboardInterrupt:
        sys.exit(130)
