"""The file of plain Python: the kernels translated, and the adapter's own Python around them."""

from __future__ import annotations

from typing import Any

from arena.export.bundle.bundle import Changes
from arena.export.games import ROOT_ENTRIES, RULES_ENTRIES, Game
from arena.export.host_program import program
from arena.export.translator.translate import translate
from eval.weights import tuned
from rules.native.rules_record import rules_record
from search.worker import search_rules

TABLE_WORDS = 1 << 17  # of the transposition table: 1 MB as the engine counts
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


def write(game: Game, words: int = TABLE_WORDS) -> str:
    """The file's text after its head; `words` is the size of the transposition table."""
    from rules.native.build import entries_of

    rules, weights = rules_record(game.variant), tuned(game.variant)[1]
    own = {"rules": search_rules(game.variant), "weights": weights}
    found = {name: entry for library in game.libraries for name, entry in entries_of(library.modules).items()}
    wanted: list[tuple[str, Any, dict[str, Any]]] = [(name, found[name], own) for name in game.search_entries]
    if game.has_own_rules:
        wanted += [(name, found[name], {"rules": rules}) for name in RULES_ENTRIES]
        wanted += [(f"search_{name}", found[name], own) for name in ROOT_ENTRIES]
    else:
        wanted += [(name, found[name], own) for name in RULES_ENTRIES]
    names = "".join(f'    "{name}": {name},\n' for name, *_ in wanted)
    kernels = f"{translate(wanted, game.layout, {}, words=words)}\n\nENTRIES = {{\n{names}}}\n"
    thread = "search.dice.values.dice_thread_dtype" if game.variant.die else "search.thread.thread_dtype"
    replaced = {}
    for place, (argument, result) in {**RETURNS, thread: ("layout", "Thread")}.items():
        source = "arena.export.host.kernels" if result == "Thread" else HOST
        name = place.rpartition(".")[2]
        replaced[place] = f"from {source} import {result}\ndef {name}({argument}):\n    return {result}\n"
    return program(game, Changes({"arena.export.host.kernels": kernels}, INSTEAD, replaced), START, docstrings=False)
