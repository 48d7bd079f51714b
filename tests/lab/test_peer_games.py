"""Short matches against Fairy-Stockfish, refereed by pyffish: no illegal move, no crash, no move that comes late."""

from __future__ import annotations

from benchmarks.peer_match import Conditions, Tally, match
from support import referee
from support.peers import absent


def played(games: int, conditions: Conditions) -> Tally:
    """The match; without a fault."""
    if referee.find_fairy_stockfish() is None:
        absent("fairy-stockfish")
    tally = match(games, conditions)
    assert tally.faults == []
    assert len(tally.scores) == games
    return tally


def test_a_match_without_a_fault() -> None:
    games = 20
    tally = played(games, Conditions("minishogi", movetime=50))
    # Whatever the score, an engine that loses nearly every game is broken: see docs/strength.md for what it scores.
    assert sum(tally.scores) >= 0.2 * games, tally.summary()


def test_a_match_of_9x9_without_a_fault() -> None:
    played(2, Conditions("shogi", movetime=100, longest=120))
