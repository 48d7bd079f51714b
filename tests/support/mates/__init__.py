"""The suites of mates, tests/data/mates.tsv and tsume.tsv, whose columns tests/data/README.md explains."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from support.usi_client import ROOT

PROBLEM = "1rsg1/P2k1/4R/1G3/K1SB1 b BP 1"  # a mate in 7, of minishogi
SUITES = ("mates", "tsume")  # tsume: problems without the attacker's king


class Problem(NamedTuple):
    """A position: the plies of its shortest mate, 0 without one; `proof` tells who else says so: x a search of
    everything, c cshogi's df-pn, - nobody: the line only pins what the solver said."""

    game: str
    sfen: str
    verdict: str
    plies: int
    proof: str


def _file(suite: str) -> Path:
    return ROOT / "tests" / "data" / f"{suite}.tsv"


@cache
def problems(suite: str = "mates") -> list[Problem]:
    """Return all problems of a suite."""
    lines = _file(suite).read_text(encoding="ascii").splitlines()
    rows = [line.split("\t") for line in lines]
    return [Problem(game, sfen, verdict, int(plies), proof) for game, sfen, verdict, plies, proof in rows]


def write_problems(suite: str, found: Sequence[Problem]) -> None:
    """Write the file of a suite anew."""
    _file(suite).write_text("".join("\t".join(map(str, problem)) + "\n" for problem in found), encoding="ascii")
