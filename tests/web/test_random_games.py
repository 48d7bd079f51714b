"""JavaScript's copy of the rules ends games of random variants in the same way as Python."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import Position
from support.node import Node, missing, told
from support.peers import absent
from support.random_variants import random_variant

pytestmark = pytest.mark.slow

SEEDS = range(24)
GAMES, LONGEST = 6, 60


def random_game(position: BasePosition, rng: random.Random) -> None:
    """Play random moves until the game ends or has LONGEST moves. Pieces often move back, so that positions are
    repeated."""
    while len(position.moves) < LONGEST and position.outcome() is None:
        moves = sorted(position.legal_moves())
        back = [move for move in moves if position.moves[1:] and move[:4] == swapped(position.moves[-2])]
        position.push(rng.choice(back if back and rng.random() < 0.7 else moves))


def swapped(move: str) -> str:
    """Return the move in the opposite direction."""
    return move[2:4] + move[:2]


@pytest.mark.long
def test_javascript_ends_games_as_python_does(tmp_path: Path) -> None:
    if lacking := missing():
        absent(lacking)
    reasons = Counter[str]()
    for seed in SEEDS:
        rng, variant = random.Random(seed), random_variant(seed, largest=8)
        node = Node(variant, tmp_path)
        try:
            for _ in range(GAMES):
                game = Position(variant)
                random_game(game, rng)
                position = Position(variant)
                seen = [told(position)]
                for move in game.moves:
                    position.push(move)
                    seen.append(told(position))
                assert node.ask("walk", sfen=game.start_sfen, moves=game.moves)["seen"] == seen, seed
                outcome = position.outcome()
                reasons[outcome.reason if outcome else ""] += 1
        finally:
            node.close()
    assert {"checkmate", "stalemate", "king_captured", "check", "repetition", "max_plies"} <= reasons.keys(), reasons
