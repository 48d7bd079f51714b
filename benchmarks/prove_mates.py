"""Prove the lines of a suite of mates by rules that are independent of the engine. Run it in the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.prove_mates [--suite mates|tsume] [--count N] [--games GAME ...]
        [--naive] [--unproven] [--most POSITIONS] [--write]
    PYTHONPATH=tests .venv/bin/python -m benchmarks.prove_mates --suite problems [--games GAME ...] [--plies N]
        [--count N] [--exhaustive] [--most POSITIONS] [--tablebase FOLDER]

For a mate, it proves that there is one of the stated length and no shorter one; for other positions, it proves that
there is no mate of any length. The solver only proposes moves (`support/mates/proof.py`). `--count N` chooses N
problems of each game evenly from the file. `--write` stores in each line by which rules it was proven, or `-`; lines
that were not chosen stay unchanged. The exit code is 1 if a line is not proven.

The suite `problems` is docs/problems: the solver also has to find each mate again, and that it is sound. With
`--exhaustive`, all checks and all replies up to the end of the mate are tried, without proposals. Dobutsu's problems
need the tablebase, which proposes the moves. `--plies N` leaves out draws, and longer mates and wins. Proofs that need
more than `--most` positions are counted as such.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from functools import partial

from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from kogoma.search.mate.problems import examine
from kogoma.search.mate.solver import MATE, MateLimits, MateSolver
from kogoma.search.table_memory import Table
from kogoma.search.tablebase.dobutsu.values import open_tablebase
from oracles import shogi as oracle
from oracles.mates import mates_within
from support.mates import SUITES, Problem, problems, write_problems
from support.mates.only_moves import TablebaseAdvice, prove_only_move
from support.mates.proof import SolversAdvice, TooLong, Unproven, prove
from support.mates.published import MATE_GAMES, ONLY_MOVE_GAME, Published, published
from support.mates.rule_books import Captures, rule_book

PUBLISHED = "problems"
PROBLEM_GAMES = (*MATE_GAMES, ONLY_MOVE_GAME)
LIMITS = MateLimits(nodes=2_000_000)


class Known(dict[tuple[object, int], bool]):
    """The positions of an exhaustive search, at most `most`. Raises TooLong if there are more."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: tuple[object, int], value: bool) -> None:
        if len(self) >= self._most:
            raise TooLong(f"the search has more than {self._most} positions")
        super().__setitem__(key, value)


def prove_exhaustively(problem: Published, most: int) -> int:
    """Prove by the reference rules that a mate has exactly the stated number of plies. Return the number of positions
    in which the attacker is to move."""
    position, known = oracle.parse_sfen(oracle.RULES[problem.game], problem.sfen), Known(most)
    for plies in range(1, problem.plies + 1, 2):
        if mates_within(position, plies, known) != (plies == problem.plies):
            raise Unproven(f"no mate or a shorter one within {plies} plies")
    return len(known)


def prove_mate_problem(problem: Published, solver: MateSolver, advice: SolversAdvice, given: argparse.Namespace) -> int:
    """Prove that a mate is sound and has the stated length. Return the number of positions of the proof by the
    reference rules."""
    found = examine(solver, new_position(problem.game, problem.sfen), LIMITS)
    if not (found.is_sound and found.answer.plies == problem.plies and found.answer.moves[0] == problem.solution[0]):
        raise Unproven(f"the solver finds {found}")
    if given.exhaustive:
        return prove_exhaustively(problem, given.most)
    claim = Problem(problem.game, problem.sfen, MATE, problem.plies, "-")
    return sum(prove(rule_book("naive", problem.game), claim, advice, given.most))


