"""Fit the scale of winning chances of every variant (`kogoma/lab/analysis/judge.py`) to games of self-play.

    .venv/bin/python -m benchmarks.measure_scales FOLDER [--variants minishogi kyoto ...] [--games 200] [--nodes 2000]

The command plays games between equal engines, and fits the scale of the logistic curve that predicts the results from
the scores. The match journals in the folder are resumed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np

from kogoma.lab.journals.match_journal import read_records
from kogoma.lab.stats.statistics import first_mover, without_copies
from kogoma.lab.tune.targets import best_scale
from kogoma.rules.variants import VARIANTS


def scale(path: Path) -> tuple[float, int]:
    """Return the scale with which the scores of a journal predict the results of its games best, and the number of
    scores."""
    scores, results = [], []
    for game in without_copies(read_records(path).games):
        for ply, score in enumerate(game["scores"]):
            if score is not None and score.kind == "cp":
                side = (first_mover(game) + ply) % 2
                scores.append(score.value)
                results.append(0.5 if game["winner"] is None else float(game["winner"] == side))
    return best_scale(np.array(scores), np.array(results)), len(scores)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder", type=Path)
    words.add_argument("--variants", nargs="+", default=list(VARIANTS), choices=list(VARIANTS), metavar="VARIANT")
    words.add_argument("--games", type=int, default=200)
    words.add_argument("--nodes", type=int, default=2000)
    given = words.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for variant in given.variants:
        path = given.folder / f"{variant}.jsonl"
        flags = ["-variant", variant, "-each", f"nodes={given.nodes}", "-games", str(given.games), "-out", str(path)]
        command = [sys.executable, "-m", "kogoma", "match", "-engine", "-engine", *flags, "-resume"]
        if subprocess.run(command, stdout=subprocess.DEVNULL).returncode not in (0, 1):
            raise SystemExit(f"{path}: the match failed")
        found, count = scale(path)
        print(f'"{variant}": {found:.0f},  # {count:,} scores', flush=True)


if __name__ == "__main__":
    main()
