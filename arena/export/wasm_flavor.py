"""The file for Node whose search is WebAssembly: modules of JavaScript joined into one, and what they need as text."""

from __future__ import annotations

import json
import posixpath
import re
import zlib
from importlib.metadata import version
from pathlib import Path
from typing import Any

from arena.codeabbey.command import PLAY_TIME
from arena.codingame import command
from arena.codingame.turn_reader import COUNT, Field
from arena.codingame.turns import Arena
from arena.export.games import DICE_ENTRIES, RULES_ENTRIES, SEARCH_ENTRIES, Game
from arena.export.packing import pack
from rules.native.wasm import wasm_module
from web.game_data import game_data, libraries_of

ROOT = Path(__file__).parents[2]
FOLDER = "arena/export/wasm"
FIRST_TURN = 440  # ms: the first answer is due 500 ms after the process has started

IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?function|class|const) (\w+)", re.MULTILINE)
DOCUMENTATION = re.compile(r"^ */\*\*(?:(?!\*/).)*\*/\n| */\*\*(?:(?!\*/).)*\*/", re.MULTILINE | re.DOTALL)


def write(game: Game, ascii_only: bool = False) -> str:
    """The whole file, its head included, the same for the same sources; it runs with Node 16 or newer."""
    packed = pack(zlib.compress(contents(game), 9), ascii_only)
    main = f"{FOLDER}/main.js"
    call = f"{_name(main)}.start({json.dumps(packed, ensure_ascii=False)}, require);\n"
    return f"{head(game, ascii_only)}\n{joined(main)}\n{call}"


def head(game: Game, ascii_only: bool) -> str:
    """What the file is, which version and command made it."""
    where = "CodinGame's arena" if game.arena else "CodeAbbey's sequel to problem 469"
    options = (" --ascii" if ascii_only else "") + ("" if game.with_tables else " --no-tables")
    return (
        f"// Kogoma {version('kogoma')}, a shogi engine, as a bot for {where}: {game.name}.\n"
        f"// Made by: ./engine.sh export {game.name} --flavor wasm{options}\n"
        "// It runs with Node 16 or newer and needs no other file: node FILE.js\n"
        "// The text at the end is compressed: the search as WebAssembly, its rules and weights, and the script that\n"
        "// plays with them.\n"
        '"use strict";\n'
    )


def contents(game: Game) -> bytes:
    """What the file unpacks: the script that plays, description and options as JSON, the records of rules and weights,
    the evaluation's tables, the module; each with its length in four bytes before it."""
    data = game_data(game.variant, game.with_tables)
    text = {"description": data.description, "options": options(game)}
    entries = (*RULES_ENTRIES, *(DICE_ENTRIES if game.variant.die else SEARCH_ENTRIES))
    module = wasm_module(libraries_of(game.variant), entries)
    plain = json.dumps(text, separators=(",", ":")).encode()
    parts = (script(game).encode(), plain, data.rules, data.weights, data.tables, module)
    return b"".join(len(part).to_bytes(4, "little") + part for part in parts)


def script(game: Game) -> str:
    """The body of a function that gives what web/engine/game.js exports, and what plays a game."""
    main, function = ("codingame.js", "playArena") if game.arena else ("codeabbey.js", "playAbbey")
    result = f"return {{ ...{_name('game.js')}, play: {_name(main)}.{function} }};\n"
    return '"use strict";\n' + joined("web/engine/game.js", f"{FOLDER}/{main}") + result


def options(game: Game) -> dict[str, Any]:
    """How the game is played: what the arena's turns look like, and times in ms, of later turns and of the first."""
    if not game.arena:
        return {"hashMb": command.HASH_MB, "time": [PLAY_TIME]}
    arena: Arena = getattr(command, game.arena)
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
        "margin": command.MARGIN,
        "hashMb": command.HASH_MB,
    }


def _text(field: Field) -> tuple[str, str]:
    return field.name, field.pattern.pattern


def joined(*entries: str) -> str:
    """These modules and all that they import as one script: each a function that returns what the module exports.
    Type comments are left out."""
    found: dict[str, str] = {}
    for entry in entries:
        _collect(entry, found)
    return "\n".join(found.values())


def _collect(path: str, found: dict[str, str]) -> None:
    """Add a module after those that it imports."""
    if path in found:
        return
    source = (ROOT / path).read_text(encoding="utf-8")
    imports = []
    for names, origin in IMPORT.findall(source):
        wanted = ", ".join(name.strip() for name in names.split(",") if name.strip())
        if origin.startswith("node:"):
            imports.append(f'const {{ {wanted} }} = require("{origin}");\n')
        else:
            imported = posixpath.normpath(posixpath.join(posixpath.dirname(path), origin))
            _collect(imported, found)
            imports.append(f"const {{ {wanted} }} = {_name(imported)};\n")
    exported = ", ".join(name for _, name in EXPORT.findall(source))
    body = DOCUMENTATION.sub("", EXPORT.sub(r"\1 \2", IMPORT.sub("", source)))
    body = re.sub(r"\n{2,}", "\n\n", body).strip()
    found[path] = (
        f"// {path}\nconst {_name(path)} = (() => {{\n{''.join(imports)}{body}\nreturn {{ {exported} }};\n}})();\n"
    )


def _name(path: str) -> str:
    """What a module is called in the joined script: `turn_reader.js` is turnReaderModule."""
    first, *others = posixpath.basename(path).removesuffix(".js").split("_")
    return first + "".join(word.title() for word in others) + "Module"
