"""Short matches against Fairy-Stockfish have no illegal moves, crashes or hangs. The games are checked with pyffish.

Longer matches in docs/experiments.md measure which engine is stronger.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from support import referee
from support.lab_runs import read_games, run
from support.peers import absent

pytestmark = pytest.mark.clock


def may_declare(sfen: str, moves: list[str]) -> bool:
    """Return whether, according to cshogi, the side to move may declare a win by the 27-point rule of 9x9 shogi.
    Fairy-Stockfish does not know this rule."""
    cshogi: Any = importlib.import_module("cshogi")
    board = cshogi.Board(sfen)
    for move in moves:
        board.push_usi(move)
    return bool(board.is_nyugyoku())


@pytest.mark.parametrize(
    ("variant", "games", "limits"), [("minishogi", 4, "st=0.05"), ("shogi", 2, "st=0.1 -maxmoves 100")]
)
def test_a_match_without_a_fault(variant: str, games: int, limits: str, tmp_path: Path) -> None:
    path = referee.find_fairy_stockfish()
    if path is None:
        absent("fairy-stockfish")
    # The time margin is large, because a move may be late on a busy machine. tests/usi/test_time.py tests whether the
    # engine keeps to its time.
    engines = [
        "-engine",
        "name=kogoma",
        "-engine",
        "name=peer",
        f"cmd={path}",
        "proto=uci",
        "-each",
        "timemargin=20000",
    ]
    words = [*engines, *limits.split(), "-variant", variant, "-games", str(games)]
    words += ["-concurrency", "2"]
    done = run("match", *words, "-out", "m.jsonl", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    records = read_games(tmp_path / "m.jsonl")
    assert len(records) == games
    for record in records:
        assert record["fault"] is None, record["fault"]
        moves = record["book"] + record["moves"]
        verdict = referee.judge(moves, record["start"], variant)
        if record["reason"] == "max_moves":
            assert verdict is None
        elif record["reason"] == "declaration":
            assert verdict is None and variant == "shogi" and may_declare(record["start"], moves)
        else:  # the game ended by the rules, because neither engine resigns
            assert verdict is not None and verdict.reason not in ("illegal_move", "pawn_drop_mate")
            assert (verdict.winner, verdict.plies) == (record["winner"], len(moves)), record
