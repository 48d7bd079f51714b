"""Matches of the engine against itself, and which side wins them."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from kogoma.lab.journals.match_journal import GameRecord, read_records
from kogoma.lab.stats.statistics import Estimate, elo, tally, without_copies

KOGOMA = [sys.executable, "-m", "kogoma"]


def play(journal: Path, flags: list[str], common: Iterable[str] = ()) -> list[GameRecord]:
    """Play a match, or what is left of it, and return its games without copies. `flags` are those of `match`, `common`
    the flags before the command. Each opening is played once."""
    command = [*KOGOMA, *common, "match", "-engine", "-engine", "-repeat", "1", *flags, "-out", str(journal), "-resume"]
    if subprocess.run(command, stdout=subprocess.DEVNULL).returncode not in (0, 1):
        raise SystemExit(f"{journal}: the match failed")
    return without_copies(read_records(journal).games)


def whites_points(games: Iterable[GameRecord]) -> Counter[float]:
    """Return how often White got 0, 0.5 and 1 points."""
    return Counter(0.5 if game["winner"] is None else float(game["winner"]) for game in games)


def share(counts: Counter[float]) -> str:
    """Return the mean of points (0, 0.5 or 1), by how often each occurred, with its 95% interval."""
    return with_interval(elo([counts[0.0], counts[0.5], counts[1.0]]))


def with_interval(found: Estimate | None) -> str:
    """Return the score of an estimate with its 95% interval as text; a dash without games."""
    return f"{found.score:.1%} [{found.score_low:.1%}, {found.score_high:.1%}]" if found else "-"


def adjusted_white(games: Iterable[GameRecord]) -> Estimate | None:
    """Return the estimate of White's score, without the luck of the rolls if it is known (`docs/matches.md`)."""
    counted = tally(({**game, "black": "Black", "white": "White"} for game in games), "White")
    return counted.adjusted_estimate() or counted.estimate()
