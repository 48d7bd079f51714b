"""The tables of `eval.relations`: how their features are numbered for a variant, and the files they are kept in.

A file is xz: one line of JSON, then two tables of little-endian int16 in centipawns: for each square of the king and
each feature; then for each feature and each one of a lower number. The line tells which game they are for, what is to
be added to the tempo, and where they come from. xz's own checksum guards both.
"""

from __future__ import annotations

import json
import lzma
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rules.native.layout import CARDS as CARD_COUNT
from rules.native.layout import HAND_LIMIT, TYPES, Field, squares
from rules.notation import pieces_of
from rules.onitama.cards import CARDS
from rules.variants import Variant, Vector

FORMAT = "kogoma relations 1"
Table = np.ndarray[Any, np.dtype[np.int16]]


class TableError(RuntimeError):
    """A file of tables that is missing, damaged or made for another game."""


class Tables(NamedTuple):
    """`king`: (king squares, features); `pair`: (features, features), symmetric, with nothing on its diagonal."""

    king: Table
    pair: Table


class Features:
    """How the features of a variant are numbered: own pieces by type and square, then the other side's with its king,
    then both hands; in Onitama the cards."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.on_board: dict[tuple[int, int], int] = {}  # (0 own, 1 enemy; type) -> number on square 0
        self.in_hand: dict[
            tuple[int, int], int
        ] = {}  # (own or enemy, type) -> number of the first piece; or (.., card)
        self.in_centre: dict[tuple[int, int], int] = {}  # (0 comes to the own hand, 1 to the enemy's; card) -> number
        letters = variant.letters
        count = 0
        for whose in (0, 1):
            for piece in variant.pieces:
                if whose == 0 and piece.royal:
                    continue
                self.on_board[whose, letters[piece.letter]] = count
                count += variant.squares
        for whose in (0, 1):
            for kind, most in self._held():
                self.in_hand[whose, kind] = count
                count += most
        for whose in (0, 1):
            for card in range(len(CARDS) if variant.cards else 0):
                self.in_centre[whose, card] = count
                count += 1
        self.count = count
        self.king_files = (variant.files + 1) // 2 if self.is_symmetric else variant.files
        self.kings = self.king_files * variant.ranks

    def _held(self) -> list[tuple[int, int]]:
        """What a hand may hold: types, or cards, each with the most there can be."""
        if self.variant.cards:
            return [(card, 1) for card in range(len(CARDS))]
        plain = [piece for piece in self.variant.pieces if not piece.royal and not piece.letter.startswith("+")]
        letters = self.variant.letters
        return [(letters[piece.letter], min(pieces_of(self.variant, piece.letter), HAND_LIMIT)) for piece in plain]

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether left and right are alike, so that one half of the board serves both."""

        def alike(vectors: tuple[Vector, ...]) -> bool:
            return {(-x, y) for x, y in vectors} == set(vectors)

        return not self.variant.cards and all(
            alike(piece.steps) and alike(piece.slides) for piece in self.variant.pieces
        )

    def seen_square(self, side: int, mirrored: bool, square: int) -> int:
        """A square as the king of a side sees it."""
        row, column = divmod(square if side == 0 else self.variant.squares - 1 - square, self.variant.files)
        return row * self.variant.files + (self.variant.files - 1 - column if mirrored else column)

    def is_mirrored(self, side: int, king: int) -> bool:
        """Whether a king on that square sees left and right exchanged."""
        return self.seen_square(side, False, king) % self.variant.files >= self.king_files

    def king_bucket(self, side: int, king: int) -> int:
        """The number of the king's square as it sees it."""
        row, column = divmod(self.seen_square(side, self.is_mirrored(side, king), king), self.variant.files)
        return row * self.king_files + column

    def fill(self, weights: Any, tables: Tables | None) -> None:
        """Write the numbering, and where the tables are, into a record of weights."""
        if tables is not None:
            weights["king_table"], weights["pair_table"] = tables.king.ctypes.data, tables.pair.ctypes.data
        weights["features"] = self.count
        for (whose, kind), first in self.on_board.items():
            weights["feature_on_board"][whose, kind] = first
        for (whose, kind), first in self.in_hand.items():
            weights["feature_in_hand"][whose, kind] = first
        for (whose, card), number in self.in_centre.items():
            weights["feature_in_centre"][whose, card] = number
        for side in (0, 1):
            for square in range(self.variant.squares):
                weights["mirrored"][side, square] = self.is_mirrored(side, square)
                weights["king_bucket"][side, square] = self.king_bucket(side, square)
                for mirrored in (0, 1):
                    weights["seen_square"][side, mirrored, square] = self.seen_square(side, bool(mirrored), square)

    def described(self) -> dict[str, Any]:
        """What a file has to agree with: board, pieces and hands in their order."""
        variant = self.variant
        pieces = [f"{piece.letter}{pieces_of(variant, piece.letter)}" for piece in variant.pieces]
        return {"format": FORMAT, "files": variant.files, "ranks": variant.ranks, "pieces": " ".join(pieces)}


