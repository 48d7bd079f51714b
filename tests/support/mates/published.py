"""The problems in docs/problems, read by a parser of their own. docs/problems/README.md describes the format."""

from __future__ import annotations

import re
from typing import NamedTuple

from support.usi_client import ROOT

FOLDER = ROOT / "docs" / "problems"
ONLY_MOVE_GAME = "dobutsu"
MATE_GAMES = tuple(sorted({file.stem for file in FOLDER.glob("*.sfen")} - {ONLY_MOVE_GAME}))
GRADES = {1: (0, 100), 2: (100, 400), 3: (400, 1600), 4: (1600, 6400), 5: (6400, None)}  # ratings
LINES = re.compile(
    r"(?P<sfen>\S+ [bw] \S+ [0-9]+) # game (?P<number>[0-9]+), (?P<game>[a-z0-9]+): "
    r"(?P<task>mate in|win in|draw)(?: (?P<plies>[0-9]+))?, grade (?P<grade>[1-5])\n"
    r"# solution: (?P<solution>.+); (?P<nodes>[0-9]+) nodes\n"
)


class Published(NamedTuple):
    """A problem. `plies` is 0 for a draw. `solution` has the moves of a mate or, in Dobutsu, each legal move with its
    value."""

    game: str
    number: int
    sfen: str
    task: str
    plies: int
    grade: int
    nodes: int
    solution: list[str]


def published(game: str) -> list[Published]:
    """Return the problems of a file. Raises AssertionError if a line is not in the format."""
    head, _, text = (FOLDER / f"{game}.sfen").read_text("ascii").partition("\n")
    assert head.startswith("# ") and LINES.sub("", text) == "", LINES.sub("", text)[:200]
    return [
        Published(
            found["game"],
            int(found["number"]),
            found["sfen"],
            found["task"],
            int(found["plies"] or 0),
            int(found["grade"]),
            int(found["nodes"]),
            found["solution"].split(", " if game == ONLY_MOVE_GAME else " "),
        )
        for found in LINES.finditer(text)
    ]


def values(problem: Published) -> dict[str, int]:
    """Return the values of the moves of a problem with one right move: plies to the end of the game, negative for a
    loss, or 0 for a draw."""
    return {move: int(value) for move, value in (one.split() for one in problem.solution)}
