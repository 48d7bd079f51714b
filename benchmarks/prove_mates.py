"""Prove the lines of a suite of mates by rules that are independent of the engine. Run it in the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.prove_mates [--suite mates|tsume] [--count N] [--games GAME ...]
        [--naive] [--unproven] [--most POSITIONS] [--write]

For a mate, it proves that there is one of the stated length and no shorter one; for other positions, it proves that
there is no mate of any length. The solver only proposes moves (`support/mates/proof.py`). `--count N` chooses N
problems evenly from the file. `--write` stores in each line by which rules it was proven, or `-`; lines that were not
chosen stay unchanged. The exit code is 1 if a line is not proven.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter

from support.mates import SUITES, problems, write_problems
from support.mates.proof import SolversAdvice, Unproven, prove
from support.mates.rule_books import rule_book


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", choices=SUITES, default="mates")
    parser.add_argument("--count", type=int)
    parser.add_argument("--games", nargs="+", choices=sorted({problem.game for problem in problems()}))
    parser.add_argument("--naive", action="store_true", help="the naive rules on 9x9, too, where cshogi's are quicker")
    parser.add_argument("--most", type=int, default=300_000, help="positions of one proof")
    parser.add_argument("--unproven", action="store_true", help="only lines that nobody has proven")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
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
