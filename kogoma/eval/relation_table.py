"""The relation table of a variant: the numbering of its features, and its file.

A file is xz-compressed: one line of JSON, then the rows of the table as little-endian int16 in centipawns. Of each row
only the part above the diagonal is stored. The JSON contains the variant's board and pieces, a correction of the tempo,
and the table's origin.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kogoma.output_file import write_file
from kogoma.rules.layout import CARDS as CARD_COUNT
from kogoma.rules.layout import FEATURES, HAND_LIMIT, TYPES, Field, squares
from kogoma.rules.notation import pieces_of
from kogoma.rules.onitama_cards import CARDS
from kogoma.rules.variants import Variant, Vector

FORMAT = "kogoma relations 1"
KINGS = 2
LARGEST = 64  # maximum number of squares with a row for every feature; for 9x9 such a table has 10 MB and is slow
Table = np.ndarray[Any, np.dtype[np.int16]]  # (rows, features); symmetric where every feature has a row


class TableError(RuntimeError):
    """A relation table is missing, damaged, or belongs to another variant."""


class Features:
    """The numbering of a variant's features. First the king of the side to move by square, then the other king, the
    other pieces of the side to move by type and square, those of the opponent, and both hands; in Onitama the cards of
    both hands and the one in the centre. The first `rows` features have a row in the table: all of them, or only those
    of the kings."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        letters, n = variant.letters, variant.squares
        royal = next(letters[piece.letter] for piece in variant.pieces if piece.royal)
        places = [(whose, royal) for whose in (0, 1)]
        places += [(whose, kind) for whose in (0, 1) for kind in letters.values() if kind != royal]
        # (0 side to move, 1 opponent; type) -> feature on square 0
        self.on_board = {place: index * n for index, place in enumerate(places)}
        count = len(places) * n
        self.in_hand: dict[tuple[int, int], int] = {}  # (0 or 1, type or card) -> feature of the first one
        for whose in (0, 1):
            for kind, most in self.held:
                self.in_hand[whose, kind] = count
                count += most
        self.in_centre: dict[int, int] = {}  # card -> feature
        if variant.cards:
            self.in_centre = {card: count + card for card in range(len(CARDS))}
            count += len(CARDS)
        self.count = count
        self.rows = count if n <= LARGEST else KINGS * n

    @property
    def held(self) -> list[tuple[int, int]]:
        """The list of (piece type or card, maximum number) that a hand can hold."""
        if self.variant.cards:
            return [(card, 1) for card in range(len(CARDS))]
        plain = [piece for piece in self.variant.pieces if not piece.royal and not piece.letter.startswith("+")]
        letters, least = self.variant.letters, 2 if self.variant.any_set_up else 0  # per side
        most = {piece.letter: max(pieces_of(self.variant, piece.letter), least) for piece in plain}
        return [(letters[letter], min(count, HAND_LIMIT)) for letter, count in most.items()]

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether all pieces move symmetrically, so that positions can be mirrored to one half of the board."""

        def alike(rays: Iterable[tuple[Vector, int]]) -> bool:
            return {((-x, y), limit) for (x, y), limit in rays} == set(rays)

        return not self.variant.cards and all(
            alike([(vector, 1) for vector in piece.steps]) and alike(piece.rays) for piece in self.variant.pieces
        )

    def seen_square(self, side: int, mirrored: bool, square: int) -> int:
        """Return a square from a side's point of view, with files reversed if `mirrored`. Self-inverse."""
        row, column = divmod(square if side == 0 else self.variant.squares - 1 - square, self.variant.files)
        return row * self.variant.files + (self.variant.files - 1 - column if mirrored else column)

    def is_mirrored(self, side: int, king: int) -> bool:
        """Return whether the board is mirrored for a side whose king is on the square `king`."""
        return (
            self.is_symmetric and 2 * (self.seen_square(side, False, king) % self.variant.files) >= self.variant.files
        )

    def swapped(self) -> list[int]:
        """Return, by feature, the same feature from the opponent's point of view (the board rotated by 180 degrees)."""
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
        """Write the numbering and the table's address into a weights struct."""
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
        """Return the JSON fields with which a file must agree: format, board size, and pieces with their numbers."""
        variant = self.variant
        pieces = [f"{piece.letter}{pieces_of(variant, piece.letter)}" for piece in variant.pieces]
        return {"format": FORMAT, "files": variant.files, "ranks": variant.ranks, "pieces": " ".join(pieces)}

    def stored_indices(self) -> tuple[Any, Any]:
        """Return the indices of the part of the table that a file stores, row by row."""
        rows, columns = np.triu_indices(self.count, 1)
        return rows[rows < self.rows], columns[rows < self.rows]


def table_fields(layout: str) -> list[Field]:
    """Return the fields of the weights struct that describe the table."""
    n = squares(layout)
    return [
        ("pair_table", np.uint64),  # address of the table; 0: none
        ("features", np.uint64),  # number of features
        ("partners", np.uint64),  # so many features, from the start of a list, are paired with all later features of it
        ("feature_on_board", np.uint64, (2, TYPES)),  # (0 side to move, 1 opponent; type) -> feature on square 0
        ("feature_in_hand", np.uint64, (2, TYPES)),  # (0 or 1, type or card) -> feature of the first one
        ("most_in_hand", np.uint64, (TYPES,)),  # by type: maximum number of pieces in hand that have features
        ("feature_in_centre", np.uint64, (CARD_COUNT,)),  # Onitama: by card
        ("seen_square", np.uint8, (2, 2, n)),  # (side, mirrored, square)
        ("mirrored", np.uint8, (2, n)),  # (side, its king's square)
    ]


def save_table(path: Path, features: Features, table: Table, tempo: int, provenance: dict[str, Any]) -> None:
    """Write a table file. `tempo`, which is added to that of the weights file, and `provenance` are stored
    in its JSON line."""
    head = json.dumps({**features.described(), "tempo": tempo, **provenance}).encode() + b"\n"
    data = head + table[features.stored_indices()].astype("<i2").tobytes()
    write_file(path, lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))


def split_bytes(table: Table) -> bytes:
    """Return a symmetric table as bytes, for exported files: low bytes of the lower triangle, then high bytes. High
    bytes are XORed with the sign of the low byte, so that nearly all become 0, which compresses well."""
    numbers = table[np.tril_indices(len(table), -1)]
    low = numbers.astype(np.int8)
    high = numbers >> 8 ^ low >> 7
    return low.tobytes() + high.astype(np.int8).tobytes()


def load_table(path: Path, features: Features) -> tuple[Table, dict[str, Any]]:
    """Return the table of a file and its JSON line. Raises TableError if the file is damaged or does not fit these
    features."""
    try:
        line, _, body = lzma.decompress(path.read_bytes()).partition(b"\n")
        head = json.loads(line)
    except OSError as error:
        raise TableError(f"{path}: {error.strerror}: cannot read the relation table") from None
    except (lzma.LZMAError, EOFError, ValueError):
        raise TableError(f"{path} is damaged: it does not contain a relation table") from None
    expected = features.described()
    if (
        not isinstance(head, dict)
        or any(head.get(name) != value for name, value in expected.items())
        or not isinstance(head.get("tempo"), int)
    ):
        raise TableError(f"{path} holds a relation table of another variant or format: {expected} expected")
    places = features.stored_indices()
    if len(body) != 2 * len(places[0]):
        raise TableError(f"{path} is damaged: {len(body)} bytes do not fit {features.count} features")
    table = np.zeros((features.rows, features.count), np.int16)
    table[places] = np.frombuffer(body, "<i2")
    return table + table.T if features.rows == features.count else table, head
