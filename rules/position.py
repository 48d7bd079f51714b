"""A game as Python sees it: a start, the moves since, and the record of the kernels.

`new_position` makes one of the right kind for any variant; `rules.onitama.position` holds Onitama's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Self

from rules.native.layout import HISTORY, moves_dtype, position_dtype
from rules.native.library import Library
from rules.native.record import Record, bits, clear, drop_oldest, fields, move_list, new_record
from rules.native.rules_record import layout_of, rules_record
from rules.notation import (
    SIDE_NAMES,
    Setup,
    hand_text,
    move_to_usi,
    parse_sfen,
    piece_letter,
    square_name,
    usi_to_move,
    write_sfen,
)
from rules.outcome import Ending, Outcome, outcome
from rules.variants import Variant, find

if TYPE_CHECKING:
    from rules.onitama.position import OnitamaPosition


UNINTERRUPTED = 5  # plies of perft that the kernel counts in one go


@cache
def rules_library(layout: str) -> Library:
    """The native code of the rules for one layout; its entries stand in `rules.entries` and `rules.perft`."""
    return Library("rules", ("rules.entries", "rules.perft"), layout)


def new_position(variant: Variant | str, sfen: str | None = None) -> Position | OnitamaPosition:
    """A game of that variant from its start, or from an SFEN; ValueError, in one line, for a bad one."""
    from rules.onitama.position import OnitamaPosition  # which stands on this module

    variant = find(variant) if isinstance(variant, str) else variant
    return OnitamaPosition(variant, sfen) if variant.cards else Position(variant, sfen)


def check_sfen(variant: Variant, sfen: str) -> None:
    """ValueError, in one line, for an SFEN that can't be one of that variant. Needs no compiled rules."""
    from rules.onitama.notation import parse_onitama

    if variant.cards:
        parse_onitama(sfen, variant)
    else:
        parse_sfen(sfen, variant)


class BasePosition(ABC):
    """A position and the game that led to it; `new_position` makes one of the right kind."""

    def __init__(self, variant: Variant | str, sfen: str | None = None) -> None:
        """The start of the variant, or an SFEN; ValueError, in one line, if that is no position of the game."""
        self.variant = find(variant) if isinstance(variant, str) else variant
        self.start_sfen = self.variant.start if sfen is None else sfen
        self.rules = rules_record(self.variant)
        self.record: Record = new_record(position_dtype(layout_of(self.variant)))
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
    @abstractmethod
    def checkers(self) -> list[str]:
        """Squares of the pieces that give check to the side to move."""

    @property
    def in_check(self) -> bool:
        """True if the side to move is in check."""
        return bool(self.checkers)

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
        """The legal moves as the kernels encode them (`rules.moves`)."""
        buffer = move_list()
        count = self._library("legal_moves", *self.addresses, buffer)
        return list(map(int, buffer[:count]))  # a plain list in exported files

    def legal_moves(self) -> list[str]:
        """The legal moves in USI notation, in no particular order."""
        return [self.usi(move) for move in self.legal_codes()]

    def may_declare(self) -> bool:
        """True if the side to move may declare that it has won (9x9 shogi, `rules.declaration`)."""
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
    def _move_lists(self) -> Record:
        return new_record(moves_dtype(layout_of(self.variant)))

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


class Position(BasePosition):
    """A position and the game that led to it.

    >>> position = Position("minishogi")
    >>> len(position.legal_moves())
    14
    >>> position.push("2e3d")
    >>> position.sfen()
    'rbsgk/4p/5/P1B2/KGS1R w - 2'
    """

    def __init__(self, variant: Variant | str = "minishogi", sfen: str | None = None) -> None:
        """The start of the variant, or an SFEN; ValueError, in one line, if that is no position of the game."""
        super().__init__(variant, sfen)

    def _start(self) -> int:
        setup = parse_sfen(self.start_sfen, self.variant)
        record = self.fields
        record["board"][: len(setup.board)] = setup.board
        for side in (0, 1):
            record["hand"][side][: len(setup.hands[side])] = setup.hands[side]
        record["side"] = setup.turn
        record["game_ply"] = setup.number - 1
        if self._library("init_position", *self.addresses) and not self.variant.king_capture:
            raise ValueError(f"sfen: {SIDE_NAMES[setup.turn]} is to move and could capture the king")
        return setup.number

    def _encode(self, usi: str) -> int:
        return usi_to_move(self.variant, usi)

    def variation(self, moves: list[int]) -> list[str]:
        """A line of the kernels' moves in USI notation."""
        return [move_to_usi(self.variant, move) for move in moves]

    @property
    def checkers(self) -> list[str]:
        """Squares of the pieces that give check to the side to move."""
        found = self._checkers()
        return [square_name(self.variant, square) for square in range(self.variant.squares) if found >> square & 1]

    @property
    def in_check(self) -> bool:
        """True if the side to move is in check."""
        return self._checkers() != 0

    def _checkers(self) -> int:
        return bits(self.fields["checkers"][int(self.fields["ply"])])

    def setup(self) -> Setup:
        """Board, hands, turn and move number as plain lists."""
        record = self.fields
        board = [int(cell) for cell in record["board"][: self.variant.squares]]
        return Setup(board, [[int(n) for n in hand] for hand in record["hand"]], self.turn, self.ply + 1)

    def sfen(self) -> str:
        """The position as SFEN, with hands and move number."""
        return write_sfen(self.setup(), self.variant)

    def outcome(self) -> Outcome | None:
        """How the game has ended by the variant's rules, or None while it goes on."""
        sudden = self._library("ended_by", *self.addresses)
        if sudden == Ending.KING_CAPTURED:
            return Outcome(1 - self.turn, "king_captured")
        if sudden == Ending.CHECK_GIVEN:
            return Outcome(1 - self.turn, "check")
        if sudden != Ending.NONE:
            return Outcome(self.turn if sudden == Ending.GOAL_HELD else 1 - self.turn, "goal")
        can_move = bool(self.legal_codes())
        return outcome(self.variant, self._keys, self._checks, self.turn, self.ply, can_move)

    def __str__(self) -> str:
        """A diagram with hands, SFEN, key and checkers."""
        setup, files = self.setup(), self.variant.files
        lines = ["  ".join(f"{files - column:>2}" for column in range(files))]
        edge = "+" + "---+" * files
        lines.append(edge)
        for row in range(self.variant.ranks):
            cells = setup.board[row * files : (row + 1) * files]
            lines.append("".join(f"|{piece_letter(self.variant, cell):>2} " for cell in cells) + f"| {chr(97 + row)}")
            lines.append(edge)
        for side, name in enumerate(SIDE_NAMES):
            lines.append(f"{name}'s hand: {hand_text(self.variant, setup.hands[side], side) or '-'}")
        lines += [f"Sfen: {self.sfen()}", f"Key: {self.key:016X}", f"Checkers: {' '.join(self.checkers)}".rstrip()]
        return "\n".join(lines)
