"""Play games with the arenas' time limits, each with a new bot process. Run it in the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.measure_arena [--games 100] [--duel [--busy]] [GAME ...]

For each game, the command prints the score against a random mover, the answers that were too late, and the slowest
answers. With `--duel`, two bots play each other and share one processor with the referee. With `--busy`, another
program also uses this processor all the time, so that bots and referee get only half of it. In both cases, all elapsed
time counts, including the time spent waiting for the processor.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator

from kogoma.arena.codingame.arenas import ARENAS
from kogoma.rules.variants import find
from kogoma.search.library import warmup
from support.arena_referee import Played, duel, play_games

GAMES = ("minishogi", "dice", "onitama")


def summary(name: str, games: list[Played]) -> str:
    """Return a line about the games of one arena, with times in ms."""
    won = sum(played.winner == played.player for played in games)
    first = [1000 * played.times[0] for played in games]
    later = [1000 * time for played in games for time in played.times[1:]]
    illegal = sum(played.reason.startswith("illegal") for played in games)
    overruns = sum(bool(played.overruns) for played in games)
    return (
        f"{name}: {won} of {len(games)} won, {illegal} illegal answers, {overruns} games with an overrun; "
        f"first answer {statistics.median(first):.0f} ms, worst {max(first):.0f}; "
        f"{len(later)} later ones {statistics.median(later):.0f} ms, worst {max(later):.0f}"
    )


def main() -> None:
    """Play the games, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("names", nargs="*", default=GAMES, metavar="GAME", help=", ".join(GAMES))
    parser.add_argument("--duel", action="store_true")
    parser.add_argument("--busy", action="store_true")
    options = parser.parse_args()
    warmup(print, *(find(ARENAS[name].variant) for name in options.names))  # compile before the games
    for name in options.names:
        if options.duel:
            with one_processor(options.busy):
                games = [played for seed in range(options.games) for played in duel(name, seed)]
        else:
            games = [play_games(name, [seed])[0] for seed in range(options.games)]
        print(summary(name, games), flush=True)


@contextlib.contextmanager
def one_processor(busy: bool) -> Iterator[None]:
    """Within this context, run this process and its children on one processor. If `busy` is set, an endless loop also
    runs on that processor."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    with contextlib.ExitStack() as stack:
        if busy:
            loop = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(loop.kill)
        yield
    os.sched_setaffinity(0, before)


if __name__ == "__main__":
    main()