def table_fields(layout: str) -> list[Field]:
    """The fields that the record of weights has for them."""
    n = squares(layout)
    return [
        ("king_table", np.uint64),  # addresses; 0: there are none
        ("pair_table", np.uint64),
        ("features", np.uint64),  # how many there are
        ("feature_on_board", np.uint64, (2, TYPES)),  # (own or enemy, type) -> the number on square 0
        ("feature_in_hand", np.uint64, (2, TYPES)),  # likewise, of the first piece; Onitama: (own or enemy, card)
        ("feature_in_centre", np.uint64, (2, CARD_COUNT)),  # Onitama: (whose it will be, card)
        ("seen_square", np.uint8, (2, 2, n)),  # (side, mirrored, square)
        ("mirrored", np.uint8, (2, n)),  # (side, its king's square)
        ("king_bucket", np.uint16, (2, n)),
    ]


def save_tables(path: Path, features: Features, tables: Tables, tempo: int, provenance: dict[str, Any]) -> None:
    """Write a file of tables; `tempo` (to be added to the weights' own) and `provenance` go into its line of JSON."""
    head = json.dumps({**features.described(), "tempo": tempo, **provenance}).encode() + b"\n"
    data = head + tables.king.astype("<i2").tobytes() + _lower(tables).astype("<i2").tobytes()
    temporary = path.with_suffix(".part")
    temporary.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))
    temporary.replace(path)


def split_bytes(tables: Tables) -> bytes:
    """Both tables for what has no numpy: of each two features of different numbers, then of `king`, the low bytes of
    all numbers, then the high ones, each xored with what the low byte's sign would make of it. So nearly all high bytes
    are 0, and compression finds little but low ones."""
    numbers = np.concatenate([_lower(tables), tables.king.ravel()]).astype(np.int16)
    low = numbers.astype(np.int8)
    high = numbers >> 8 ^ low >> 7
    return low.tobytes() + high.astype(np.int8).tobytes()


def _lower(tables: Tables) -> Table:
    """The pair table below its diagonal, row by row."""
    return tables.pair[np.tril_indices(len(tables.pair), -1)]


def load_tables(path: Path, features: Features) -> tuple[Tables, dict[str, Any]]:
    """(the tables of a file, its line of JSON); TableError if it is not a whole file for these features."""
    try:
        line, _, body = lzma.decompress(path.read_bytes()).partition(b"\n")
        head = json.loads(line)
    except OSError as error:
        raise TableError(f"{path}: {error.strerror}: the evaluation's tables are missing") from None
    except (lzma.LZMAError, EOFError, ValueError):
        raise TableError(f"{path} is damaged: it holds no tables for the evaluation") from None
    expected = features.described()
    if (
        not isinstance(head, dict)
        or any(head.get(name) != value for name, value in expected.items())
        or not isinstance(head.get("tempo"), int)
    ):
        raise TableError(f"{path} holds tables of another game or format: {expected} expected")
    n, kings = features.count, features.kings
    numbers = np.frombuffer(body, "<i2") if len(body) == 2 * (kings * n + n * (n - 1) // 2) else None
    if numbers is None:
        raise TableError(f"{path} is damaged: {len(body)} bytes of tables do not fit {n} features")
    pair = np.zeros((n, n), np.int16)
    pair[np.tril_indices(n, -1)] = numbers[kings * n :]
    return Tables(np.ascontiguousarray(numbers[: kings * n].reshape(kings, n), np.int16), pair + pair.T), head
