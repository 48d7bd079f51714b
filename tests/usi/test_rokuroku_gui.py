"""Whole games of 66-shogi with a client that talks as RokuRokuGUI does (https://github.com/CieL2186/RokuRokuGUI).

It starts the engine without arguments, sends no options and no `usinewgame`, always gives the whole game from
`startpos`, stops at a `resign`, and never reads the engine's standard error.
"""

from __future__ import annotations

import random

import pytest

from oracles import shogi as oracle
from support import scope
from support.usi_client import UsiClient

pytestmark = pytest.mark.slow

PIPE = 65536  # bytes that fit into a pipe that nobody reads


def play(side: int, seed: int, go: str) -> oracle.Outcome:
    """Play a game in which the engine is `side`, and the other side moves at random. Return the outcome."""
    rng, game = random.Random(seed), oracle.Game(oracle.RULES["66shogi"])
    # As White, the engine recognizes the game by the first placement; as Black, by the name of its program.
    with UsiClient(env={"KOGOMA_VARIANT": "66shogi" if side == oracle.BLACK else ""}, variant=None) as engine:
        engine.send("usi")
        engine.read_until("usiok")
        engine.send("isready")
        engine.read_until("readyok")
        moves = list[str]()
        while (outcome := game.outcome()) is None:
            if game.position.turn == side:
                engine.send(f"position startpos{' moves ' * bool(moves)}{' '.join(moves)}", f"go {go}")
                move = engine.read_until("bestmove")[-1].split()[1]
            else:
                move = rng.choice(sorted(oracle.legal_moves(game.position)))
            game.push(move)  # raises ValueError for an illegal move or a `resign`
            moves.append(move)
        engine.send("quit")
        assert engine.process.wait(60) == 0
        assert len(engine.errors()) < PIPE // 8
        return outcome


@pytest.mark.parametrize("side", [oracle.BLACK, oracle.WHITE])
def test_whole_games(side: int) -> None:
    for seed in range(scope.count(10, 1)):
        outcome = play(side, seed, "btime 0 wtime 0 byoyomi 40")
        assert (outcome.winner, outcome.reason) == (side, "checkmate"), seed


@pytest.mark.long
def test_the_clock_of_the_gui() -> None:
    outcome = play(oracle.WHITE, 100, "btime 1000 wtime 1000 byoyomi 1000")
    assert outcome.winner == oracle.WHITE
