"""Kernels that the search is made of, called one by one: make and unmake, the staged generators, checking moves,
mate in one, and the static exchange evaluation."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

from eval.weights import tuned
from oracles import shogi as oracle
from rules import checks, make_move, movegen
from rules.moves import DROP, PROMOTION, SQUARE_MASK
from rules.native.layout import MAX_MOVES
from rules.position import Position
from rules.variants import MINISHOGI
from search.see import ROYAL, see_at_least
from support.samples import Sample

Array = np.ndarray[Any, Any]
Kernel = Callable[..., Any]


def compiled(function: Kernel) -> Kernel:
    """A bridge from Python to kernels: it takes arrays of one record, and is compiled when it is first called."""
    bridge: Kernel = numba.njit(error_model="numpy")(function)
    return bridge


@compiled
def derive_fields(rules: Any, position: Any) -> Any:
    make_move.derive_fields(rules[0], position[0])


@compiled
def make(rules: Any, position: Any, move: Any) -> Any:
    make_move.make(rules[0], position[0], np.uint64(move))


@compiled
def unmake(rules: Any, position: Any) -> Any:
    make_move.unmake(rules[0], position[0])


@compiled
def make_null(rules: Any, position: Any) -> Any:
    make_move.make_null(rules[0], position[0])


@compiled
def unmake_null(position: Any) -> Any:
    make_move.unmake_null(position[0])


@compiled
def generate(rules: Any, position: Any, lists: Any, counts: Any) -> Any:
    start = np.uint64(0)
    counts[0] = movegen.generate_tactical(rules[0], position[0], lists[0], start)
    counts[1] = movegen.generate_quiet(rules[0], position[0], lists[1], start)
    counts[2] = movegen.generate_drops(rules[0], position[0], lists[2], start)
    counts[3] = checks.generate_quiet_checks(rules[0], position[0], lists[3], start)
    counts[4] = checks.generate_drop_checks(rules[0], position[0], lists[4], start)
    counts[5] = movegen.count_legal(rules[0], position[0])


@compiled
def mark_legal(rules: Any, position: Any, marks: Any) -> Any:
    for code in range(len(marks)):
        marks[code] = movegen.is_legal(rules[0], position[0], np.uint64(code))


@compiled
def has_legal_move(rules: Any, position: Any) -> Any:
    return checks.has_legal_move(rules[0], position[0])


@compiled
def mate_in_one(rules: Any, position: Any, moves: Any) -> Any:
    return checks.mate_in_one(rules[0], position[0], moves)


@compiled
def see(rules: Any, weights: Any, position: Any, move: Any, threshold: Any) -> Any:
    return see_at_least(rules[0], weights[0], position[0], np.uint64(move), np.int64(threshold))


def weighted() -> tuple[Array, Array]:
    """(rules with the running terms of the evaluation, weights)."""
    rules, weights = tuned(MINISHOGI)
    return rules.copy(), weights.copy()


RULES, WEIGHTS = weighted()


def staged(position: Position) -> tuple[list[list[int]], int]:
    """(the five lists of the generators: tactical, quiet, drops, quiet checks, checking drops; count_legal)."""
    lists, counts = np.zeros((5, MAX_MOVES), np.uint16), np.zeros(6, np.int64)
    generate(RULES, position.record, lists, counts)
    return [row[:n].tolist() for row, n in zip(lists, counts)], int(counts[5])


def of_oracle(position: Position) -> oracle.Position:
    return oracle.parse_sfen(oracle.MINISHOGI, position.sfen())


# ---- make and unmake -------------------------------------------------------------------------------------------------

OF_THE_BOARD = ("by_side", "by_type", "by_slide", "king", "board", "hand", "side")
OF_THE_ENTRY = ("key", "score", "checkers", "pinned")
OF_THE_GAME = (*OF_THE_ENTRY, "move", "captured", "moved", "checks_run")
COUNTERS = ("ply", "first", "game_ply", "seen")


def meaning(position: Array) -> dict[str, bytes]:
    """All of the record that has a meaning: entries above the newest one have none."""
    record = position[0]
    entries = int(record["ply"]) + 1
    whole = {name: record[name].tobytes() for name in (*OF_THE_BOARD, *COUNTERS)}
    return whole | {name: record[name][:entries].tobytes() for name in OF_THE_GAME}


def newest(position: Array) -> dict[str, Any]:
    """What must not depend on how the position was reached."""
    record = position[0]
    ply = int(record["ply"])
    board = {name: record[name].tolist() for name in OF_THE_BOARD}
    board["king"] = record["king"][:, 0].tolist()
    return board | {name: record[name][ply].tolist() for name in OF_THE_ENTRY}


def from_scratch(position: Array) -> dict[str, Any]:
    """The same, from nothing but the board, the hands and the side to move."""
    fresh = np.zeros(1, position.dtype)
    for name in ("board", "hand", "side"):
        fresh[0][name] = position[0][name]
    derive_fields(RULES, fresh)
    return newest(fresh)


def started() -> Array:
    position = Position(MINISHOGI).record.copy()
    derive_fields(RULES, position)  # again, now with the running terms
    return position


def legal(position: Array) -> list[int]:
    marks = np.zeros(1 << 16, np.bool_)
    mark_legal(RULES, position, marks)
    return [int(code) for code in np.flatnonzero(marks)]


def test_make_keeps_everything_up_and_unmake_restores_it() -> None:
    rng, kinds = random.Random(2), set[tuple[bool, bool, bool]]()
    for _ in range(25):
        position, before = started(), list[dict[str, bytes]]()
        while len(before) < 60 and (moves := legal(position)):
            before.append(meaning(position))
            move = rng.choice(moves)
            captures = bool(position[0]["board"][move & int(SQUARE_MASK)]) and not move & int(DROP)
            kinds.add((bool(move & int(DROP)), bool(move & int(PROMOTION)), captures))
            make(RULES, position, move)
            assert newest(position) == from_scratch(position)
        assert position[0]["seen"].sum() == len(before) + 1
        while before:
            unmake(RULES, position)
            assert meaning(position) == before.pop()
    assert len(kinds) == 5, "drops, and moves with and without promotion and capture, have to be among them"


def test_null_move_passes_the_turn_and_is_taken_back() -> None:
    rng, nulls = random.Random(3), 0
    for _ in range(12):
        position = started()
        for _ in range(50):
            if not (moves := legal(position)):
                break
            ply = int(position[0]["ply"])
            if not position[0]["checkers"][ply]:
                before = meaning(position)
                make_null(RULES, position)
                assert newest(position) == from_scratch(position)
                assert (position[0]["move"][ply + 1], position[0]["ply"]) == (0, ply + 1)
                assert position[0]["seen"].sum() == ply + 2
                unmake_null(position)
                assert meaning(position) == before
                nulls += 1
            make(RULES, position, rng.choice(moves))
    assert nulls > 200


# ---- The staged generators -------------------------------------------------------------------------------------------


def is_tactical(position: Position, move: int) -> bool:
    """A capture or a promotion, by the board alone."""
    if move & int(DROP):
        return False
    return bool(move & int(PROMOTION)) or bool(position.record[0]["board"][move & int(SQUARE_MASK)])


def test_generators_are_disjoint_and_together_the_legal_moves(samples: list[Sample]) -> None:
    for sample in samples[::10]:
        position = Position("minishogi", sample.sfen)
        (tactical, quiet, drops, _, _), count = staged(position)
        moves = tactical + quiet + drops
        assert sorted(map(position.usi, moves)) == sample.legal_moves, sample.sfen
        assert len(set(moves)) == len(moves) == count, sample.sfen
        assert has_legal_move(RULES, position.record) == bool(moves), sample.sfen
        assert all(is_tactical(position, move) for move in tactical), sample.sfen
        assert not any(is_tactical(position, move) or move & int(DROP) for move in quiet), sample.sfen
        assert all(move & int(DROP) for move in drops), sample.sfen


def test_is_legal_knows_every_code(samples: list[Sample]) -> None:
    in_check = [sample for sample in samples if sample.checkers]
    for sample in samples[::500] + in_check[::500]:
        position = Position("minishogi", sample.sfen)
        assert sorted(map(position.usi, legal(position.record))) == sample.legal_moves, sample.sfen


def direct_check(before: oracle.Position, move: oracle.Move, after: oracle.Position) -> bool:
    """Whether the piece that moved gives check itself."""
    return move.target in oracle.checkers(after, after.turn)


def test_check_generators_give_all_direct_checks(samples: list[Sample]) -> None:
    found = 0
    for sample in samples[::40]:
        position = Position("minishogi", sample.sfen)
        (_, quiet, drops, quiet_checks, drop_checks), _ = staged(position)
        board = of_oracle(position)
        direct = {usi for usi, (move, after) in oracle.safe_moves(board).items() if direct_check(board, move, after)}
        assert sorted(map(position.usi, quiet_checks)) == sorted(direct & set(map(position.usi, quiet))), sample.sfen
        assert sorted(map(position.usi, drop_checks)) == sorted(direct & set(map(position.usi, drops))), sample.sfen
        found += len(quiet_checks) + len(drop_checks)
    assert found > 500


def test_mate_in_one_finds_all_mates_but_discovered_ones(samples: list[Sample]) -> None:
    mates_found, none_found = 0, 0
    room = np.zeros(MAX_MOVES, np.uint16)
    for sample in samples[::15]:
        if sample.checkers:
            continue
        position = Position("minishogi", sample.sfen)
        before = meaning(position.record)
        move = int(mate_in_one(RULES, position.record, room))
        assert meaning(position.record) == before, sample.sfen
        board = of_oracle(position)
        checking = {
            usi: (played, after)
            for usi, (played, after) in oracle.safe_moves(board).items()
            if usi in sample.legal_moves and oracle.in_check(after, after.turn)
        }
        mates = {usi for usi, (_, after) in checking.items() if not oracle.legal_moves(after)}
        if move:
            assert position.usi(move) in mates, sample.sfen
            mates_found += 1
        else:
            assert not any(direct_check(board, *checking[usi]) for usi in mates), (sample.sfen, mates)
            none_found += 1
    assert mates_found > 50 and none_found > 500


# ---- Static exchange evaluation --------------------------------------------------------------------------------------


class Exchange:
    """The exchange played out by recursion: the cheapest piece captures first, the king last, pins are not seen."""

    def __init__(self, board: oracle.Position) -> None:
        self.rules, self.board = board.rules, dict(board.board)

    @staticmethod
    def type_of(piece: str) -> int:
        return MINISHOGI.letters[piece.upper()]

    def worth(self, piece: str) -> int:
        return ROYAL if piece.upper() == "K" else int(WEIGHTS[0]["exchange"][self.type_of(piece)])

    def attackers(self, side: int, target: oracle.Square) -> list[oracle.Square]:
        found = []
        for square, piece in self.board.items():
            if oracle.owner(piece) != side:
                continue
            for ray in oracle.rays(self.rules, piece, square):
                occupied = [passed for passed in ray if passed in self.board]
                if target in ray and (not occupied or ray.index(target) <= ray.index(occupied[0])):
                    found.append(square)
        return found

    def reply(self, side: int, target: oracle.Square) -> int:
        """What `side` wins by capturing on `target`, or by leaving it."""
        attackers = self.attackers(side, target)
        if not attackers:
            return 0
        cheapest = min(attackers, key=lambda square: (self.worth(self.board[square]), square[1], square[0]))
        gain = self.worth(self.board[target])
        self.board[target] = self.board.pop(cheapest)
        return max(0, gain - self.reply(1 - side, target))

    def value(self, move: oracle.Move, side: int) -> int:
        """What the move wins in centipawns, good or bad."""
        if move.origin is None:
            self.board[move.target] = move.drop if side == oracle.BLACK else move.drop.lower()
            return -self.reply(1 - side, move.target)
        captured, piece = self.board.get(move.target), self.board.pop(move.origin)
        gain = self.worth(captured) if captured else 0
        if move.flip:
            gain += int(WEIGHTS[0]["promotion_gain"][self.type_of(piece)])
        self.board[move.target] = move.flip + piece
        return gain - self.reply(1 - side, move.target)


def test_exchange_has_the_value_of_a_recursive_one(samples: list[Sample]) -> None:
    exchanges, longer = 0, 0
    for sample in samples[::60]:
        position = Position("minishogi", sample.sfen)
        board = of_oracle(position)
        (tactical, quiet, drops, _, _), _ = staged(position)
        for code in tactical + quiet[::4] + drops[::6]:
            move, _ = oracle.safe_moves(board)[position.usi(code)]
            value = Exchange(board).value(move, board.turn)
            for threshold in (value, value + 1, value - 1, 0, 1, -200, 500):
                reached = bool(see(RULES, WEIGHTS, position.record, code, threshold))
                assert reached == (value >= threshold), (sample.sfen, position.usi(code), value, threshold)
            exchanges += 1
            longer += value < 0
    assert exchanges > 1000 and longer > 200


@pytest.mark.parametrize(
    ("sfen", "won", "lost", "why"),
    [
        ("4k/5/2p2/2R2/K4 b - 1", "p", "", "the pawn stands alone"),
        ("4k/3g1/2p2/2R2/K4 b - 1", "p", "r", "the gold takes back"),
        ("4k/3g1/2p2/2R2/K1R2 b - 1", "pg", "r", "and is taken by the rook behind the rook"),
        ("5/1k3/2p2/2R2/4K b - 1", "p", "r", "a king takes back what nobody guards"),
        ("5/1k3/2p2/2R2/2R1K b - 1", "p", "", "but not what somebody guards"),
    ],
)
def test_exchange_by_hand(sfen: str, won: str, lost: str, why: str) -> None:
    position = Position("minishogi", sfen)
    worth = {letter.lower(): int(WEIGHTS[0]["exchange"][number]) for letter, number in MINISHOGI.letters.items()}
    value = sum(worth[piece] for piece in won) - sum(worth[piece] for piece in lost)
    move = position.code("3d3c")
    assert see(RULES, WEIGHTS, position.record, move, value), why
    assert not see(RULES, WEIGHTS, position.record, move, value + 1), why
