"""Play Kogoma against other engines, and print a dated table for docs/strength.md. As a command, from the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.gauntlet FOLDER [--games N] [--only NAME ...]

The match journals in FOLDER are resumed, so an interrupted run continues. Nothing else should run on the machine.
"""

from __future__ import annotations

import argparse
import datetime
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure_mates import until_mate
from kogoma.lab.journals.match_journal import read_records
from kogoma.lab.stats.statistics import Results, points, tally
from kogoma.search.mate.solver import MATE
from support.mates import problems
from support.peers import find_program
from support.usi_client import UsiClient

MATES = "mates"  # name of the part without matches
MATE_SECONDS = 1.0
HEADER = """\
| variant, opponent | games | won | drawn | lost | score | interval |
|---|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Encounter:
    """A match: its title in the table, the variant, the opponent's program and settings, the settings of both engines,
    and the number of games."""

    title: str
    variant: str
    program: str
    opponent: str
    both: str
    games: int


FAIRY = "fairy-stockfish", "proto=uci option.Hash=64"
ENCOUNTERS = {
    "fairy-100": Encounter(
        "minishogi, Fairy-Stockfish, 100 ms", "minishogi", *FAIRY, "st=0.1 timemargin=100", games=400
    ),
    "fairy-1000": Encounter(
        "minishogi, Fairy-Stockfish, 1,000 ms", "minishogi", *FAIRY, "st=1 timemargin=100", games=100
    ),
    "fairy-9x9": Encounter("shogi, Fairy-Stockfish, 200 ms", "shogi", *FAIRY, "st=0.2 timemargin=100", games=100),
    "crazywa": Encounter(
        "minishogi, CrazyWa, 2 s and 0.1 s a move",
        "minishogi",
        "crazywa",
        "proto=xboard restart=on",  # in the second game of a process, it may claim a result at once
        "tc=2+0.1 timemargin=500",
        100,
    ),
}


def row(name: str, games: int | None, folder: Path) -> str:
    """Play a match, or the rest of it, and return its row of the table. Its journal in `folder` is named after it."""
    encounter = ENCOUNTERS[name]
    program = find_program(encounter.program)
    if program is None:
        return f"| {encounter.title} | not installed | | | | | |"
    journal = folder / f"{name}.jsonl"
    own = "-engine name=kogoma cmd=kogoma option.USI_Hash=64".split()
    other = ["-engine", "name=opponent", f"cmd={program}", *encounter.opponent.split()]
    match = [sys.executable, "-m", "kogoma", "match", "-variant", encounter.variant, *own, *other]
    match += [
        "-each",
        *encounter.both.split(),
        "-games",
        str(games or encounter.games),
        "-out",
        str(journal),
        "-resume",
    ]
    subprocess.run(match, check=True, stdout=subprocess.DEVNULL)
    records, results = read_records(journal).games, Results()
    for record in records:
        results.add(points(record, "kogoma"))
    found = tally(records, "kogoma").estimate()
    assert found is not None, journal
    counts = f"{results.games} | {results.wins} | {results.draws} | {results.losses}"
    return f"| {encounter.title} | {counts} | {found.score:.1%} | {found.score_low:.1%} to {found.score_high:.1%} |"


def mates() -> str:
    """Return how many of the mates of minishogi in the tests' suite the alpha-beta search finds in MATE_SECONDS."""
    chosen = [problem for problem in problems() if problem.verdict == MATE and problem.game == "minishogi"]
    with UsiClient() as engine:
        engine.ready()
        found = sum(until_mate(engine, problem.sfen, MATE_SECONDS) < MATE_SECONDS for problem in chosen)
    return f"`go infinite` found {found} of {len(chosen)} mates of minishogi within {MATE_SECONDS:g} s."


def main() -> None:
    """Run the command."""
    names = [*ENCOUNTERS, MATES]
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder", type=Path, metavar="FOLDER")
    words.add_argument("--games", type=int, metavar="N", help="games of each match")
    words.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    given = words.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    print(f"{datetime.date.today()}\n\n{HEADER}", flush=True)
    for name in ENCOUNTERS:
        if name in given.only:
            print(row(name, given.games, given.folder), flush=True)
    if MATES in given.only:
        print(f"\n{mates()}", flush=True)


if __name__ == "__main__":
    main()
