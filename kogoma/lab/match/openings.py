"""Openings: positions to start games from, as files of SFEN lines, and the sets that come with the lab."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from itertools import islice
from pathlib import Path

from kogoma.rules.position import new_position
from kogoma.rules.variants import FILES, Variant

SHIPPED, START = "shipped", "start"  # what may stand in place of a file's name
MADE, MADE_NODES = 50, 1000  # openings for a game without a set, and the nodes that score each
SETS = {"dice-hyper": "dice", "dice-codingame": "dice"}  # variants that share another's set


@dataclass(frozen=True)
class Opening:
    """Where a game starts: an SFEN, and the moves played from there before the engines begin."""

    start: str
    book: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"sfen {self.start} moves {' '.join(self.book)}" if self.book else self.start


def load_openings(source: str, variant: Variant, plies: int | None = None) -> list[Opening]:
    """The openings of a file, of the shipped set (`shipped`), or the variant's start alone (`start`).

    `plies`: how many of the moves are played at most (None: all). ValueError, with file and line, for what is no
    opening of that variant; OSError.
    """
    if source == START:
        return [Opening(variant.start)]
    if source == SHIPPED and variant.name in FILES:
        beside = FILES[variant.name].with_name(f"{variant.name}.sfen")
        if not beside.is_file():
            return _made(variant)
        source = str(beside)
    if source == SHIPPED:
        text = (files("kogoma.lab") / "opening_sets" / f"{SETS.get(variant.name, variant.name)}.sfen").read_text()
        source = f"the shipped openings of {variant.name}"
    else:
        text = Path(source).read_text(encoding="utf-8")
    found = list(_read(text, source, variant, plies))
    if not found:
        raise ValueError(f"{source}: no openings in it")
    return found


def _made(variant: Variant) -> list[Opening]:
    """Openings of a game for which there is no set: always the same."""
    from kogoma.lab.match.opening_maker import Recipe, TooFewOpenings, make_openings

    found: list[Opening] = []
    try:
        found += (Opening(sfen) for sfen in islice(make_openings(Recipe(variant, nodes=MADE_NODES)), MADE))
    except TooFewOpenings:
        pass
    return found or [Opening(variant.start)]


def _read(text: str, source: str, variant: Variant, plies: int | None) -> Iterator[Opening]:
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        before, book = words, list[str]()
        if "moves" in words:
            before, book = words[: words.index("moves")], words[words.index("moves") + 1 :]
        start = variant.start if before == ["startpos"] else " ".join(before[before[0] == "sfen" :])
        opening = Opening(start, tuple(book[:plies]))
        try:
            position = new_position(variant, opening.start)
            for usi in opening.book:
                position.push(usi)
            if position.outcome() is not None:
                raise ValueError("the game is over there")
        except ValueError as error:
            raise ValueError(f"{source}, line {number}: {error}") from None
        yield opening
