"""The file of plain Python: the kernels translated, and the adapter's own Python around them."""

from __future__ import annotations

from functools import cache
from typing import Any

from kogoma.arena.export.bundle.bundle import Changes
from kogoma.arena.export.bundle.minify import fitted
from kogoma.arena.export.host_program import constant_records, program, returning
from kogoma.arena.export.packing import pack
from kogoma.arena.export.relation_table import feature_count, packed_tables, placed_weights
from kogoma.arena.export.targets import ROOT_ENTRIES, RULES_ENTRIES, Game
from kogoma.arena.export.translator.structs import BASE85, Packing
from kogoma.arena.export.translator.translate import translate
from kogoma.rules.layout import TYPES
from kogoma.rules.rules_struct import rules_record
from kogoma.search.worker import search_rules

DATA = "kogoma.arena.export.host.data"
HOST = "kogoma.arena.export.host.plain"
INSTEAD = {"kogoma.rules.structs": HOST, "kogoma.rules.library": HOST, "kogoma.search.table_memory": HOST}
TABLES = """
from kogoma.arena.export.host.relation_table import unfolded
from kogoma.arena.export.packing import unpack
RELATIONS = list(unfolded(lzma.decompress(unpack(TABLES)), FEATURES))
"""
START = """
import gc

if __name__ == "__main__":
    # A collection would come in the middle of a turn, and little here is in cycles.
    gc.disable()
    main()
"""


def write(game: Game, room: int, ascii_only: bool = False, tables_outside: bool = False) -> str:
    """The file's text after its head, with as many of the sources' words as `room` characters hold. It may be longer
    than that even without any. `tables_outside`: what runs it has `TABLES` and `unpack` ready."""
    thread = "kogoma.search.dice.values.dice_thread_dtype" if game.variant.die else "kogoma.search.thread.thread_dtype"
    replaced = constant_records(HOST) | {"kogoma.search.worker.KERNELS_SEE_TIME": "KERNELS_SEE_TIME = True\n"}
    for place, record in ((thread, "ThreadRecord"), ("kogoma.rules.layout.position_dtype", "PositionRecord")):
        replaced[place] = returning(place, "layout", DATA, record)
    data = f'FEATURES = {feature_count(game)}\nTABLES = "{pack(packed_tables(game), ascii_only)}"\n'
    absent = (f"{DATA}.TABLES", "kogoma.arena.export.packing.unpack") if tables_outside else ()
    changes = Changes({DATA: data + _kernels(game, ascii_only)}, INSTEAD, replaced, absent)
    return fitted(program(game, changes, START), room)


@cache
def _kernels(game: Game, ascii_only: bool) -> str:
    """The game's kernels, translated, and their entries by name."""
    own = {"rules": search_rules(game.variant), "weights": placed_weights(game)}
    found = game.entries
    wanted: list[tuple[str, Any, dict[str, Any]]] = [(name, found[name], own) for name in game.search_entries]
    if game.has_own_rules:
        wanted += [(name, found[name], {"rules": rules_record(game.variant)}) for name in RULES_ENTRIES]
        wanted += [(f"search_{name}", found[name], own) for name in ROOT_ENTRIES]
    else:
        wanted += [(name, found[name], own) for name in RULES_ENTRIES]
    names = "".join(f'    "{name}": {name},\n' for name, *_ in wanted)
    # Without tables nothing else needs `unpack`, which is longer than what it would save.
    packing = Packing(lambda data: pack(data, ascii_only), "unpack") if packed_tables(game) else BASE85
    text = translate(wanted, game.layout, shapes=_shapes(game), words=0, packing=packing)
    return f"{TABLES if packed_tables(game) else ''}{text}\n\nENTRIES = {{\n{names}}}\n"


def _shapes(game: Game) -> dict[str, tuple[int, ...]]:
    """Histories whose cells are dense for the game (`search.history`), as long as it needs them."""
    cells = 2 * (len(game.variant.pieces) + 1) * game.variant.squares
    return {"countermove": (cells,), "capture_history": (cells * TYPES,), "continuation": (cells * cells,)}
