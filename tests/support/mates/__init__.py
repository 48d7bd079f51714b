"""The mate problems in tests/data/mates.tsv and tsume.tsv. tests/data/README.md explains their columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from support.usi_client import ROOT

PROBLEM = "1rsg1/P2k1/4R/1G3/K1SB1 b BP 1"  # a minishogi position with a mate in 7
SUITES = ("mates", "tsume")  # in tsume.tsv, the attacker has no king


class Problem(NamedTuple):
    """A position with or without a mate. `plies` is the length of the shortest mate, or 0 if there is no mate. `proof`
    names the rules by which the verdict is proven: `naive` (tests/oracles/shogi.py), `cshogi`, or `-` if the verdict is
    only the solver's result."""

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
    """Write the file of a suite."""
    _file(suite).write_text("".join("\t".join(map(str, problem)) + "\n" for problem in found), encoding="ascii")
