"""Compute the facts of docs/facts.md about every variant, and write its tables and plots. Run it in the checkout:

    .venv/bin/python -m benchmarks.facts FOLDER

FOLDER keeps what has been computed: after an interruption the same command goes on. `--variants` and `--only` select a
part. The facts about Dobutsu need its tablebase: `./engine.sh solve dobutsu`. The page's tables and plots are written
from docs/facts/facts.jsonl, which gets the new facts; `--only page` computes nothing.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.facts.dobutsu import solved
from benchmarks.facts.first_moves import first_moves
from benchmarks.facts.games import self_play
from benchmarks.facts.page import filled
from benchmarks.facts.plots import plots
from benchmarks.facts.store import FactJournal, Facts, read_facts, write_facts
from kogoma.output_file import write_file
from kogoma.rules.variants import BUILT_IN
from kogoma.search.tablebase.dobutsu.values import open_tablebase

DOCS = Path(__file__).resolve().parents[2] / "docs"
PARTS = ("first-moves", "games", "dobutsu", "page")


def compute(given: argparse.Namespace, facts: FactJournal) -> None:
    """Compute the selected facts that are not known with these settings."""
    for name in given.variants:
        variant = BUILT_IN[name]
        if "first-moves" in given.only and not facts.has("first moves", name, {"nodes": given.nodes}):
            say(f"{name}: first moves")
            facts.add("first moves", name, first_moves(given.folder, variant, given.nodes))
        settings = {"nodes": given.game_nodes, "asked": given.games}
        if "games" in given.only and not facts.has("games", name, settings):
            say(f"{name}: games")
            facts.add("games", name, self_play(given.folder, variant, given.game_nodes, given.games))
    if "dobutsu" in given.only and "dobutsu" in given.variants and not facts.has("solved", "dobutsu", {}):
        say("dobutsu: tablebase")
        tablebase = open_tablebase(given.tablebase, BUILT_IN["dobutsu"])
        if tablebase is None:
            raise SystemExit("there is no tablebase: ./engine.sh solve dobutsu, or --tablebase FOLDER")
        facts.add("solved", "dobutsu", solved(tablebase))


def write(new: Facts, docs: Path) -> None:
    """Write the facts, the page's tables and its plots. Facts that are not new stay as they are."""
    folder, page, names = docs / "facts", docs / "facts.md", list(BUILT_IN)
    facts = read_facts(folder / "facts.jsonl") | new
    write_file(page, filled(page.read_text(encoding="utf-8"), facts, names))
    write_facts(folder / "facts.jsonl", facts)
    for name, text in plots(facts, names).items():
        write_file(folder / name, text)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder", type=Path)
    words.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    words.add_argument("--variants", nargs="+", choices=list(BUILT_IN), default=list(BUILT_IN), metavar="VARIANT")
    words.add_argument("--nodes", type=int, default=500_000, help="of the search after each first move")
    words.add_argument("--game-nodes", type=int, default=5_000, help="of each move of a game")
    words.add_argument("--games", type=int, default=100)
    words.add_argument("--tablebase", default="", metavar="FOLDER", help="with the file (default: the cache folder)")
    words.add_argument("--docs", type=Path, default=DOCS, metavar="FOLDER", help="with the page (default: docs)")
    given = words.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    facts = FactJournal(given.folder / "facts.jsonl")
    compute(given, facts)
    if "page" in given.only:
        write(facts.facts, given.docs)


if __name__ == "__main__":
    main()
