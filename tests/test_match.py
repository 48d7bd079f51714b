"""A short match against Fairy-Stockfish, refereed by pyffish: no illegal move, no crash, no move that comes late."""

from __future__ import annotations

import referee
from conftest import absent
from peer_match import match

GAMES, MOVETIME = 20, 50


def test_a_match_without_a_fault() -> None:
    if referee.find_fairy_stockfish() is None:
        absent("fairy-stockfish")
    tally = match(GAMES, MOVETIME)
    assert tally.faults == []
    assert len(tally.scores) == GAMES
    # Whatever the score, an engine that loses nearly every game is broken: see docs/strength.md for what it scores.
    assert sum(tally.scores) >= 0.2 * GAMES, tally.summary()
