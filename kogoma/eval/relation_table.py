"""The table of `eval.relations`: how its features are numbered for a variant, and the file it is kept in.

A file is xz: one line of JSON, then the table as little-endian int16 in centipawns: for each feature that has a row,
each one of a higher number. The line tells which game it is for, what is to be added to the tempo, and where it comes
from. xz's own checksum guards both.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kogoma.rules.layout import CARDS as CARD_COUNT
from kogoma.rules.layout import FEATURES, HAND_LIMIT, TYPES, Field, squares
from kogoma.rules.notation import pieces_of
from kogoma.rules.onitama_cards import CARDS
from kogoma.rules.variants import Variant, Vector

FORMAT = "kogoma relations 1"
KINGS = 2
LARGEST = 64  # squares of a board whose pieces all have rows: the table of 9x9 would be 10 MB, too slow to read from
Table = np.ndarray[Any, np.dtype[np.int16]]  # (rows, features); symmetric where every feature has a row


class TableError(RuntimeError):
    """A file with a table that is missing, damaged or made for another game."""


class Features:
    """How the features of a variant are numbered: the mover's king by its square, the other king, all other pieces of
    the mover by type and square, then the other side's, then both hands; in Onitama the cards of both hands, and the
    one in the centre.

    `rows` is how many of them have a row in the table: all, or the two kings alone.
    """

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        letters, n = variant.letters, variant.squares
        royal = next(letters[piece.letter] for piece in variant.pieces if piece.royal)
        places = [(whose, royal) for whose in (0, 1)]
        places += [(whose, kind) for whose in (0, 1) for kind in letters.values() if kind != royal]
        # (0 the mover's, 1 the other side's; type) -> number on square 0
        self.on_board = {place: index * n for index, place in enumerate(places)}
        count = len(places) * n
        self.in_hand: dict[tuple[int, int], int] = {}  # likewise, of the first piece; Onitama: (.., card)
        for whose in (0, 1):
            for kind, most in self.held:
                self.in_hand[whose, kind] = count
                count += most
        self.in_centre: dict[int, int] = {}  # card -> number
        if variant.cards:
            self.in_centre = {card: count + card for card in range(len(CARDS))}
            count += len(CARDS)
        self.count = count
        self.rows = count if n <= LARGEST else KINGS * n

    @property
    def held(self) -> list[tuple[int, int]]:
        """What a hand may hold: types, or cards, each with the most there can be."""
        if self.variant.cards:
            return [(card, 1) for card in range(len(CARDS))]
        plain = [piece for piece in self.variant.pieces if not piece.royal and not piece.letter.startswith("+")]
        letters, least = self.variant.letters, 2 if self.variant.any_set_up else 0  # one of each side's
        most = {piece.letter: max(pieces_of(self.variant, piece.letter), least) for piece in plain}
        return [(letters[letter], min(count, HAND_LIMIT)) for letter, count in most.items()]

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether left and right are alike, so that one half of the board serves both."""

        def alike(rays: Iterable[tuple[Vector, int]]) -> bool:
            return {((-x, y), limit) for (x, y), limit in rays} == set(rays)

        return not self.variant.cards and all(
            alike([(vector, 1) for vector in piece.steps]) and alike(piece.rays) for piece in self.variant.pieces
        )

    def seen_square(self, side: int, mirrored: bool, square: int) -> int:
        """A square as a side sees it, and the other way round."""
        row, column = divmod(square if side == 0 else self.variant.squares - 1 - square, self.variant.files)
        return row * self.variant.files + (self.variant.files - 1 - column if mirrored else column)

    def is_mirrored(self, side: int, king: int) -> bool:
        """Whether a side whose king is on that square sees left and right exchanged."""
        return (
            self.is_symmetric and 2 * (self.seen_square(side, False, king) % self.variant.files) >= self.variant.files
        )

    def swapped(self) -> list[int]:
        """Number -> that of the same thing for the other side, which sees the board turned by 180 degrees."""
        found = list(range(self.count))
        for (whose, kind), first in self.on_board.items():
            for square in range(self.variant.squares):
                found[first + square] = self.on_board[1 - whose, kind] + self.variant.squares - 1 - square
        for kind, most in self.held:
            for nth in range(most):
                own, enemy = self.in_hand[0, kind] + nth, self.in_hand[1, kind] + nth
                found[own], found[enemy] = enemy, own
        return found

    def fill(self, weights: Any, table: Table | None) -> None:
        """Write the numbering, and where the table is, into a record of weights."""
        weights["pair_table"] = 0 if table is None else table.ctypes.data
        weights["features"] = self.count
        weights["partners"] = FEATURES if self.rows == self.count else KINGS
        for (whose, kind), first in self.on_board.items():
            weights["feature_on_board"][whose, kind] = first
        for (whose, kind), first in self.in_hand.items():
            weights["feature_in_hand"][whose, kind] = first
        if not self.variant.cards:
            for kind, most in self.held:
                weights["most_in_hand"][kind] = most
        for card, number in self.in_centre.items():
            weights["feature_in_centre"][card] = number
        for side in (0, 1):
            for square in range(self.variant.squares):
                weights["mirrored"][side, square] = self.is_mirrored(side, square)
                for mirrored in (0, 1):
                    weights["seen_square"][side, mirrored, square] = self.seen_square(side, bool(mirrored), square)

    def described(self) -> dict[str, Any]:
        """What a file has to agree with: board, pieces and hands in their order."""
        variant = self.variant
        pieces = [f"{piece.letter}{pieces_of(variant, piece.letter)}" for piece in variant.pieces]
        return {"format": FORMAT, "files": variant.files, "ranks": variant.ranks, "pieces": " ".join(pieces)}

    def above_diagonal(self) -> tuple[Any, Any]:
        """Indices of what a file holds of the table, row by row."""
        rows, columns = np.triu_indices(self.count, 1)
        return rows[rows < self.rows], columns[rows < self.rows]


