"""Make the problems of docs/problems. Run it in the checkout:

    .venv/bin/python -m benchmarks.make_problems GAME FOLDER [--tablebase FOLDER] [--count 200] [--seed 1]
        [--output FILE]

It makes mates or, in Dobutsu, positions in which only one move keeps the win or the draw; for these it needs the
tablebase (`./engine.sh solve dobutsu -o FOLDER`). The positions come from games of self-play.
FOLDER keeps what each round of games has given, so that the command goes on after an interruption. Each round runs in a
process of its own with a seed of its own: the same seed gives the same file.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import re
import time
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from kogoma.lab.journals.journal import Journal
from kogoma.output_file import write_file
from kogoma.rules.base_position import BasePosition
from kogoma.rules.notation import parse_sfen, write_sfen
from kogoma.rules.position import Position
from kogoma.rules.variants import VARIANTS, Variant
from kogoma.search.library import warmup
from kogoma.search.limits import Limits
from kogoma.search.mate.problems import self_play_games, solution, tsume_form, with_black_to_move
from kogoma.search.mate.solver import MateLimits, MateSolver
from kogoma.search.search import Info
from kogoma.search.searcher import Searcher
from kogoma.search.table_memory import Table
from kogoma.search.tablebase.dobutsu.values import Tablebase, open_tablebase
from kogoma.search.tablebase.root import known_moves

GAMES = ("minishogi", "judkins", "66shogi", "gorogoro", "micro", "kyoto", "dobutsu")
ROUND = 100  # games of a round
# How many of 200 problems begin at each number of plies; 0 is a draw. Mates are taken as they are found.
MATES = {3: 200}
ONLY_MOVES = {0: 30, 5: 55, 11: 55, 17: 40, 41: 20}
# In a problem with a win within SHORT_WIN plies, every other move loses within QUICK_LOSS plies, so that rules that are
# not the engine's can prove it in less than a minute.
SHORT_WIN, QUICK_LOSS = 15, 12
LENGTHS = range(3, 40, 2)  # plies of a mate
FIRST, SECOND = MateLimits(nodes=2_000), MateLimits(nodes=20_000)  # for finding and for proving a mate
APART = 10  # plies between two problems of a game
FEWEST_MOVES = 4  # legal moves in a problem with one right move
FEWEST_CHOICES = 3  # moves in such a problem that do not lose the lion at once
MOST_NODES = 1_000_000  # of the rating of a mate
SETTLED = 30_000  # nodes after which the right move has to be the best one, in a problem with one right move
GRADES = (100, 400, 1_600, 6_400)  # the first ratings of grades 2 to 5


class Problem(NamedTuple):
    """A problem. `plies` is the length of the mate or of the win, 0 for a draw. `solution` is a line for people. The
    rating is a number of nodes."""

    sfen: str
    plies: int
    solution: str
    rating: int


# ---- Rating ----------------------------------------------------------------------------------------------------------


def rating_of_mate(searcher: Searcher, position: BasePosition) -> int:
    """Return after how many nodes the normal search shows that the side to move mates, MOST_NODES if it does not."""
    rating = MOST_NODES

    def look(info: Info) -> None:
        nonlocal rating
        if rating == MOST_NODES and info.score_kind == "mate" and info.score > 0:
            rating = info.nodes
            search.stop()

    searcher.new_game()
    search = searcher.start(position, Limits(nodes=MOST_NODES))
    search.run(look)
    return rating


def rating_of_move(searcher: Searcher, position: BasePosition, move: str) -> int:
    """Return after how many nodes the normal search prefers a move for good: SETTLED if that is not so at this
    number of nodes."""
    rating = SETTLED

    def look(info: Info) -> None:
        nonlocal rating
        rating = SETTLED if info.pv[0] != move else min(rating, info.nodes)

    searcher.new_game()
    best = searcher.start(position, Limits(nodes=SETTLED)).run(look).best
    return rating if best == move else SETTLED


def grade(rating: int) -> int:
    """Return the grade of a rating, from 1 to 5."""
    return 1 + bisect(GRADES, rating)


# ---- Finding problems ------------------------------------------------------------------------------------------------


def mates(variant: Variant, rng: random.Random) -> Iterator[Problem]:
    """Yield the mates of games, in the usual form of tsume shogi: in each game the longest, and others that are APART
    from it."""
    solver, searcher = MateSolver(Table(16)), Searcher(hash_mb=8, variant=variant)
    for game in islice(self_play_games(variant, rng), ROUND):
        found = list[tuple[int, Position, int]]()
        for ply, position in enumerate(game):
            answer = solution(solver, position, LENGTHS, FIRST, SECOND)
            if answer is not None and isinstance(position, Position):
                found.append((ply, position, answer.plies))
        taken = list[int]()
        for ply, position, plies in sorted(found, key=lambda one: (-one[2], one[0])):
            if any(abs(ply - other) < APART for other in taken):
                continue
            for sfen, answer in tsume_form(solver, position, plies, rng):
                taken.append(ply)
                rating = rating_of_mate(searcher, Position(variant, sfen))
                yield Problem(sfen, plies, " ".join(answer.moves), rating)


def only_moves(tablebase: Tablebase, rng: random.Random) -> Iterator[Problem]:
    """Yield the hardest position with one right move of each game and each class of lengths, unless most of its moves
    lose the lion at once."""
    searcher = Searcher(hash_mb=1, variant=tablebase.variant)
    for game in islice(self_play_games(tablebase.variant, rng), ROUND):
        found = dict[int, tuple[int, Problem]]()
        for position in game:
            if (values := only_move(tablebase, position)) is not None:
                (move, value), *_ = values.items()
                text = ", ".join(f"{usi} {plies:+d}" if plies else f"{usi} 0" for usi, plies in values.items())
                one = Problem(position.sfen(), value, text, rating_of_move(searcher, position, move))
                index, choices = (
                    bisect(sorted(ONLY_MOVES), value),
                    sum(not -2 <= plies < 0 for plies in values.values()),
                )
                if index not in found or one.rating > found[index][1].rating:
                    found[index] = choices, one
        yield from (one for choices, one in found.values() if choices >= FEWEST_CHOICES)


def only_move(tablebase: Tablebase, position: BasePosition) -> dict[str, int] | None:
    """If only one move of a position wins, or if only one draws and none wins, return the values of the moves, the best
    first, otherwise None. A win that comes sooner than the classes of ONLY_MOVES begin is too easy. With a win within
    SHORT_WIN plies, all other moves have to lose within QUICK_LOSS plies."""
    known = known_moves(tablebase, position)
    if known is None or len(known) < FEWEST_MOVES:
        return None
    value, other = known[0].value, known[1].value
    if value < 0 or other > 0 or (value == 0 and other == 0) or 0 < value < sorted(ONLY_MOVES)[1]:
        return None
    if 0 < value <= SHORT_WIN and not -QUICK_LOSS <= other < 0:
        return None
    return {one.move: one.value for one in known}


def play_round(name: str, seed: str, folder: str) -> list[Problem]:
    """Return the problems of one round of games of the variant `name`. `folder` has Dobutsu's tablebase."""
    variant, rng = VARIANTS[name], random.Random(seed)
    if name != "dobutsu":
        return list(mates(variant, rng))
    tablebase = open_tablebase(folder, variant)
    if tablebase is None:
        raise SystemExit("there is no tablebase: ./engine.sh solve dobutsu -o FOLDER, and --tablebase FOLDER")
    return list(only_moves(tablebase, rng))


