"""66-shogi by rules that the engine does not contain: the reference rules in plain Python, and Fairy-Stockfish's."""

from __future__ import annotations

import random

from kogoma.rules.position import Position
from kogoma.rules.variants import VARIANTS
from oracles import shogi as oracle

SHOGI66 = VARIANTS["66shogi"]
# 66-shogi after the placements, in the words of Fairy-Stockfish's configuration: the newer ones, and `promotionRank`.
PEER_NAME = "sixsix"
PEER = f"""
[{PEER_NAME}:shogi]
maxRank = 6
maxFile = 6
promotionRegionWhite = *5 *6
promotionRegionBlack = *1 *2
promotionRank = 5
startFen = 6/pppppp/6/6/PPPPPP/6[-] w 0 1
"""
COMPARED_PLIES = 30  # of a random game


def placed(rng: random.Random) -> Position:
    """Return the position after random placements."""
    position = Position(SHOGI66)
    while len(position.moves) < SHOGI66.placements:
        position.push(rng.choice(position.legal_moves()))
    return position


def compare_with_reference_rules(rng: random.Random) -> None:
    """Check the legal moves and the SFEN after each ply of a random game, and that a position set up from each SFEN has
    the same key and moves. Taking all moves back gives the start position."""
    position, there = Position(SHOGI66), oracle.parse_sfen(oracle.RULES["66shogi"], SHOGI66.start)
    while position.outcome() is None and len(position.moves) < COMPARED_PLIES:
        legal = oracle.legal_moves(there)
        assert sorted(legal) == sorted(position.legal_moves())
        assert oracle.write_sfen(there) == position.sfen()
        afresh = Position(SHOGI66, position.sfen())
        assert (afresh.key, sorted(afresh.legal_moves())) == (position.key, sorted(legal)), position.sfen()
        move = rng.choice(sorted(legal))
        position.push(move)
        there = legal[move]
    while position.moves:
        position.pop()
    assert (position.sfen(), position.key) == (SHOGI66.start, Position(SHOGI66).key)
