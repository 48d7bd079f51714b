"""The arenas' games under their whole clocks, each with a process of its own. As a command, from the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.measure_arena [--games 100] [GAME ...]

Prints, for each game, the score against a random mover, the overruns, and the slowest answers.
"""

from __future__ import annotations

import argparse
import statistics

from arena.codingame.command import ARENAS
from rules.variants import find
from search.library import warmup
from support.arena_referee import Played, play_games

GAMES = ("minishogi", "dice", "onitama")


def summary(name: str, games: list[Played]) -> str:
    """One line about the games of one arena; times in ms."""
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
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("names", nargs="*", default=GAMES, metavar="GAME", help=", ".join(GAMES))
    options = parser.parse_args()
    warmup(print, *(find(ARENAS[name].variant) for name in options.names))  # compiling is no part of a game
    for name in options.names:
        print(summary(name, [play_games(name, [seed])[0] for seed in range(options.games)]), flush=True)


if __name__ == "__main__":
    main()
