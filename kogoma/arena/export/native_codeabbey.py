"""The main module of an exported file with native code for CodeAbbey."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any

from kogoma.arena.codeabbey.command import HASH_MB, PLAY_TIME
from kogoma.arena.codeabbey.notation import from_usi
from kogoma.arena.codeabbey.record import NO_MOVE, InputError, follow, input_lines
from kogoma.arena.export.native_bot import parser, run
from kogoma.arena.export.native_engine import Engine, GameCode
from kogoma.console.arguments import whole_number
from kogoma.console.streams import say, tell


def main(file: Mapping[str, Any]) -> None:
    """Read a game from standard input and print the best move after it. `file` holds the data of the exported file
    (`native_flavor`)."""
    words = parser(file)
    words.add_argument(
        "--movetime", type=whole_number(1, 3_600_000), default=PLAY_TIME, metavar="MS", help="time for the move"
    )
    given = words.parse_args()

    def play(code: GameCode) -> None:
        engine = Engine(code, HASH_MB)
        try:
            position = follow(input_lines(), engine.position, lambda position: None, closed=False)
            best = engine.find(position, movetime=given.movetime, started=time.perf_counter_ns()).best
            if best is None:
                raise InputError(NO_MOVE)
            say(from_usi(best))
        except InputError as error:
            tell(f"codeabbey: {error}")
            sys.exit(2)

    run(file, play)
