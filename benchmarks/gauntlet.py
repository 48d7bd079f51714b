"""Play Kogoma against other engines, and print a dated table for docs/experiments.md. Run it in the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.gauntlet FOLDER [--games N] [--concurrency N] [--only NAME ...]

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
from kogoma.lab.engines.base import Engine, EngineSpec
from kogoma.lab.engines.clock import Clock, TimeControl
from kogoma.lab.engines.factory import make_engine
from kogoma.lab.engines.faults import EngineError
from kogoma.lab.journals.match_journal import read_records
from kogoma.lab.stats.statistics import Results, points, tally
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.variants import find
from kogoma.search.mate.solver import MATE
from support.mates import problems
from support.peers import find_program
from support.usi_client import UsiClient

MATES = "mates"  # the name of the measurement that is not a match
DOBUTSU = "dobutsu"  # the match whose losing moves are counted
MATE_SECONDS = 1.0
HEADER = """\
| variant, opponent | games | won | drawn | lost | score | interval |
|---|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Encounter:
    """A match of Kogoma against another program. `title` is the name of the match in the table, `program` is the
    opponent's program, `opponent` has the opponent's settings, and `both` has the settings of both engines."""

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
        "proto=xboard restart=on",  # in the second game of a process, CrazyWa may claim a result at once
        "tc=2+0.1 timemargin=500",
        100,
    ),
    DOBUTSU: Encounter("dobutsu, Fairy-Stockfish, 100 ms", "dobutsu", *FAIRY, "st=0.1 timemargin=100", games=100),
}
JUDGE_NODES = 200_000  # nodes of Fairy-Stockfish for each position


def journal_path(name: str, folder: Path) -> Path:
    """Return the path of the journal of a match in `folder`."""
    return folder / f"{name}.jsonl"


def row(name: str, games: int | None, concurrency: int, folder: Path) -> str:
    """Play those games of a match that are missing in the match's journal, with `concurrency` games at a time. Return
    the row of this match in the table."""
    encounter = ENCOUNTERS[name]
    program = find_program(encounter.program)
    if program is None:
        return f"| {encounter.title} | not installed | | | | | |"
    journal = journal_path(name, folder)
    # Fairy-Stockfish uses the whole time for a move. With a network delay of 0, Kogoma does so, too.
    own = "-engine name=kogoma cmd=kogoma option.USI_Hash=64 option.NetworkDelay=0".split()
    other = ["-engine", "name=opponent", f"cmd={program}", *encounter.opponent.split()]
    match = [sys.executable, "-m", "kogoma", "match", "-variant", encounter.variant, *own, *other]
    match += [
        "-each",
        *encounter.both.split(),
        "-games",
        str(games or encounter.games),
        "-concurrency",
        str(concurrency),
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
    """Return a sentence that says how many minishogi mates of the test suite the alpha-beta search finds. The search
    has MATE_SECONDS for each mate."""
    chosen = [problem for problem in problems() if problem.verdict == MATE and problem.game == "minishogi"]
    with UsiClient() as engine:
        engine.ready()
        found = sum(until_mate(engine, problem.sfen, MATE_SECONDS) < MATE_SECONDS for problem in chosen)
    return f"`go infinite` found {found} of {len(chosen)} mates of minishogi within {MATE_SECONDS:g} s."


def losing_moves(journal: Path) -> str:
    """Return a sentence that says how many of Kogoma's moves in the games of `journal` lost a game that was not lost
    before. A position counts as lost if Fairy-Stockfish finds a mate against the side to move with JUDGE_NODES
    nodes."""
    program = find_program(FAIRY[0])
    if program is None:
        return "Losing moves were not counted: Fairy-Stockfish is not installed."
    limits = TimeControl(nodes=JUDGE_NODES)
    judge = make_engine(EngineSpec("judge", (program,), "uci", options=(("Hash", "256"),), limits=limits))
    clocks = Clock(limits), Clock(limits)
    lost = moves = 0
    for record in read_records(journal).games:
        position = new_position(find(record["variant"]), record["start"])
        for move in record["book"]:
            position.push(move)
        judge.new_game(position.variant, record["start"])
        own = 0 if record["black"] == "kogoma" else 1
        before = mate_for(judge, position, clocks)
        for move in record["moves"]:
            mover = position.turn
            position.push(move)
            after = mate_for(judge, position, clocks)
            if mover == own and before >= 0:
                moves += 1
                lost += after > 0
            before = after
    judge.quit()
    return f"Of {moves} moves of Kogoma in positions that were not lost, {lost} lost the game ({lost / moves:.1%})."


def mate_for(judge: Engine, position: BasePosition, clocks: tuple[Clock, Clock]) -> int:
    """Return 1 if the side to move has won or the judge finds a mate for that side. Return -1 if the opponent has won
    or the judge finds a mate for the opponent. Otherwise, return 0."""
    outcome = position.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else 1 if outcome.winner == position.turn else -1
    try:
        score = judge.move(position, clocks).score
    except EngineError as fault:
        # Fairy-Stockfish has no move if its lion is mated. For Kogoma, the game ends only when a lion is captured.
        if not any("score mate 0" in line for line in fault.log[-2:]):
            raise
        return -1
    return 0 if score is None or score.kind != "mate" else 1 if score.value > 0 else -1


def main() -> None:
    """Run the command."""
    names = [*ENCOUNTERS, MATES]
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder", type=Path, metavar="FOLDER")
    words.add_argument("--games", type=int, metavar="N", help="games of each match")
    words.add_argument("--concurrency", type=int, default=1, metavar="N", help="games at a time (1)")
    words.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    given = words.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    print(f"{datetime.date.today()}\n\n{HEADER}", flush=True)
    for name in ENCOUNTERS:
        if name in given.only:
            print(row(name, given.games, given.concurrency, given.folder), flush=True)
    if DOBUTSU in given.only:
        print(f"\n{losing_moves(journal_path(DOBUTSU, given.folder))}", flush=True)
    if MATES in given.only:
        print(f"\n{mates()}", flush=True)


if __name__ == "__main__":
    main()
