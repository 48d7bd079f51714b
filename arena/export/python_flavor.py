"""The file whose search is plain Python: the kernels translated, and the adapter's own Python around them."""

from __future__ import annotations

from typing import Any

from arena.export.bundle.bundle import Changes
from arena.export.games import ROOT_ENTRIES, RULES_ENTRIES, Game
from arena.export.host_program import program
from arena.export.native_flavor import REPLACED, same_game
from arena.export.tighten import fitted
from arena.export.translator.translate import translate
from eval.weights import tuned
from rules.native.layout import TYPES
from rules.native.library import Library
from search.worker import search_rules

INSTEAD = {
    "rules.native.record": "arena.export.host.plain_records",
    "rules.native.library": "arena.export.host.plain_library",
    "search.table": "arena.export.host.plain_table",
}
# An arena gives a time for each move, and one thread is all that there is.
ABSENT = ("search.time._clock_share", "search.searcher._help")
SHAPE = """
from arena.export.host.kernels import {record}
def {name}(layout):
    return {record}
"""
START = """
if __name__ == "__main__":
    main()
"""


def kernels(game: Game) -> str:
    """The source of the game's entries and all that they call."""
    from rules.native.build import entries_of

    rules_library, search_library = game.libraries
    weights, rules_of_search = tuned(game.variant)[1], search_rules(game.variant)
    of_search = {"rules": rules_of_search, "weights": weights}
    of_rules = of_search if same_game(tuned(game.variant)[0], rules_of_search) else {"rules": tuned(game.variant)[0]}

    def entries(library: Library, names: tuple[str, ...], constants: dict[str, Any], prefix: str = "") -> list[Any]:
        found = entries_of(library.modules)
        return [(prefix + name, found[name], constants) for name in names]

    wanted = entries(rules_library, RULES_ENTRIES, of_rules)
    wanted += entries(search_library, game.search_entries, of_search)
    if of_rules is not of_search:
        wanted += entries(rules_library, ROOT_ENTRIES, of_search, "search_")
    text = translate(wanted, game.layout, {}, shapes=_shapes(game), words=0)
    listed = "".join(f'    "{name}": {name},\n' for name, _, _ in wanted)
    return f"{text}\n\nENTRIES = {{\n{listed}}}\n"


def _shapes(game: Game) -> dict[str, tuple[int, ...]]:
    """Fields whose indices are dense for the game (`search.history`), with the room that it needs."""
    cells = 2 * (len(game.variant.pieces) + 1) * game.variant.squares
    return {"countermove": (cells,), "capture_history": (cells * TYPES,), "continuation": (cells * cells,)}


def write(game: Game, limit: int) -> str:
    """The file's text after its head, with as many of the sources' words as fit into `limit` characters."""
    thread = "search.dice.values.dice_thread_dtype" if game.variant.die else "search.thread.thread_dtype"
    shapes = {"rules.native.layout.position_dtype": "PositionRecord", thread: "ThreadRecord"}
    replaced = {place: SHAPE.format(record=name, name=place.rpartition(".")[2]) for place, name in shapes.items()}
    seen = {"search.worker.KERNELS_SEE_TIME": "KERNELS_SEE_TIME = True\n"}
    changes = Changes({"arena.export.host.kernels": kernels(game)}, INSTEAD, REPLACED | replaced | seen, ABSENT)
    return fitted(program(game, changes, START), limit)
