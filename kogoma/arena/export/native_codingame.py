"""The main module of an exported file with native code for CodinGame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kogoma.arena.codingame.arenas import ARENAS
from kogoma.arena.codingame.bot import Bot
from kogoma.arena.codingame.settings import Settings, add_settings
from kogoma.arena.codingame.turn_loop import complain, play_turns
from kogoma.arena.export.native_bot import parser, run
from kogoma.arena.export.native_engine import Engine, GameCode
from kogoma.arena.export.unpacking import unpack

FIRST_TURN = 420  # ms: the first answer is due 500 ms after the process has started


def main(file: Mapping[str, Any]) -> None:
    """Play until the end of input. `file` holds the data of the exported file (`native_flavor`)."""
    game, words = file["GAME"], parser(file)
    add_settings(words, Settings(game["margin"], game["hash"], game["chat"]))
    given = words.parse_args()
    arena = replace(ARENAS[game["name"]], first=FIRST_TURN)
    settings = Settings(given.margin, given.hash, given.chat, unpack(file["BOOK"]) if file["BOOK"] else b"")

    def play(code: GameCode) -> None:
        play_turns(arena, lambda: Bot(arena, settings, Engine(code, settings.hash_mb), complain))

    run(file, play)
