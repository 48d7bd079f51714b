"""Run the kernels with bounds checks on their arrays. Run it in the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.bounds [--variants 200] [--nodes 20000]

numba compiles kernels again, with a check of every index (NUMBA_BOUNDSCHECK=1); they are cached under names of their
own. A process then searches every variant, plays and searches random custom variants, and solves the problems of the
mate suite. It ends at the first wrong index, and the command prints what it was doing and returns 1. Before that, a
wrong index is made on purpose, which must end a process.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys

from kogoma.eval.explain import eval_library
from kogoma.native.library import Library
from kogoma.native.prebuilt import IGNORE
from kogoma.rules.layout import PLIES
from kogoma.rules.library import rules_library
from kogoma.rules.position import new_position
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.structs import fields
from kogoma.rules.variants import VARIANTS, Variant, find
from kogoma.search.library import build_groups, dice_library, libraries_of, mate_library, search_library
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.mate.solver import MateLimits, MateSolver
from kogoma.search.searcher import Searcher
from kogoma.search.table_memory import Table
from support.dice_search import plain_library
from support.kernels import entries_library
from support.mates import Problem, problems
from support.random_variants import random_variant
from support.variant_judge import judge

SQUARES_64 = 8  # the largest side of boards that certainly have the layout 64
ENVIRONMENT = {"NUMBA_BOUNDSCHECK": "1", IGNORE: "1"}  # prebuilt libraries have no checks
POSITIONS = 3  # of each variant
SEED = 1


def tell(text: str) -> None:
    """Print a text at once."""
    print(text, flush=True)


def libraries(names: list[str], largest: int) -> dict[str, list[Library]]:
    """Return the native libraries that `work` needs, by layout. The one that takes longest to build comes first."""
    needed = [library for name in names for library in libraries_of(find(name))]
    for layout in ("64", "128")[: 2 if largest > SQUARES_64 else 1]:  # of random variants
        needed += [search_library(layout), dice_library(layout), rules_library(layout), eval_library(layout)]
        needed += [mate_library(layout), entries_library(layout), plain_library(layout)]
    for layout in {layout_of(find(game)) for game in (*names, *(problem.game for problem in mates(largest)))}:
        needed += [mate_library(layout), rules_library(layout)]
    found = dict[str, list[Library]]()
    for library in dict.fromkeys(needed):
        found.setdefault(library.layout, []).append(library)
    return found


def mates(largest: int) -> list[Problem]:
    """Return the problems of the mate suite on boards whose sides are at most `largest` squares long."""
    return [problem for problem in problems() if max(find(problem.game).files, find(problem.game).ranks) <= largest]


def search(variant: Variant, nodes: int) -> None:
    """Search the start position of a variant and positions after random moves, with one line and with three."""
    searcher, rng = Searcher(4, variant=variant), random.Random(SEED)
    for plies in range(0, 20 * POSITIONS, 20):
        position = new_position(variant)
        while position.ply < plies and position.outcome() is None:
            position.push(rng.choice(sorted(position.legal_moves())))
        if position.outcome() is None:
            for roll in (None, rng.randint(1, 6)) if variant.die else (None,):
                for lines in (1, 3):
                    searcher.search(position, Limits(nodes=nodes, dice=roll), SearchOptions(multipv=lines))


def solve(largest: int, nodes: int) -> None:
    """Search for the mates of the suite on boards whose sides are at most `largest` squares long."""
    table = Table(16)
    table.wait()
    solver = MateSolver(table)
    for problem in mates(largest):
        solver.solve(new_position(find(problem.game), problem.sfen), MateLimits(nodes=nodes))


def wrong_index() -> None:
    """Ask a kernel for the moves of a position whose ply is just beyond its arrays."""
    position = new_position("minishogi")
    fields(position.struct)["ply"] = PLIES
    position.legal_codes()


def work(names: list[str], variants: int, largest: int, nodes: int) -> None:
    """Do all the work, and print each part before it begins."""
    for variant in map(find, names):
        print(f"a search of {variant.name}", flush=True)
        search(variant, nodes)
    for seed in range(SEED, SEED + variants):
        print(f"the random variant with the seed {seed}", flush=True)
        variant = random_variant(seed, largest)
        judge(variant, seed, 1)
        search(variant, nodes // 10)
    print("the mate suite", flush=True)
    solve(largest, nodes)


def run(*words: str) -> tuple[int, str]:
    """Run this command in a process with bounds checks. Return its exit code and its last line of output."""
    command, last = [sys.executable, "-m", "benchmarks.bounds", *words], ""
    with subprocess.Popen(command, env=os.environ | ENVIRONMENT, stdout=subprocess.PIPE, text=True) as it:
        assert it.stdout is not None
        for line in it.stdout:
            last = line.strip()
            print(last, flush=True)
    return it.returncode, last


def main() -> int:
    """Return 0 if there was no wrong index, otherwise 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variants", type=int, default=200, metavar="N", help="random custom variants (default 200)")
    parser.add_argument("--largest", type=int, default=9, metavar="N", help="largest board side (default 9)")
    parser.add_argument("--nodes", type=int, default=20000, metavar="N", help="nodes of a search (default 20000)")
    parser.add_argument("--only", nargs="+", default=list(VARIANTS), metavar="NAME", help="variants to search")
    parser.add_argument("--part", choices=("build", "work", "wrong"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part == "build":  # one compiler builds all libraries of a layout, in half the time
        build_groups(list(libraries(given.only, given.largest).values()), tell)
        return 0
    if given.part == "wrong":
        wrong_index()
        return 0
    if given.part == "work":
        work(given.only, given.variants, given.largest, given.nodes)
        return 0
    status, last = run("--part", "build", *sys.argv[1:])
    if status:
        print(f"compiling ended with {status}: {last}")
        return 1
    if run("--part", "wrong")[0] != -signal.SIGILL:
        print("a wrong index was not noticed: the checks do not work")
        return 1
    status, last = run("--part", "work", *sys.argv[1:])
    print("no wrong index" if status == 0 else f"the process ended with {status} during {last}")
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
