"""The file of plain Python: the kernels translated, and the adapter's own Python around them."""

from __future__ import annotations

from functools import cache
from typing import Any

from arena.export.bundle.bundle import Changes
from arena.export.bundle.slim import fitted
from arena.export.games import ROOT_ENTRIES, RULES_ENTRIES, Game
from arena.export.host_program import program
from arena.export.translator.translate import translate
from eval.weights import tuned
from rules.native.layout import TYPES
from rules.native.rules_record import rules_record
from search.worker import search_rules

KERNELS = "arena.export.host.kernels"
HOST = "arena.export.host.plain"
INSTEAD = {"rules.native.record": HOST, "rules.native.library": HOST, "search.table": HOST}
RETURNS = {  # function -> what it returns in the file
    "rules.native.rules_record.rules_record": ("variant", HOST, "RULES"),
    "eval.weights.tuned": ("variant", HOST, "RULES, WEIGHTS"),
    "search.worker.search_rules": ("variant", HOST, "SEARCH_RULES"),
    "rules.native.layout.position_dtype": ("layout", KERNELS, "PositionRecord"),
}
THREAD = ("layout", KERNELS, "ThreadRecord")
START = """
import gc

if __name__ == "__main__":
    # A collection would come in the middle of a turn, and little here is in cycles.
    gc.disable()
    main()
"""


def write(game: Game, room: int) -> str:
    """The file's text after its head, with as many of the sources' words as `room` characters hold. It may be longer
    than that even without any."""
    thread = "search.dice.values.dice_thread_dtype" if game.variant.die else "search.thread.thread_dtype"
    replaced = {"search.worker.KERNELS_SEE_TIME": "KERNELS_SEE_TIME = True\n"}
    for place, (argument, source, result) in {**RETURNS, thread: THREAD}.items():
        name = place.rpartition(".")[2]
        replaced[place] = f"from {source} import {result}\ndef {name}({argument}):\n    return {result}\n"
    return fitted(program(game, Changes({KERNELS: _kernels(game)}, INSTEAD, replaced), START), room)


@cache
def _kernels(game: Game) -> str:
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
    text = translate(wanted, game.layout, {}, shapes=_shapes(game), words=0)
    return f"{text}\n\nENTRIES = {{\n{names}}}\n"


def _shapes(game: Game) -> dict[str, tuple[int, ...]]:
    """Histories whose cells are dense for the game (`search.history`), as long as it needs them."""
    cells = 2 * (len(game.variant.pieces) + 1) * game.variant.squares
    return {"countermove": (cells,), "capture_history": (cells * TYPES,), "continuation": (cells * cells,)}
