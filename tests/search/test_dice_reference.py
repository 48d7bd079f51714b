"""The reference opponent of `benchmarks.measure_dice`, compared with the same search by the reference rules."""

from __future__ import annotations

import pytest

from benchmarks.dice_reference import EVEN, MOVE, WON, reference_library
from kogoma.rules.layout import moves_dtype
from kogoma.rules.structs import new_struct
from oracles import shogi as oracle
from support.dice_search import middle_games

pytestmark = pytest.mark.slow

WORTH = {"P": 100, "S": 400, "G": 500, "B": 700, "R": 900, "K": 0, "+P": 500, "+S": 500, "+B": 1000, "+R": 1200}


def plain(position: oracle.Position, depth: int, ply: int, replies: int) -> int:
    """Return the value of a position before the roll. This is the mean, over the six rolls, of the value of the best
    move that the roll allows."""
    legal = oracle.legal_moves(position)
    if not legal:
        return (ply - WON) if oracle.in_check(position, position.turn) else (WON - ply)
    if depth == 0:
        score = MOVE * (len(legal) - replies)
        for piece in position.board.values():
            score += WORTH[piece.upper()] * (1 if oracle.owner(piece) == position.turn else -1)
        for side, hand in enumerate(position.hands):
            score += sum(WORTH[piece.upper()] for piece in hand) * (1 if side == position.turn else -1)
        return score * WON // (abs(score) + EVEN)
    values = {usi: -plain(after, depth - 1, ply + 1, len(legal)) for usi, after in legal.items()}
    return sum(max(values[usi] for usi in oracle.dice_moves(position, roll)) for roll in range(1, 7)) // 6


@pytest.mark.long
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_values_equal_those_of_a_simple_search(depth: int) -> None:
    library, moves = reference_library(), new_struct(moves_dtype("64"))
    for position in middle_games(4 if depth == 2 else 12):
        board = oracle.parse_sfen(oracle.RULES["dice"], position.sfen())
        found = library("reference_value", position.rules, position.struct.copy(), moves, depth, 1, 10)
        assert found == plain(board, depth, 1, 10), position.sfen()
