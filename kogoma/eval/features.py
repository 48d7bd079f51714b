"""The features of a variant: the numbers that stand for its pieces on squares, in hand, and cards."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from kogoma.rules.layout import CARDS as CARD_COUNT
from kogoma.rules.layout import HAND_LIMIT, TYPES, Field, squares
from kogoma.rules.notation import pieces_of
from kogoma.rules.onitama_cards import CARDS
from kogoma.rules.variants import Variant, Vector, can_be_held


class Features:
    """The numbering of a variant's features, as one side sees the position. First come the squares of that side's king,
    then those of the other king, the side's other pieces by type and square, those of the opponent, and the pieces in
    both hands. In Onitama, the cards of both hands and then the card in the centre replace the pieces in hand."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        letters, n = variant.letters, variant.squares
        royal = next(letters[piece.letter] for piece in variant.pieces if piece.royal)
        places = [(whose, royal) for whose in (0, 1)]
        places += [(whose, kind) for whose in (0, 1) for kind in letters.values() if kind != royal]
        # (0 for the side that sees the position or 1 for its opponent, piece type) -> feature of that piece on square 0
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

    @property
    def held(self) -> list[tuple[int, int]]:
        """The piece types (in Onitama the cards) that a hand can hold, each as (type or card, maximum number)."""
        if self.variant.cards:
            return [(card, 1) for card in range(len(CARDS))]
        plain = [piece for piece in self.variant.pieces if can_be_held(self.variant, piece)]
        letters, least = self.variant.letters, 2 if self.variant.any_set_up else 0  # for set-ups with more pieces
        most = {piece.letter: max(pieces_of(self.variant, piece.letter), least) for piece in plain}
        return [(letters[letter], min(count, HAND_LIMIT)) for letter, count in most.items()]

    def shared(self) -> np.ndarray[Any, np.dtype[np.intp]]:
        """Return an array with two numbers for each feature, from `count` on, which stand for what it has in common
        with other features. For a piece on the board, these are its type and owner together with its row, and together
        with its column. For a piece in hand, both numbers stand for its type and owner. Cards have nothing in
        common."""
        found, files = np.zeros((self.count, 2), np.intp), self.variant.files
        ranks, count = self.variant.ranks, self.count
        for first in self.on_board.values():
            for square in range(self.variant.squares):
                row, column = divmod(square, files)
                found[first + square] = count + row, count + ranks + column
            count += ranks + files
        starts = sorted([*self.in_hand.values(), *self.in_centre.values(), self.count])
        for start, end in itertools.pairwise(starts):
            found[start:end] = count
            count += 1
        return found

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

    def fill(self, weights: Any) -> None:
        """Write the numbering into a weights struct."""
        weights["features"] = self.count
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


def feature_fields(layout: str) -> list[Field]:
    """Return the fields of the weights struct that describe the numbering of the features."""
    n = squares(layout)
    return [
        ("features", np.uint64),  # number of features
        ("feature_on_board", np.uint64, (2, TYPES)),  # by (0: own, 1: the opponent's) and type: feature on square 0
        ("feature_in_hand", np.uint64, (2, TYPES)),  # by (0 or 1 as above) and type or card: feature of the first one
        ("most_in_hand", np.uint64, (TYPES,)),  # by type: maximum number in hand; more pieces have no feature
        ("feature_in_centre", np.uint64, (CARD_COUNT,)),  # by card (Onitama)
        ("seen_square", np.uint8, (2, 2, n)),  # by side, mirrored (0 or 1) and square
        ("mirrored", np.uint8, (2, n + 1)),  # 1 if mirrored, by side and square of its king; 0 if that is in hand
    ]
