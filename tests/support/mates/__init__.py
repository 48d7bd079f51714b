"""The suite of mates: tests/data/mates.tsv, whose columns tests/data/README.md tells."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from support.usi_client import ROOT

PROBLEM = "1rsg1/P2k1/4R/1G3/K1SB1 b BP 1"  # a mate in 7, of minishogi
SUITE = ROOT / "tests" / "data" / "mates.tsv"


class Problem(NamedTuple):
    """A position: the plies of its shortest mate, 0 without one; `proof` tells who else says so: x a search of
    everything, c cshogi's df-pn, - nobody: the line only pins what the solver said."""

    game: str
    sfen: str
    verdict: str
    plies: int
    proof: str


@cache
def problems() -> list[Problem]:
    """All of it."""
    lines = SUITE.read_text(encoding="ascii").splitlines()
    rows = [line.split("\t") for line in lines]
    return [Problem(game, sfen, verdict, int(plies), proof) for game, sfen, verdict, plies, proof in rows]


def write_problems(suite: Sequence[Problem]) -> None:
    """Write the file anew."""
    SUITE.write_text("".join("\t".join(map(str, problem)) + "\n" for problem in suite), encoding="ascii")
