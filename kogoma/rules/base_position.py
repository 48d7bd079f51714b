"""What the positions of all games have in common: a start, the moves since, and the record of the kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Self

from kogoma.rules.layout import HISTORY, moves_dtype, position_dtype
from kogoma.rules.library import rules_library
from kogoma.rules.outcome import Outcome
from kogoma.rules.rules_struct import layout_of, rules_record
from kogoma.rules.structs import Struct, clear, drop_oldest, fields, move_list, new_struct
from kogoma.rules.variants import Variant, find

UNINTERRUPTED = 5  # plies of perft that the kernel counts in one go


class BasePosition(ABC):
    """A position and the game that led to it; `new_position` makes one of the right kind."""

    def __init__(self, variant: Variant | str, sfen: str | None = None) -> None:
        """The start of the variant, or an SFEN; ValueError, in one line, if that is no position of the game."""
        self.variant = find(variant) if isinstance(variant, str) else variant
        self.start_sfen = self.variant.start if sfen is None else sfen
        self.rules = rules_record(self.variant)
        self.record: Struct = new_struct(position_dtype(layout_of(self.variant)))
        self._library = rules_library(layout_of(self.variant))
        self.addresses = self._library.located(self.rules, self.record)  # what entries take in their place
        self._start_number = self._start()
        self.moves: list[str] = []
        self._codes: list[int] = []
        self._keys = [self.key]
        self._checks = [self.in_check]

    @abstractmethod
    def _start(self) -> int:
        """Set the empty record up as `start_sfen` says; the number of the first move, counted from 1."""

    @abstractmethod
    def _encode(self, usi: str) -> int:
        """The encoding of a move as text, legal or not; ValueError if it can't be one."""

    @abstractmethod
    def variation(self, moves: list[int]) -> list[str]:
        """A line of the kernels' moves, played one after the other from here, as text."""

    @abstractmethod
    def sfen(self) -> str:
        """The position as SFEN, with the move number."""

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """How the game has ended by the variant's rules, or None while it goes on."""

    @property
    def checkers(self) -> list[str]:
        """Squares of the pieces that give check to the side to move; none in a game without checks."""
        return []

    @property
    def in_check(self) -> bool:
        """True if the side to move is in check."""
        return False

    @property
    def fields(self) -> Any:
        """The record's fields by name, to be read."""
        return fields(self.record)

    @property
    def turn(self) -> int:
        """0 if Black is to move, 1 if White is."""
        return int(self.fields["side"])

    @property
    def ply(self) -> int:
        """Plies played, counting from move number 1 of the start's SFEN."""
        return self._start_number - 1 + len(self.moves)

    @property
    def key(self) -> int:
        """The zobrist key: 64 bits for all that can be seen on the table, and the side to move."""
        return int(self.fields["key"][int(self.fields["ply"])])

    @property
    def times_seen(self) -> int:
        """How often the game has had this position, with this side to move: 1 where it is new."""
        return self._keys.count(self.key)

    def legal_codes(self) -> list[int]:
        """The legal moves as the kernels encode them (`rules.move_encoding`)."""
        buffer = move_list()
        count = self._library("legal_moves", *self.addresses, buffer)
        return list(map(int, buffer[:count]))  # a plain list in exported files

    def legal_moves(self) -> list[str]:
        """The legal moves in USI notation, in no particular order."""
        return [self.usi(move) for move in self.legal_codes()]

    def may_declare(self) -> bool:
        """True if the side to move may declare that it has won (9x9 shogi, `rules.ending`)."""
        return bool(self._library("declares", *self.addresses))

    def code(self, usi: str) -> int:
        """The encoding of a legal move; ValueError if it is not legal here."""
        move = self._encode(usi)
        if not self._library("may_play", *self.addresses, move):
            raise ValueError(f"illegal move {usi!r} in {self.sfen()}")
        return move

    def usi(self, move: int) -> str:
        """A kernel's move in USI notation."""
        return self.variation([move])[0]

    def push(self, usi: str) -> None:
        """Play a move in USI notation; ValueError, and nothing changed, if it is not legal."""
        self._play(self.code(usi))
        self.moves.append(usi)

    def _play(self, move: int) -> None:
        if int(self.fields["ply"]) >= HISTORY:
            drop_oldest(self.record, HISTORY // 2)  # a search looks back on the rest, `outcome` on the whole game
        in_check = self._library("play", *self.addresses, move)
        self._codes.append(move)
        self._keys.append(self.key)
        self._checks.append(bool(in_check))

    def pop(self) -> None:
        """Take the last move back; ValueError at the start."""
        if not self.moves:
            raise ValueError("no move to take back")
        if int(self.fields["ply"]) == 0:
            codes = self._codes[:-1]
            self.moves.pop()
            moves, self.moves = self.moves, []
            self._codes, self._keys, self._checks = [], self._keys[:1], self._checks[:1]
            clear(self.record)
            self._start()
            for move in codes:
                self._play(move)
            self.moves = moves
            return
        self._library("take_back", *self.addresses)
        for history in (self.moves, self._codes, self._keys, self._checks):
            history.pop()

    def copy(self) -> Self:
        """The same game, to be played on without touching this one."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.record = self.record.copy()
        twin.addresses = self._library.located(self.rules, twin.record)
        twin.moves, twin._codes = self.moves.copy(), self._codes.copy()
        twin._keys, twin._checks = self._keys.copy(), self._checks.copy()
        twin.__dict__.pop("_move_lists", None)
        return twin

    @cached_property
    def _move_lists(self) -> Struct:
        return new_struct(moves_dtype(layout_of(self.variant)))

    def perft(self, depth: int) -> int:
        """How many games of `depth` plies can follow."""
        if not 0 <= depth < 100:
            raise ValueError(f"perft: a depth from 0 to 99 expected, not {depth}")
        return self._library("perft", *self.addresses, self._move_lists, depth)

    def divide(self, depth: int, stopped: Callable[[], bool] = lambda: False) -> Iterator[tuple[str, int]]:
        """Perft of `depth` by first move, each as soon as it is counted; `stopped` is asked every tenth of a second or
        so, and ends it. ValueError unless the depth is at least 1."""
        if depth < 1:
            raise ValueError(f"perft: a depth from 1 expected, not {depth}")
        for move in self.legal_moves():
            self.push(move)
            count = self._perft_in_parts(depth - 1, stopped)
            self.pop()
            if stopped():
                return
            yield move, count

    def _perft_in_parts(self, depth: int, stopped: Callable[[], bool]) -> int:
        """Perft with the kernel called for few enough plies at a time."""
        if depth <= UNINTERRUPTED:
            return self.perft(depth)
        total = 0
        for move in self.legal_moves():
            if not stopped():
                self.push(move)
                total += self._perft_in_parts(depth - 1, stopped)
                self.pop()
        return total
