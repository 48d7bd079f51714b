"""The file of plain Python: the kernels translated, and the adapter's own Python around them."""

from __future__ import annotations

import lzma
from dataclasses import replace
from functools import cache
from typing import Any

from arena.export.bundle.bundle import Bundle, Changes
from arena.export.bundle.slim import indented
from arena.export.games import ROOT_ENTRIES, RULES_ENTRIES, Game
from arena.export.host_program import program
from arena.export.packing import pack
from arena.export.translator.translate import translate
from eval.weights import tuned
from rules.native.rules_record import rules_record
from search.worker import search_rules

TABLE_WORDS = 1 << 17  # of the transposition table: 1 MB as the engine counts
KERNELS = "arena.export.host.kernels"
HOST = "arena.export.host.plain"
INSTEAD = {"rules.native.record": HOST, "rules.native.library": HOST, "search.table": HOST}
RETURNS = {  # function -> what it returns in the file
    "rules.native.rules_record.rules_record": ("variant", "RULES"),
    "eval.weights.tuned": ("variant", "RULES, WEIGHTS"),
    "search.worker.search_rules": ("variant", "SEARCH_RULES"),
    "rules.native.layout.position_dtype": ("layout", "PositionRecord"),
}
START = """
if __name__ == "__main__":
    main()
"""


# Of kernels that leave no room for the adapter's text: what they are called by, and the adapter's program packed.
OFFERED = ("ENTRIES", "Position", "Thread", "memory")
LOADER = """
import lzma
import sys

from arena.export.host.kernels import ENTRIES, Position, Thread, memory
from arena.export.packing import unpack

PROGRAM = "{program}"
text = lzma.decompress(unpack(PROGRAM)).decode()
program = {{"__name__": __name__, "ENTRIES": ENTRIES, "Position": Position, "Thread": Thread, "memory": memory}}
if sys.argv[1:] == ["--source"]:
    print(text)
else:
    exec(compile(text, "PROGRAM", "exec"), program)
"""


def write(game: Game, room: int, ascii_only: bool = False, words: int = TABLE_WORDS) -> str:
    """The file's text after its head, of at most `room` characters if that can be: all of it plain, as widely set as
    there is room for, or the kernels plain and the adapter around them packed. `words` is the size of the
    transposition table."""
    for indent in (4, 2, 1):
        text = _plain(game, indent, words)
        if len(text) <= room:
            return text
    changes = _changes(game)
    absent = tuple(f"{KERNELS}.{name}" for name in OFFERED)
    adapter = program(game, replace(changes, absent=absent), START, 4)
    packed = pack(lzma.compress(adapter.encode(), preset=9 | lzma.PRESET_EXTREME), ascii_only)
    return Bundle(Changes({KERNELS: _kernels(game, words)})).text(LOADER.format(program=packed))


def _plain(game: Game, indent: int, words: int) -> str:
    changes = replace(_changes(game), sources={KERNELS: indented(_kernels(game, words), indent)})
    return program(game, changes, START, indent, whole=(KERNELS,))


@cache
def _kernels(game: Game, words: int) -> str:
    """The game's kernels, translated, and their entries by name."""
    from rules.native.build import entries_of

    own = {"rules": search_rules(game.variant), "weights": tuned(game.variant)[1]}
    found = {name: entry for library in game.libraries for name, entry in entries_of(library.modules).items()}
    wanted: list[tuple[str, Any, dict[str, Any]]] = [(name, found[name], own) for name in game.search_entries]
    if game.has_own_rules:
        wanted += [(name, found[name], {"rules": rules_record(game.variant)}) for name in RULES_ENTRIES]
        wanted += [(f"search_{name}", found[name], own) for name in ROOT_ENTRIES]
    else:
        wanted += [(name, found[name], own) for name in RULES_ENTRIES]
    names = "".join(f'    "{name}": {name},\n' for name, *_ in wanted)
    return f"{translate(wanted, game.layout, {}, words=words)}\n\nENTRIES = {{\n{names}}}\n"


def _changes(game: Game) -> Changes:
    thread = "search.dice.values.dice_thread_dtype" if game.variant.die else "search.thread.thread_dtype"
    replaced = {}
    for place, (argument, result) in {**RETURNS, thread: ("layout", "Thread")}.items():
        source = KERNELS if result == "Thread" else HOST
        name = place.rpartition(".")[2]
        replaced[place] = f"from {source} import {result}\ndef {name}({argument}):\n    return {result}\n"
    return Changes(instead=INSTEAD, replaced=replaced)