# ---- The file --------------------------------------------------------------------------------------------------------


def identity(variant: Variant, sfen: str) -> str:
    """Return a text that is equal for a problem, its mirror image, and the same problem with the sides exchanged."""
    setup = with_black_to_move(parse_sfen(sfen, variant))
    board, turn, hands, _ = write_sfen(setup, variant).split()
    rows = [re.findall(r"\+?[A-Za-z]|[0-9]", row) for row in board.split("/")]
    mirrored = "/".join("".join(reversed(row)) for row in rows)
    return f"{min(board, mirrored)} {turn} {hands}"


def different(variant: Variant, problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems without those that are equal to an earlier one or to its mirror image."""
    found = dict[str, Problem]()
    for problem in problems:
        found.setdefault(identity(variant, problem.sfen), problem)
    return list(found.values())


def choose(found: list[Problem], shares: dict[int, int]) -> list[Problem]:
    """Return the first problems of each class of lengths, up to its share, easy ones first."""
    firsts, chosen = sorted(shares), list[Problem]()
    for index, first in enumerate(firsts):
        those = [one for one in found if bisect(firsts, one.plies) - 1 == index]
        chosen += those[: shares[first]]
    return sorted(chosen, key=lambda one: (one.rating, one.plies, one.sfen))


def lengths(problems: list[Problem]) -> dict[int, int]:
    """Return how many problems have each number of plies."""
    return dict(sorted(Counter(one.plies for one in problems).items()))


def grades(problems: list[Problem]) -> dict[int, int]:
    """Return how many problems have each grade."""
    return dict(sorted(Counter(grade(one.rating) for one in problems).items()))


def text_of(variant: Variant, problems: list[Problem]) -> str:
    """Return the text of a file of problems."""
    words = {True: "win in {}", False: "draw"} if variant.king_capture else {True: "mate in {}"}
    lines = [f"# {len(problems)} problems of {variant.name}. README.md in this folder describes them. MIT licence."]
    for number, one in enumerate(problems, 1):
        task = words[one.plies > 0].format(one.plies)
        lines.append(f"{one.sfen} # game {number}, {variant.name}: {task}, grade {grade(one.rating)}")
        lines.append(f"# solution: {one.solution}; {one.rating} nodes")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("folder", type=Path, help="for the results of the rounds")
    parser.add_argument("--tablebase", default="", metavar="FOLDER", help="with dobutsu.tablebase; default: the cache")
    parser.add_argument(
        "--count", type=int, default=200, help="rounded up, so that each class of lengths has its share"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, help="default: docs/problems/GAME.sfen")
    given = parser.parse_args()
    variant, usual = VARIANTS[given.game], ONLY_MOVES if given.game == "dobutsu" else MATES
    shares = {first: math.ceil(share * given.count / sum(usual.values())) for first, share in usual.items()}
    warmup(print, variant, mates=True)
    given.folder.mkdir(parents=True, exist_ok=True)
    started, rounds = time.perf_counter(), list[list[Problem]]()

    def take(number: int, line: bytes) -> bool:
        rounds.append([Problem(*fields) for fields in json.loads(line)["problems"]])
        return True

    # A process for each round: what a search finds may depend on the searches before it.
    with (
        Journal(given.folder / f"{given.game}-{given.seed}.jsonl") as journal,
        ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool,
    ):
        journal.read(take)
        for number in itertools.count():
            if number == len(rounds):
                seed = f"{given.game} {given.seed} {number}"
                rounds.append(pool.submit(play_round, given.game, seed, given.tablebase).result())
                journal.add({"problems": rounds[-1]})
            found = different(variant, (problem for part in rounds[: number + 1] for problem in part))
            chosen = choose(found, shares)
            seconds = time.perf_counter() - started
            print(f"{number + 1} rounds: {len(found)} problems; plies: {lengths(found)}; {seconds:.0f} s", flush=True)
            if len(chosen) == sum(shares.values()):
                break
    output = given.output or Path(__file__).parents[1] / "docs" / "problems" / f"{given.game}.sfen"
    output.parent.mkdir(exist_ok=True)
    write_file(output, text_of(variant, chosen))
    print(f"{output.name}: {len(chosen)} problems; plies: {lengths(chosen)}; grades: {grades(chosen)}")


if __name__ == "__main__":
    main()
