"""Perft, compared with published counts and with Fairy-Stockfish move by move."""

from __future__ import annotations

import random

import pytest

from kogoma.rules.position import Position
from oracles import shogi as oracle
from support import referee
from support.samples import Sample

# By the rules, mates by a pawn drop are illegal. Engines that count them get 132680698 at depth 7.
PUBLISHED = (14, 181, 2512, 35401, 533203, 8276188, 132680617)


@pytest.mark.parametrize("depth", range(1, len(PUBLISHED) + 1))
def test_published_counts(depth: int) -> None:
    assert Position("minishogi").perft(depth) == PUBLISHED[depth - 1]
    if depth < 7:
        assert Position("minishogi-codingame").perft(depth) == PUBLISHED[depth - 1]


def test_depth_0_counts_one_position() -> None:
    assert Position("minishogi").perft(0) == 1


def test_divide_sums_to_perft_and_does_not_change_the_position() -> None:
    position = Position("minishogi")
    before = position.sfen(), position.key, position.moves
    counts = dict(position.divide(4))
    assert sorted(counts) == sorted(position.legal_moves())
    assert sum(counts.values()) == PUBLISHED[3]
    assert (position.sfen(), position.key, position.moves) == before


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_the_reference_rules_give_the_published_counts(depth: int) -> None:
    start = oracle.parse_sfen(oracle.MINISHOGI, oracle.MINISHOGI.start)
    assert oracle.perft(start, depth) == PUBLISHED[depth - 1]


def varied(samples: list[Sample], count: int) -> list[str]:
    """Return the SFENs of random positions with at most 30 legal moves. Four kinds of positions alternate: positions
    with a pawn in hand, with a promoted piece, in check, and without any condition."""
    kinds = (
        lambda sample: "p" in sample.sfen.split()[2].lower(),
        lambda sample: "+" in sample.sfen,
        lambda sample: bool(sample.checkers),
        lambda sample: True,
    )
    rng = random.Random(50)
    playable = [sample for sample in samples if 0 < len(sample.legal_moves) <= 30]
    return [rng.choice([sample for sample in playable if kinds[i % len(kinds)](sample)]).sfen for i in range(count)]


def may_drop_mate(position: oracle.Position) -> bool:
    """Return whether a pawn can be dropped in front of the enemy king, where it might mate."""
    king, forward = ("k", -1) if position.turn == oracle.BLACK else ("K", 1)
    x, y = next(square for square, piece in position.board.items() if piece == king)
    return "P" in position.hands[position.turn] and (x, y - forward) not in position.board


def pawn_drop_mates_behind(position: oracle.Position) -> int:
    """Return the number of sequences that consist of two legal moves and then an illegal pawn drop that mates."""
    total, dropper = 0, position.turn
    for between in oracle.legal_moves(position).values():
        if "P" in between.hands[dropper]:  # a side without a pawn in hand has none after the opponent's reply either
            total += sum(
                len(oracle.pawn_drop_mates(last))
                for last in oracle.legal_moves(between).values()
                if may_drop_mate(last)
            )
    return total


def test_divide_4_equals_fairy_stockfishs_in_50_positions(
    samples: list[Sample], fairy_stockfish: referee.FairyStockfish
) -> None:
    """Check that the perft count after each move equals Fairy-Stockfish's count. Fairy-Stockfish also counts illegal
    pawn drops that mate. No moves follow such a drop, so only drops on the last ply change the count. The test
    subtracts these drops from Fairy-Stockfish's count."""
    surplus = 0
    for sfen in varied(samples, 50):
        start = oracle.parse_sfen(oracle.MINISHOGI, sfen)
        mates_behind = {usi: pawn_drop_mates_behind(after) for usi, after in oracle.legal_moves(start).items()}
        expected = fairy_stockfish.divide(sfen, 4)
        for usi in oracle.pawn_drop_mates(start):  # Fairy-Stockfish lists this drop with a count of 0
            assert expected.pop(usi) == 0, (sfen, usi)
        assert dict(Position("minishogi", sfen).divide(4)) == {
            usi: expected[usi] - mates_behind[usi] for usi in expected
        }, sfen
        surplus += sum(mates_behind.values())
    assert surplus > 0, "no position has a pawn-drop mate"
