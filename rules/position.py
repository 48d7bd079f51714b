"""A game as Python sees it: a start, the moves played since, and the record that the kernels work on."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from rules.layout import HISTORY, MAX_MOVES, moves_dtype, position_dtype
from rules.library import rules_library
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
from rules.tables import layout, rules_record
from rules.variants import Variant, find


class Position:
    """A position and the game that led to it.

    >>> position = Position("minishogi")
    >>> len(position.legal_moves())
    14
    >>> position.push("2e2d")
    >>> position.sfen()
    'rbsgk/4p/5/P2B1/KGS1R w - 2'
    """

    def __init__(self, variant: Variant | str = "minishogi", sfen: str | None = None) -> None:
        """The start of the variant, or an SFEN; ValueError, in one line, if that is no position of the game."""
        self.variant = find(variant) if isinstance(variant, str) else variant
        self.start_sfen = self.variant.start if sfen is None else sfen
        setup = parse_sfen(self.start_sfen, self.variant)
        self.rules = rules_record(self.variant)
        self.record: np.ndarray[Any, Any] = np.zeros(1, position_dtype(layout(self.variant)))
        self._library = rules_library(layout(self.variant))
        self._fill(setup)
        self.moves: list[str] = []
        self._codes: list[int] = []
        self._start_number = setup.number
        self._keys = [self.key]
        self._checks = [self.in_check]

    def _fill(self, setup: Setup) -> None:
        record = self.record[0]
        record["board"][: len(setup.board)] = setup.board
        for side in (0, 1):
            record["hand"][side][: len(setup.hands[side])] = setup.hands[side]
        record["side"] = setup.turn
        record["game_ply"] = setup.number - 1
        if self._library("set_up", self.rules, self.record) and not self.variant.king_capture:
            raise ValueError(f"sfen: {SIDE_NAMES[setup.turn]} is to move and could capture the king")

    @property
    def turn(self) -> int:
        """0 if Black is to move, 1 if White is."""
        return int(self.record["side"][0])

    @property
    def ply(self) -> int:
        """Plies played, counting from move number 1 of the start's SFEN."""
        return self._start_number - 1 + len(self.moves)

    @property
    def key(self) -> int:
        """The zobrist key: 64 bits for board, hands and side to move."""
        return int(self.record["key"][0, int(self.record["ply"][0])])

    @property
    def checkers(self) -> list[str]:
        """Squares of the pieces that give check to the side to move."""
        words = np.atleast_1d(self.record["checkers"][0, int(self.record["ply"][0])])
        bits = sum(int(word) << 64 * index for index, word in enumerate(words))
        return [square_name(self.variant, square) for square in range(self.variant.squares) if bits >> square & 1]

    @property
    def in_check(self) -> bool:
        """True if the side to move is in check."""
        return bool(np.any(self.record["checkers"][0, int(self.record["ply"][0])]))

    def legal_codes(self) -> list[int]:
        """The legal moves as the kernels encode them (`rules.moves`)."""
        buffer = np.empty(MAX_MOVES, np.uint16)
        count = self._library("legal_moves", self.rules, self.record, buffer)
        return [int(move) for move in buffer[:count]]

    def legal_moves(self) -> list[str]:
        """The legal moves in USI notation, in no particular order."""
        return [move_to_usi(self.variant, move) for move in self.legal_codes()]

    def code(self, usi: str) -> int:
        """The encoding of a legal move; ValueError if it is not legal here."""
        move = usi_to_move(self.variant, usi)
        if not self._library("may_play", self.rules, self.record, move):
            raise ValueError(f"illegal move {usi!r} in {self.sfen()}")
        return move

    def usi(self, move: int) -> str:
        """A kernel's move in USI notation."""
        return move_to_usi(self.variant, move)

    def push(self, usi: str) -> None:
        """Play a move in USI notation; ValueError, and nothing changed, if it is not legal."""
        self._play(self.code(usi))
        self.moves.append(usi)

    def _play(self, move: int) -> None:
        if int(self.record["ply"][0]) >= HISTORY:
            self._drop_oldest(HISTORY // 2)
        in_check = self._library("play", self.rules, self.record, move)
        self._codes.append(move)
        self._keys.append(self.key)
        self._checks.append(bool(in_check))

    def _drop_oldest(self, entries: int) -> None:
        """Make room in the record; `outcome` keeps the whole game, a search looks back on the rest."""
        record = self.record[0]
        for name in ("key", "score", "move", "captured", "moved", "checks_run", "checkers", "pinned"):
            record[name][:-entries] = record[name][entries:].copy()
        record["ply"] -= entries
        record["game_ply"] += entries
        record["seen"][:] = 0
        np.add.at(record["seen"], record["key"][: int(record["ply"]) + 1] & np.uint64(4095), 1)

    def pop(self) -> None:
        """Take the last move back; ValueError at the start."""
        if not self.moves:
            raise ValueError("no move to take back")
        if int(self.record["ply"][0]) == 0:
            codes = self._codes[:-1]
            self.moves.pop()
            moves, self.moves = self.moves, []
            self._codes, self._keys, self._checks = [], self._keys[:1], self._checks[:1]
            self.record[:] = 0
            self._fill(parse_sfen(self.start_sfen, self.variant))
            for move in codes:
                self._play(move)
            self.moves = moves
            return
        self._library("take_back", self.rules, self.record)
        for history in (self.moves, self._codes, self._keys, self._checks):
            history.pop()

    def copy(self) -> Position:
        """The same game, to be played on without touching this one."""
        twin = object.__new__(Position)
        twin.__dict__.update(self.__dict__)
        twin.record = self.record.copy()
        twin.moves, twin._codes = self.moves.copy(), self._codes.copy()
        twin._keys, twin._checks = self._keys.copy(), self._checks.copy()
        twin.__dict__.pop("_stack", None)
        return twin

    def setup(self) -> Setup:
        """Board, hands, turn and move number as plain lists."""
        record = self.record[0]
        board = [int(cell) for cell in record["board"][: self.variant.squares]]
        return Setup(board, [[int(n) for n in hand] for hand in record["hand"]], self.turn, self.ply + 1)

    def sfen(self) -> str:
        """The position as SFEN, with hands and move number."""
        return write_sfen(self.setup(), self.variant)

    def may_declare(self) -> bool:
        """True if the side to move may declare that it has won (9x9 shogi, `rules.declaration`)."""
        return bool(self._library("declares", self.rules, self.record))

    def outcome(self) -> Outcome | None:
        """How the game has ended by the variant's rules, or None while it goes on."""
        sudden = self._library("ended_by", self.rules, self.record)
        if sudden == Ending.KING_CAPTURED:
            return Outcome(1 - self.turn, "king_captured")
        if sudden != Ending.NONE:
            return Outcome(self.turn if sudden == Ending.GOAL_HELD else 1 - self.turn, "goal")
        can_move = bool(self.legal_codes())
        return outcome(self.variant, self._keys, self._checks, self.turn, self.ply, can_move)

    @cached_property
    def _stack(self) -> np.ndarray[Any, Any]:
        return np.zeros(1, moves_dtype(layout(self.variant)))

    def perft(self, depth: int) -> int:
        """How many games of `depth` plies can follow."""
        if not 0 <= depth < 100:
            raise ValueError(f"perft: a depth from 0 to 99 expected, not {depth}")
        return self._library("perft", self.rules, self.record, self._stack, depth)

    def divide(self, depth: int) -> dict[str, int]:
        """Perft of `depth` by first move; the depth is at least 1."""
        if depth < 1:
            raise ValueError(f"perft: a depth from 1 expected, not {depth}")
        counts = {}
        for move in self.legal_codes():
            self._library("play", self.rules, self.record, move)
            counts[self.usi(move)] = self.perft(depth - 1)
            self._library("take_back", self.rules, self.record)
        return counts

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
