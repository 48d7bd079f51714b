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
    """The numbering of a variant's features. First come the squares of the king of the side to move, then those of the
    other king, the other pieces of the side to move by type and square, those of the opponent, and the pieces in both
    hands. In Onitama, the cards of both hands and then the card in the centre replace the pieces in hand. The first
    `rows` features have a row in the relation table: these are all features, or only those of the kings."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        letters, n = variant.letters, variant.squares
        royal = next(letters[piece.letter] for piece in variant.pieces if piece.royal)
        places = [(whose, royal) for whose in (0, 1)]
        places += [(whose, kind) for whose in (0, 1) for kind in letters.values() if kind != royal]
        # (0 for the side to move or 1 for the opponent, piece type) -> feature of that piece on square 0
        self.on_board = {place: index * n for index, place in enumerate(places)}
        count = len(places) * n
        # (0 or 1 as above, piece type or card) -> feature of the first such piece or card in hand
        self.in_hand: dict[tuple[int, int], int] = {}
        for whose in (0, 1):
            for kind, most in self.held:
                self.in_hand[whose, kind] = count
                count += most
        self.in_centre: dict[int, int] = {}  # card -> feature of that card in the centre
        if variant.cards:
            self.in_centre = {card: count + card for card in range(len(CARDS))}
            count += len(CARDS)
        self.count = count
        self.rows = count if n <= LARGEST else KINGS * n

    @property
    def held(self) -> list[tuple[int, int]]:
        """The piece types (in Onitama the cards) that a hand can hold, each as (type or card, maximum number)."""
        if self.variant.cards:
            return [(card, 1) for card in range(len(CARDS))]
        plain = [piece for piece in self.variant.pieces if not piece.royal and not piece.letter.startswith("+")]
        letters, least = self.variant.letters, 2 if self.variant.any_set_up else 0  # for set-ups with more pieces
        most = {piece.letter: max(pieces_of(self.variant, piece.letter), least) for piece in plain}
        return [(letters[letter], min(count, HAND_LIMIT)) for letter, count in most.items()]

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether all pieces move alike to the left and to the right, so that a position can be mirrored to bring a
        king into the left half of the board."""

        def alike(rays: Iterable[tuple[Vector, int]]) -> bool:
            return {((-x, y), limit) for (x, y), limit in rays} == set(rays)

        return not self.variant.cards and all(
            alike([(vector, 1) for vector in piece.steps]) and alike(piece.rays) for piece in self.variant.pieces
        )

    def seen_square(self, side: int, mirrored: bool, square: int) -> int:
        """Return the number of `square` from the point of view of `side`: the board is rotated by 180 degrees for
        White, and its files are reversed if `mirrored`. Applying the function twice gives `square` again."""
        row, column = divmod(square if side == 0 else self.variant.squares - 1 - square, self.variant.files)
        return row * self.variant.files + (self.variant.files - 1 - column if mirrored else column)

    def is_mirrored(self, side: int, king: int) -> bool:
        """Return whether the features for `side` are taken from the mirrored board, given the square of its king."""
        return (
            self.is_symmetric and 2 * (self.seen_square(side, False, king) % self.variant.files) >= self.variant.files
        )

    def swapped(self) -> list[int]:
        """Return a list that maps each feature to the same feature as the opponent sees it, with the board rotated by
        180 degrees."""
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
        """Write the numbering of the features, and the address of the relation table (0 if `table` is None), into a
        weights struct."""
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
        """Return the fields that the JSON line of a relation table file for this variant must contain: format, board
        size, and pieces with their numbers."""
        variant = self.variant
        pieces = [f"{piece.letter}{pieces_of(variant, piece.letter)}" for piece in variant.pieces]
        return {"format": FORMAT, "files": variant.files, "ranks": variant.ranks, "pieces": " ".join(pieces)}

    def stored_indices(self) -> tuple[Any, Any]:
        """Return the row indices and the column indices of the weights that a file stores: the part of the relation
        table above the diagonal, row by row."""
        rows, columns = np.triu_indices(self.count, 1)
        return rows[rows < self.rows], columns[rows < self.rows]


def table_fields(layout: str) -> list[Field]:
    """Return the fields of the weights struct that describe the relation table and the numbering of the features."""
    n = squares(layout)
    return [
        ("pair_table", np.uint64),  # address of the relation table; 0: none
        ("features", np.uint64),  # number of features
        ("partners", np.uint64),  # number of features, first in a position's list, that are paired with all later ones
        ("feature_on_board", np.uint64, (2, TYPES)),  # by (0: side to move, 1: opponent) and type: feature on square 0
        ("feature_in_hand", np.uint64, (2, TYPES)),  # by (0 or 1 as above) and type or card: feature of the first one
        ("most_in_hand", np.uint64, (TYPES,)),  # by type: maximum number in hand; more pieces have no feature
        ("feature_in_centre", np.uint64, (CARD_COUNT,)),  # by card (Onitama)
        ("seen_square", np.uint8, (2, 2, n)),  # by side, mirrored (0 or 1) and square
        ("mirrored", np.uint8, (2, n)),  # 1 if mirrored, by side and square of its king
    ]


def save_table(path: Path, features: Features, table: Table, tempo: int, provenance: dict[str, Any]) -> None:
    """Write a relation table to a file. The file's first line, in JSON, also stores `provenance` and `tempo`. `tempo`
    is a number of centipawns that is added to the tempo in the variant's weights file."""
    head = json.dumps({**features.described(), "tempo": tempo, **provenance}).encode() + b"\n"
    data = head + table[features.stored_indices()].astype("<i2").tobytes()
    write_file(path, lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))


def split_bytes(table: Table) -> bytes:
    """Return a symmetric table as bytes, for exported files: first the low bytes of all weights below the diagonal,
    then their high bytes. Each high byte is XORed with the sign of its low byte. Thus nearly all high bytes become 0,
    which compresses well."""
    numbers = table[np.tril_indices(len(table), -1)]
    low = numbers.astype(np.int8)
    high = numbers >> 8 ^ low >> 7
    return low.tobytes() + high.astype(np.int8).tobytes()


def load_table(path: Path, features: Features) -> tuple[Table, dict[str, Any]]:
    """Return the relation table that a file contains, and the file's JSON line as a dictionary. Raises TableError if
    the file cannot be read, is damaged, or does not fit `features`."""
    try:
        line, _, body = lzma.decompress(path.read_bytes()).partition(b"\n")
        head = json.loads(line)
    except OSError as error:
        raise TableError(f"cannot read the relation table {path}: {error.strerror}") from None
    except (lzma.LZMAError, EOFError, ValueError):
        raise TableError(f"{path} is damaged: it does not contain a relation table") from None
    expected = features.described()
    if (
        not isinstance(head, dict)
        or any(head.get(name) != value for name, value in expected.items())
        or not isinstance(head.get("tempo"), int)
    ):
        raise TableError(f"{path} belongs to another variant or format: its first line must contain {expected}")
    places = features.stored_indices()
    if len(body) != 2 * len(places[0]):
        raise TableError(f"{path} is damaged: its weights take {len(body)} bytes instead of {2 * len(places[0])}")
    table = np.zeros((features.rows, features.count), np.int16)
    table[places] = np.frombuffer(body, "<i2")
    return table + table.T if features.rows == features.count else table, head
