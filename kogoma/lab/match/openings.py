"""Openings: positions from which games start, in files of SFEN lines, and the sets that come with the lab."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from io import BytesIO
from itertools import islice
from pathlib import Path

from kogoma.lab.kifu.formats import lines_of
from kogoma.lab.kifu.game import GameError
from kogoma.lab.kifu.usi_lines import split_line
from kogoma.rules.position import new_position
from kogoma.rules.variants import CUSTOM_FILES, Variant

SHIPPED, START = "shipped", "start"  # names of openings that are not files
MADE, MADE_NODES = 50, 1000  # for a variant without a set: number of openings, and nodes to score each
SETS = {"dice-hyper": "dice", "dice-codingame": "dice"}  # variants that share another's set


@dataclass(frozen=True)
class Opening:
    """The start of a game: an SFEN, and the moves played before the engines begin."""

    start: str
    book: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"sfen {self.start} moves {' '.join(self.book)}" if self.book else self.start


def load_openings(source: str, variant: Variant, plies: int | None = None) -> list[Opening]:
    """Return the openings in the file `source`; "shipped" stands for the built-in set and "start" for the variant's
    start position. Each opening is cut off after `plies` moves (None: not at all). Raises ValueError, which names file
    and line, for a line that is not an opening of the variant, and OSError if the file cannot be read."""
    if source == START:
        return [Opening(variant.start)]
    if source == SHIPPED and variant.name in CUSTOM_FILES:
        beside = CUSTOM_FILES[variant.name].with_name(f"{variant.name}.sfen")
        if not beside.is_file():
            return _made(variant)
        source = str(beside)
    if source == SHIPPED:
        name = f"{SETS.get(variant.name, variant.name)}.sfen"
        data = (files("kogoma.lab") / "opening_sets" / name).read_bytes()
        source = f"the shipped openings of {variant.name}"
    else:
        data = Path(source).read_bytes()
    try:
        lines = list(lines_of(BytesIO(data)))
    except GameError as error:
        raise ValueError(f"{source}, {error}") from None
    found = list(_read(lines, source, variant, plies))
    if not found:
        raise ValueError(f"{source} contains no openings")
    return found


def _made(variant: Variant) -> list[Opening]:
    """Return openings for a variant that has no built-in set. They are the same at each call."""
    from kogoma.lab.match.opening_maker import Recipe, TooFewOpenings, make_openings

    found: list[Opening] = []
    try:
        found += (Opening(sfen) for sfen in islice(make_openings(Recipe(variant, nodes=MADE_NODES)), MADE))
    except TooFewOpenings:
        pass
    return found or [Opening(variant.start)]


def _read(lines: Iterable[str], source: str, variant: Variant, plies: int | None) -> Iterator[Opening]:
    for number, line in enumerate(lines, 1):
        try:
            sfen, book, _ = split_line(line)
            if sfen is None:
                continue
            start = variant.start if sfen == "startpos" else sfen
            position = new_position(variant, start)
            for usi in book[:plies]:
                position.push(usi)
            if position.outcome() is not None:
                raise ValueError("the game is already over in this position")
        except ValueError as error:
            raise ValueError(f"{source}, line {number}: {error}") from None
        yield Opening(start, tuple(position.moves))
