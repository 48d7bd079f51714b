"""Measure the levels of limited strength: their Elo against the next lower level, and how many of their games differ.

    .venv/bin/python -m benchmarks.measure_levels FOLDER [--variants minishogi kyoto ...] [--games 100]

The command plays each level against the one below it in every variant, and in minishogi also against itself from the
start position. The match journals in the folder are resumed, so an interrupted run continues. It prints the tables of
docs/usi.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from kogoma.lab.journals.match_journal import GameRecord, read_records
from kogoma.lab.stats.statistics import tally, without_copies
from kogoma.rules.variants import VARIANTS
from kogoma.search.levels import LEVELS

COMMON = "-each nodes=1000000 option.USI_LimitStrength=true option.USI_Hash=16 -maxmoves 150 -concurrency 1".split()


def play(folder: Path, name: str, variant: str, levels: tuple[int, int], games: int, *flags: str) -> list[GameRecord]:
    """Play those games of a match that are missing in the match's journal. Return all games of the match."""
    path = folder / f"{name}.jsonl"
    engines = [
        word
        for player, level in zip(("level", "other"), levels)
        for word in ("-engine", f"name={player}", f"option.USI_Elo={LEVELS[level].elo}")
    ]
    command = [sys.executable, "-m", "kogoma", "match", *engines, "-variant", variant, *COMMON, "-games", str(games)]
    done = subprocess.run([*command, *flags, "-out", str(path), "-resume"], stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 1):  # exit code 1 means that all games are copies
        raise SystemExit(f"{path}: the match ended with exit code {done.returncode}")
    return read_records(path).games


def step(games: list[GameRecord]) -> str:
    """Return a text with the Elo difference between the first and the second engine, and the confidence interval."""
    estimate = tally(without_copies(games), "level").estimate()
    return "" if estimate is None else f"{estimate.elo:+.0f} [{estimate.low:+.0f}, {estimate.high:+.0f}]"


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder", type=Path)
    words.add_argument("--variants", nargs="+", default=list(VARIANTS), choices=list(VARIANTS), metavar="VARIANT")
    words.add_argument("--games", type=int, default=100)
    given = words.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    numbers = range(1, len(LEVELS))
    print(f"| variant | {' | '.join(f'{number} against {number - 1}' for number in numbers)} |", flush=True)
    print("|---" * (len(LEVELS)) + "|", flush=True)
    for variant in given.variants:
        found = [
            step(play(given.folder, f"{variant}-{number}", variant, (number, number - 1), given.games))
            for number in numbers
        ]
        print(f"| {variant} | {' | '.join(found)} |", flush=True)
    print("| level | distinct games of 100 |\n|---|---|", flush=True)
    for number in numbers:
        start = ("-openings", "file=start", "-repeat", "1")
        games = play(given.folder, f"same-{number}", "minishogi", (number, number), given.games, *start)
        print(f"| {number} | {len(without_copies(games))} |", flush=True)


if __name__ == "__main__":
    main()