def prove_published(given: argparse.Namespace) -> int:
    """Prove the problems of docs/problems, and return the exit code."""
    failed = 0
    for game in given.games or PROBLEM_GAMES:
        every = [one for one in published(game) if given.plies is None or 0 < one.plies <= given.plies]
        sizes, outcomes = list[int](), Counter[str]()
        chosen = every if given.count is None else every[:: max(len(every) // given.count, 1)][: given.count]
        if game == ONLY_MOVE_GAME:
            tablebase = open_tablebase(given.tablebase, VARIANTS[game])
            if tablebase is None:
                raise SystemExit("there is no tablebase: ./engine.sh solve dobutsu -o FOLDER, and --tablebase FOLDER")
            show = partial(prove_only_move, Captures(game), advice=TablebaseAdvice(tablebase), most=given.most)
        else:
            show = partial(prove_mate_problem, solver=MateSolver(Table(16)), advice=SolversAdvice(game), given=given)
        started = time.perf_counter()
        for problem in chosen:
            try:
                sizes.append(show(problem))
                outcomes["proven"] += 1
            except TooLong:
                outcomes["too long"] += 1
            except Unproven as reason:
                outcomes["NOT PROVEN"] += 1
                print(f"{game} {problem.number}: NOT PROVEN: {reason}", flush=True)
        failed += outcomes["NOT PROVEN"]
        median = statistics.median(sizes or [0])
        print(
            f"{game}: {len(chosen)} problems: {dict(outcomes)}; positions: median {median:.0f}, sum {sum(sizes)}; "
            f"{time.perf_counter() - started:.0f} s",
            flush=True,
        )
    return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", choices=[*SUITES, PUBLISHED], default="mates")
    parser.add_argument("--count", type=int)
    parser.add_argument(
        "--games", nargs="+", choices=sorted({problem.game for problem in problems()} | {*PROBLEM_GAMES})
    )
    parser.add_argument("--naive", action="store_true", help="the naive rules on 9x9, too, where cshogi's are quicker")
    parser.add_argument("--most", type=int, default=300_000, help="positions of one proof")
    parser.add_argument("--plies", type=int, help="most plies of a published problem")
    parser.add_argument("--unproven", action="store_true", help="only lines that nobody has proven")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--exhaustive", action="store_true", help="try all checks and all replies")
    parser.add_argument("--tablebase", default="", metavar="FOLDER", help="with dobutsu.tablebase; default: the cache")
    given = parser.parse_args()
    if given.suite == PUBLISHED:
        return prove_published(given)
    every = problems(given.suite)
    chosen = [
        number
        for number, problem in enumerate(every)
        if (not given.games or problem.game in given.games) and not (given.unproven and problem.proof != "-")
    ]
    if given.count is not None:
        chosen = chosen[:: max(len(chosen) // given.count, 1)][: given.count]
    advice = {game: SolversAdvice(game) for game in {every[number].game for number in chosen}}
    proofs, sizes, failed = [problem.proof for problem in every], dict[tuple[str, str, str], list[int]](), 0
    for number in chosen:
        problem = every[number]
        rules = "cshogi" if problem.game == "shogi" and not given.naive else "naive"
        started = time.perf_counter()
        try:
            mate, none = prove(rule_book(rules, problem.game), problem, advice[problem.game], given.most)
        except Unproven as reason:
            failed, proofs[number] = failed + 1, "-"
            print(f"{number + 1} {problem.game} {problem.verdict} {problem.plies}: NOT PROVEN: {reason}", flush=True)
        else:
            proofs[number] = rules
            sizes.setdefault((problem.game, problem.verdict, rules), []).append(mate + none)
            seconds = time.perf_counter() - started
            print(
                f"{number + 1} {problem.game} {problem.verdict} {problem.plies}: {mate} + {none}, {seconds:.1f} s",
                flush=True,
            )
    for (game, verdict, rules), counts in sorted(sizes.items()):
        median = statistics.median(counts)
        print(f"{game}, {verdict}, {rules}: {len(counts)} proven, positions: median {median:.0f}, sum {sum(counts)}")
    print(f"{len(chosen)} problems, {failed} not proven; in all {dict(Counter(proofs))}")
    if given.write:
        write_problems(
            given.suite, [problem._replace(proof=proof) for problem, proof in zip(every, proofs, strict=True)]
        )
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
