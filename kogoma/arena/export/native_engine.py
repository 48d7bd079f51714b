"""The rules and the search of an exported file with native code: what `rules.position` and `search.searcher` are in the
engine."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Mapping
from dataclasses import dataclass

from kogoma.arena.export.native_code import NativeCode, Struct, StructLayout
from kogoma.rules.layout import MAX_MOVES, TYPES
from kogoma.rules.notation import SIDE_NAMES, Setup, move_to_usi, parse_sfen, write_sfen
from kogoma.rules.onitama.notation import OnitamaSetup, move_to_text, pack, parse_onitama, unpack, write_onitama
from kogoma.rules.variants import Variant
from kogoma.search.control import DONE
from kogoma.search.dice.curve import chance_curve
from kogoma.search.score import score_and_kind
from kogoma.search.table_memory import Table


@dataclass(frozen=True)
class GameCode:
    """The native code of a game. `layouts` are those of its structs "position", "thread" and "control"."""

    variant: Variant
    run: NativeCode
    layouts: Mapping[str, StructLayout]


class Position:
    """A position and the game that led to it."""

    def __init__(self, code: GameCode, sfen: str | None = None) -> None:
        """Set up the start position or an SFEN. Raises ValueError if the SFEN is not a position of the variant."""
        self._code, self.variant = code, code.variant
        parse = parse_onitama if self.variant.cards else parse_sfen
        setup = parse(sfen or self.variant.start, self.variant)
        self.struct = struct = Struct(self._code.layouts["position"])
        struct.board[: len(setup.board)] = setup.board
        if isinstance(setup, OnitamaSetup):
            struct.cards[0] = pack(setup.cards)
        else:
            for side, hand in enumerate(setup.hands):
                struct.hand[side * TYPES : side * TYPES + len(hand)] = hand
        struct.side[0], struct.game_ply[0] = setup.turn, setup.number - 1
        if self._code.run("init_position", struct.address) and not self.variant.king_capture:
            raise ValueError(f"sfen: {SIDE_NAMES[setup.turn]} is to move and could capture the king")

    @property
    def key(self) -> int:
        """The hash key of the position."""
        return int(self.struct.key[self.struct.ply[0]])

    def legal_codes(self, roll: int = 0) -> list[int]:
        """Return the codes of the legal moves, or of those that a die roll from 1 to 6 allows."""
        moves = (ctypes.c_uint16 * MAX_MOVES)()
        count = self._code.run("legal_moves", self.struct.address, ctypes.addressof(moves), roll)
        return moves[:count]

    def legal_moves(self) -> list[str]:
        """Return the legal moves in USI notation."""
        return [self.usi(move) for move in self.legal_codes()]

    def codes(self) -> dict[str, int]:
        """Return the codes of the legal moves by their USI notation."""
        return {self.usi(move): move for move in self.legal_codes()}

    def usi(self, move: int) -> str:
        """Convert the code of a move to USI notation."""
        if self.variant.cards:
            return move_to_text(self.variant, move, self._cards(), self.struct.side[0])
        return move_to_usi(self.variant, move)

    def push(self, usi: str) -> None:
        """Play a move. Raises ValueError, and changes nothing, if it is not legal."""
        move = self.codes().get(usi)
        if move is None:
            raise ValueError(f"illegal move {usi!r} in {self.sfen()}")
        self._code.run("play", self.struct.address, move)

    def pop(self) -> None:
        """Take back the move that was played last."""
        self._code.run("take_back", self.struct.address)

    def _cards(self) -> list[int]:
        return unpack(self.struct.cards[self.struct.ply[0]])

    def sfen(self) -> str:
        """Return the position as SFEN."""
        struct = self.struct
        board, turn = struct.board[: self.variant.squares], struct.side[0]
        number = struct.game_ply[0] + struct.ply[0] + 1
        if self.variant.cards:
            return write_onitama(OnitamaSetup(board, self._cards(), turn, number), self.variant)
        return write_sfen(Setup(board, [struct.hand[:TYPES], struct.hand[TYPES:]], turn, number), self.variant)


@dataclass(frozen=True)
class Result:
    """The result of a search: see `arena.codingame.bot.Result`."""

    best: str | None
    score_kind: str
    score: int
    depth: int
    nodes: int


class Engine:
    """The rules and the search of the game: an `Engine` of `arena.codingame.bot`."""

    def __init__(self, code: GameCode, hash_mb: int) -> None:
        """Allocate the memory of searches, with a transposition table of `hash_mb` MB."""
        self._code, self._table, self._thread = code, Table(hash_mb), Struct(code.layouts["thread"])
        self.new_game()

    def position(self, sfen: str | None = None) -> Position:
        """Return the start position, or the position of an SFEN. Raises ValueError for an invalid SFEN."""
        return Position(self._code, sfen)

    def new_game(self) -> None:
        """Forget what earlier searches have found."""
        self._table.clear()
        self._thread.clear()
        if self._code.variant.die:
            self._thread.chance_curve[:] = chance_curve()

    def search(
        self, position: Position, moves: tuple[str, ...], roll: int | None, movetime: int, margin: float, since: float
    ) -> Result:
        """Search until `movetime` - `margin` ms after `since`: see `arena.codingame.bot.Engine`."""
        return self.find(
            position, moves, roll=roll or 0, movetime=movetime, network_delay=round(margin), started=int(since * 1e9)
        )

    def find(self, position: Position, moves: tuple[str, ...] = (), **limits: int) -> Result:
        """Search a position. `limits` are fields of the control struct (`search.control`)."""
        run, thread, control = self._code.run, self._thread, Struct(self._code.layouts["control"])
        root, codes = position.struct.copy(), position.codes()
        control.wanted[: len(moves)] = [codes[move] for move in moves]
        for name, value in {**limits, "wanted_count": len(moves)}.items():
            getattr(control, name)[0] = value
        if run("begin", root.address, control.address) == 0:
            return Result(None, "mate", 0, 0, 0)
        self._table.next_generation()
        thread.tt[0], thread.tt_mask[0] = self._table.address, self._table.buckets - 1
        thread.generation[0] = self._table.generation
        run("prepare", root.address, thread.address, control.address)
        self._table.wait()
        while run("iterate", root.address, thread.address, control.address, time.perf_counter_ns()) != DONE:
            pass
        best = control.line[0]
        if best not in control.root_move[: control.root_count[0]]:
            raise RuntimeError(f"the search chose an illegal move: {best}")
        return Result(position.usi(best), *score_and_kind(control.line_score[0]), control.depth[0], thread.nodes[0])
