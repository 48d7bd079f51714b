"""Export as a file of plain Python: the translated kernels with the bot's Python code."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from kogoma.arena.codingame.settings import STANDARD
from kogoma.arena.export.bundle.bundle import Changes
from kogoma.arena.export.bundle.minify import fitted
from kogoma.arena.export.host_program import constant_structs, program, returning
from kogoma.arena.export.network import exported_weights
from kogoma.arena.export.packing import pack
from kogoma.arena.export.targets import ROOT_ENTRIES, RULES_ENTRIES, Game
from kogoma.arena.export.translator.translate import translate
from kogoma.rules.layout import TYPES
from kogoma.rules.rules_struct import rules_struct
from kogoma.search.rules import search_rules

DATA = "kogoma.arena.export.host.data"
HOST = "kogoma.arena.export.host.plain"
INSTEAD = {"kogoma.rules.structs": HOST, "kogoma.rules.library": HOST, "kogoma.search.table_memory": HOST}
NO_NETWORK = dict.fromkeys(("feature", "accumulated", "accumulator"), (1,))
START = """
import gc

if __name__ == "__main__":
    # A garbage collection could delay a turn, and there are few reference cycles.
    gc.disable()
    main()
"""


def write(game: Game, room: int, ascii_only: bool = False, book_outside: bool = False) -> str:
    """Return the text of the exported bot's file, without the comments at its head, shortened to `room` characters or
    as far as possible. If `book_outside` is true, `BOOK` and `unpack` are left out; the code that runs the program
    must then define them. The bot evaluates with the handcrafted terms only: in plain Python, a network would take more
    time than it is worth."""
    thread = "kogoma.search.dice.values.dice_thread_dtype" if game.variant.die else "kogoma.search.thread.thread_dtype"
    replaced = constant_structs(HOST) | {"kogoma.search.worker.KERNELS_SEE_TIME": "KERNELS_SEE_TIME = True\n"}
    for place, struct in ((thread, "ThreadStruct"), ("kogoma.rules.layout.position_dtype", "PositionStruct")):
        replaced[place] = returning(place, "layout", DATA, struct)
    data = f'BOOK = "{pack(game.settings.book, ascii_only)}"\n'
    outside = (f"{DATA}.BOOK", "kogoma.arena.export.packing.unpack")
    absent = outside if book_outside else ()
    changes = Changes(
        {DATA: data + _kernels(replace(game, with_network=False, settings=STANDARD, options=""))},
        INSTEAD,
        replaced,
        absent,
    )
    return fitted(program(game, changes, START), room)


@cache
def _kernels(game: Game) -> str:
    """Return the source text of the game's translated kernels, followed by ENTRIES, the dict of its entry points."""
    structs = {"rules": search_rules(game.variant), "weights": exported_weights(game)}
    found = game.entries
    wanted: list[tuple[str, Any, dict[str, Any]]] = [(name, found[name], structs) for name in game.search_entries]
    if game.has_own_rules:
        wanted += [(name, found[name], {"rules": rules_struct(game.variant)}) for name in RULES_ENTRIES]
        wanted += [(f"search_{name}", found[name], structs) for name in ROOT_ENTRIES]
    else:
        wanted += [(name, found[name], structs) for name in RULES_ENTRIES]
    names = "".join(f'    "{name}": {name},\n' for name, *_ in wanted)
    text = translate(wanted, game.layout, shapes=_shapes(game), words=0)
    return f"{text}\n\nENTRIES = {{\n{names}}}\n"


def _shapes(game: Game) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the history fields (`search.history`), reduced to the cells that the game uses, and of the
    fields of the network, which is not used."""
    cells = 2 * (len(game.variant.pieces) + 1) * game.variant.squares
    return {
        "countermove": (cells,),
        "capture_history": (cells * TYPES,),
        "continuation": (cells * cells,),
        **NO_NETWORK,
    }
