"""The base class of the positions of all variants: a start position, the moves played since, and the kernels'
struct."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Self

import numpy as np

from kogoma.rules.layout import HISTORY, REMOVED, moves_dtype, position_dtype
from kogoma.rules.library import rules_library
from kogoma.rules.outcome import Outcome, decoded
from kogoma.rules.rules_struct import layout_of, rules_struct
from kogoma.rules.structs import Struct, clear, fields, move_list, new_struct
from kogoma.rules.variants import Variant, find

UNINTERRUPTED = 5  # plies of perft per kernel call


class BasePosition(ABC):
    """A position and the game that led to it. `rules.position.new_position` creates the right subclass for a
    variant."""

    def __init__(self, variant: Variant | str, sfen: str | None = None) -> None:
        """Set up the variant's start position, or an SFEN. Raises ValueError if the SFEN is not a position of the
        variant."""
        self.variant = find(variant) if isinstance(variant, str) else variant
        self.start_sfen = self.variant.start if sfen is None else sfen
        self.rules = rules_struct(self.variant)
        self.struct: Struct = new_struct(position_dtype(layout_of(self.variant)))
        self._library = rules_library(layout_of(self.variant))
        # Entry points accept these addresses instead of the structs.
        self.addresses = self._library.struct_addresses(self.rules, self.struct)
        self._start()
        self.moves: list[str] = []
        self._codes: list[int] = []
        self._removed = np.zeros(0, np.uint64)  # keys of the plies that the struct does not contain any more

    @abstractmethod
    def _start(self) -> None:
        """Fill the empty struct from `start_sfen`."""

    @abstractmethod
    def _encode(self, usi: str) -> int:
        """Return the code of a USI move, legal or not. Raises ValueError if the text cannot be a move."""

    @abstractmethod
    def variation(self, moves: list[int]) -> list[str]:
        """Convert a variation, given as move codes played from this position, to USI moves."""

    @abstractmethod
    def sfen(self) -> str:
        """Return the position as SFEN, with the move number."""

    @property
    def checkers(self) -> list[str]:
        """The USI squares of the pieces that give check; empty in variants without checks."""
        return []

    @property
    def in_check(self) -> bool:
        """Whether the side to move is in check; False in variants without checks."""
        return False

    @property
    def fields(self) -> Any:
        """The struct's fields by name, for reading."""
        return fields(self.struct)

    @property
    def turn(self) -> int:
        """The side to move: 0 for Black, 1 for White."""
        return int(self.fields["side"])

    @property
    def ply(self) -> int:
        """The number of plies played. Plies before the start position are included, as counted by the move number of
        its SFEN."""
        return int(self.fields["game_ply"]) + int(self.fields["ply"])

    @property
    def key(self) -> int:
        """The 64-bit Zobrist hash key of the board, the hands or cards, and the side to move."""
        return int(self.fields["key"][int(self.fields["ply"])])

    @property
    def last_code(self) -> int | None:
        """The code of the last move (`rules.move_encoding`), or None if no move has been played."""
        return self._codes[-1] if self._codes else None

    @property
    def times_seen(self) -> int:
        """How often this position has occurred in the game; 1 if it is new."""
        keys = self.fields["key"][: int(self.fields["ply"]) + 1]
        return int(np.count_nonzero(keys == keys[-1]) + np.count_nonzero(self._removed == keys[-1]))

    def outcome(self) -> Outcome | None:
        """Return how the game has ended by the rules of the variant, or None if it goes on."""
        removed, last_ply = self._removed, self.variant.max_plies
        earlier = removed if len(removed) else 0  # the address of an array takes as long as the call
        code = self._library("outcome", *self.addresses, earlier, len(removed), last_ply)
        return decoded(code, self.turn) if code else None

    def legal_codes(self, roll: int = 0) -> list[int]:
        """Return the legal moves as move codes (`rules.move_encoding`), or those that a die roll from 1 to 6 allows."""
        buffer = move_list()
        count = self._library("legal_moves", *self.addresses, buffer, roll)
        found: list[int] = buffer[:count].tolist()
        return found

    def legal_moves(self) -> list[str]:
        """Return the legal moves in USI notation, in no particular order."""
        return [self.usi(move) for move in self.legal_codes()]

    def may_declare(self) -> bool:
        """Return whether the side to move may declare a win (9x9 shogi, `rules.ending`)."""
        return bool(self._library("declares", *self.addresses))

    def code(self, usi: str) -> int:
        """Return the code of a legal USI move. Raises ValueError if it is not legal here."""
        move = self._encode(usi)
        if not self._library("may_play", *self.addresses, move):
            raise ValueError(f"illegal move {usi!r} in {self.sfen()}")
        return move

    def usi(self, move: int) -> str:
        """Convert a move code to USI notation."""
        return self.variation([move])[0]

    def push(self, usi: str) -> None:
        """Play a USI move. Raises ValueError, and changes nothing, if it is not legal."""
        move = self.code(usi)
        self.moves.append(self.usi(move))
        self._play(move)

    def _play(self, move: int) -> None:
        if int(self.fields["ply"]) >= HISTORY:  # `outcome` still sees the plies that are removed now, searches do not
            self._removed = np.append(self._removed, self.fields["key"][:REMOVED])
        self._library("play", *self.addresses, move)
        self._codes.append(move)

    def pop(self) -> None:
        """Take the last move back. Raises ValueError at the start position."""
        if not self.moves:
            raise ValueError("no move to take back")
        self.moves.pop()
        if len(self._removed) and int(self.fields["ply"]) == 1:  # all moves are played again, to restore removed plies
            codes, self._codes, self._removed = self._codes[:-1], [], self._removed[:0]
            clear(self.struct)
            self._start()
            for move in codes:
                self._play(move)
            return
        self._library("take_back", *self.addresses)
        self._codes.pop()

    def copy(self) -> Self:
        """Return an independent copy of the game."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.struct = self.struct.copy()
        twin.addresses = self._library.struct_addresses(self.rules, twin.struct)
        twin.moves, twin._codes = self.moves.copy(), self._codes.copy()
        twin.__dict__.pop("_move_lists", None)
        return twin

    @cached_property
    def _move_lists(self) -> Struct:
        return new_struct(moves_dtype(layout_of(self.variant)))

    def perft(self, depth: int) -> int:
        """Return the number of leaf nodes of the move tree of `depth` plies."""
        if not 0 <= depth < 100:
            raise ValueError(f"perft: the depth must be from 0 to 99, not {depth}")
        return self._library("perft", *self.addresses, self._move_lists, depth)

    def divide(self, depth: int, stopped: Callable[[], bool] = lambda: False) -> Iterator[tuple[str, int]]:
        """Yield (first move, number of leaf nodes below it), each pair as soon as it is counted. Raises ValueError
        unless `depth` is at least 1. `stopped` is called between kernel calls; if it returns True, the iteration
        ends."""
        if depth < 1:
            raise ValueError(f"perft: the depth must be at least 1, not {depth}")
        for move in self.legal_moves():
            self.push(move)
            count = self._perft_in_parts(depth - 1, stopped)
            self.pop()
            if stopped():
                return
            yield move, count

    def _perft_in_parts(self, depth: int, stopped: Callable[[], bool]) -> int:
        """Return the result of `perft`. The kernel is called for at most UNINTERRUPTED plies at a time, so that
        `stopped` is checked often enough."""
        if depth <= UNINTERRUPTED:
            return self.perft(depth)
        total = 0
        for move in self.legal_moves():
            if not stopped():
                self.push(move)
                total += self._perft_in_parts(depth - 1, stopped)
                self.pop()
        return total
