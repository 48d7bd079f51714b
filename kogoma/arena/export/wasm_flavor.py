"""Export as one JavaScript file for Node that contains the search as WebAssembly, and its data, as compressed text."""

from __future__ import annotations

import json
import zlib
from functools import cache
from typing import Any

from kogoma.arena.codeabbey.command import PLAY_TIME
from kogoma.arena.codingame.arenas import ARENAS
from kogoma.arena.codingame.turn_reader import COUNT, Field
from kogoma.arena.export.packing import pack
from kogoma.arena.export.targets import Game
from kogoma.native.wasm import wasm_module
from kogoma.rules.variants import Variant
from kogoma.version import __version__
from kogoma.web.game_data import game_data, libraries_of
from kogoma.web.modules import join_modules, module_name

FOLDER = "arena/export/wasm"
# The entry points that JavaScript calls: those of the rules, and those that drive a search.
RULES_ENTRIES = ("init_position", "play", "may_play", "take_back", "declares", "legal_moves")
DRIVING_ENTRIES = ("begin", "prepare", "iterate")
FIRST_TURN = 440  # ms: the first answer is due 500 ms after the process has started


def write(game: Game, ascii_only: bool = False) -> str:
    """Return the text of the bot's file, which runs with Node 16.4 or newer. The same sources always give the same
    text."""
    packed = pack(zlib.compress(contents(game), 9), ascii_only)
    main = f"{FOLDER}/main.js"
    call = f"{module_name(main)}.start({json.dumps(packed, ensure_ascii=False)}, require);\n"
    return f"{head(game, ascii_only)}\n{join_modules(main)}\n{call}"


def head(game: Game, ascii_only: bool) -> str:
    """Return the comments at the head of an exported file: what the file is, and which command made it."""
    where = "CodinGame's arena" if game.arena else "CodeAbbey's sequel to problem 469"
    options = (" --ascii" if ascii_only else "") + ("" if game.with_network else " --no-network") + game.options
    return (
        f"// Kogoma {__version__}, a shogi engine, as a bot for {where}: {game.name}.\n"
        f"// Made by: ./engine.sh export {game.name} --flavor wasm{options}\n"
        "// It runs with Node 16.4 or newer: node FILE.js\n"
        "// The text at the end is compressed: the search as WebAssembly, its rules and weights, and the bot's\n"
        "// script.\n"
        '"use strict";\n'
    )


def contents(game: Game) -> bytes:
    """Return the data of the bot's file: six parts, each preceded by its length in 4 bytes (little endian). The parts
    are the bot's script, a JSON text (the game's description and the bot's options), the struct `game` of searches, the
    network, the WebAssembly module, and the opening book."""
    data = game_data(game.variant, game.with_network)
    text = {"description": data.description, "options": options(game)}
    module = search_module(game.variant)
    plain = json.dumps(text, separators=(",", ":")).encode()
    parts = (script(game).encode(), plain, data.struct, data.network, module, game.settings.book)
    return b"".join(len(part).to_bytes(4, "little") + part for part in parts)


@cache  # it takes some ten seconds, and does not depend on the network, the book or the encoding
def search_module(variant: Variant) -> bytes:
    """Return the WebAssembly module of a bot for a variant."""
    return wasm_module(libraries_of(variant), (*RULES_ENTRIES, *DRIVING_ENTRIES))


def script(game: Game) -> str:
    """Return the body of a JavaScript function that returns the exports of web/engine/game.js and, as `play`, the
    function that plays a game."""
    name, function = ("codingame.js", "playArena") if game.arena else ("codeabbey.js", "playAbbey")
    rules, main = "web/engine/game.js", f"{FOLDER}/{name}"
    result = f"return {{ ...{module_name(rules)}, play: {module_name(main)}.{function} }};\n"
    return '"use strict";\n' + join_modules(rules, main) + result


def options(game: Game) -> dict[str, Any]:
    """Return the bot's options: the format of the arena's turns, and pairs of times in ms (for later turns, for the
    first turn)."""
    if not game.arena:
        return {"hashMb": game.settings.hash_mb, "time": [PLAY_TIME]}
    arena = ARENAS[game.name]
    form = arena.form
    return {
        "form": {
            "once": [_text(field) for field in form.once],
            "each": [_text(field) for field in form.each],
            "action": _text(form.action),
            "count": _text(COUNT),
        },
        "oneStart": arena.one_start,
        "patience": [arena.time(first) / 2 for first in (False, True)],
        "time": [arena.time(False), FIRST_TURN],
        "margin": game.settings.margin,
        "hashMb": game.settings.hash_mb,
        "chat": game.settings.chat,
    }


def _text(field: Field) -> tuple[str, str]:
    return field.name, field.pattern.pattern