def table_fields(layout: str) -> list[Field]:
    """The fields that the record of weights has for it."""
    n = squares(layout)
    return [
        ("pair_table", np.uint64),  # its address; 0: there is none
        ("features", np.uint64),  # how many there are
        ("partners", np.uint64),  # so many at the beginning of a list of features are paired with those behind them
        ("feature_on_board", np.uint64, (2, TYPES)),  # (the mover's or not, type) -> the number on square 0
        ("feature_in_hand", np.uint64, (2, TYPES)),  # likewise, of the first piece; Onitama: (.., card)
        ("most_in_hand", np.uint64, (TYPES,)),  # of a type that have numbers
        ("feature_in_centre", np.uint64, (CARD_COUNT,)),  # Onitama: by card
        ("seen_square", np.uint8, (2, 2, n)),  # (side, mirrored, square)
        ("mirrored", np.uint8, (2, n)),  # (side, its king's square)
    ]


def save_table(path: Path, features: Features, table: Table, tempo: int, provenance: dict[str, Any]) -> None:
    """Write a file; `tempo` (to be added to the weights' own) and `provenance` go into its line of JSON."""
    head = json.dumps({**features.described(), "tempo": tempo, **provenance}).encode() + b"\n"
    data = head + table[features.above_diagonal()].astype("<i2").tobytes()
    temporary = path.with_suffix(".part")
    temporary.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))
    temporary.replace(path)


def split_bytes(table: Table) -> bytes:
    """A symmetric table for what has no numpy: of each two features, row by row below the diagonal, the low bytes of
    all numbers, then the high ones, each xored with what the low byte's sign would make of it. So nearly all high bytes
    are 0, and compression finds little but low ones."""
    numbers = table[np.tril_indices(len(table), -1)]
    low = numbers.astype(np.int8)
    high = numbers >> 8 ^ low >> 7
    return low.tobytes() + high.astype(np.int8).tobytes()


def load_table(path: Path, features: Features) -> tuple[Table, dict[str, Any]]:
    """(the table of a file, its line of JSON); TableError if it is not a whole file for these features."""
    try:
        line, _, body = lzma.decompress(path.read_bytes()).partition(b"\n")
        head = json.loads(line)
    except OSError as error:
        raise TableError(f"{path}: {error.strerror}: the evaluation's table is missing") from None
    except (lzma.LZMAError, EOFError, ValueError):
        raise TableError(f"{path} is damaged: it holds no table for the evaluation") from None
    expected = features.described()
    if (
        not isinstance(head, dict)
        or any(head.get(name) != value for name, value in expected.items())
        or not isinstance(head.get("tempo"), int)
    ):
        raise TableError(f"{path} holds a table of another game or format: {expected} expected")
    places = features.above_diagonal()
    if len(body) != 2 * len(places[0]):
        raise TableError(f"{path} is damaged: {len(body)} bytes do not fit {features.count} features")
    table = np.zeros((features.rows, features.count), np.int16)
    table[places] = np.frombuffer(body, "<i2")
    return table + table.T if features.rows == features.count else table, head
