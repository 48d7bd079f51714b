"""The USI command `go mate`, and `find_mate`."""

from __future__ import annotations

import statistics
import sys
import time

import pytest

import kogoma
from kogoma.rules.position import new_position
from kogoma.search.mate.solver import MateLimits, MateSolver
from kogoma.search.table_memory import Table
from oracles import shogi as oracle
from support.mates import PROBLEM, problems
from support.usi_client import UsiClient, info_fields

pytestmark = pytest.mark.slow

HARD = "9/9/9/9/2K1k4/+B8/9/9/9 b G2S2NL5Prb3gn7p 1"
TSUME = (
    ("shogi", "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", "G*5b"),
    ("shogi", "l8/1k7/p8/9/3N5/9/9/9/9 b RSr2b4g3s3n3l17p 1", "S*7c 8b8a R*8b 8a7a 8b7b+"),
    ("minishogi", "4k/4g/2G1R/5/3B1 b rb2s2p 1", "1c1b 1a1b G*2b 1b1c 2b2c"),
)
STOPS = 30
BESIDE_THE_TABLE = 150 << 20  # bytes in addition to the table


def solved(engine: UsiClient, *lines: str) -> tuple[list[str], list[str]]:
    """Send lines to the engine. Return its output up to the line `checkmate ...`, and the words after `checkmate`."""
    engine.send(*lines)
    said = engine.read_until("checkmate ", 120)
    return said[:-1], said[-1].split()[1:]


def is_checkmate(sfen: str, moves: list[str]) -> bool:
    """Return whether these moves lead from the position `sfen` to checkmate, by the reference rules."""
    game = oracle.Game(oracle.MINISHOGI, sfen)
    for move in moves:
        game.push(move)
    return oracle.in_check(game.position, game.position.turn) and not oracle.legal_moves(game.position)


def turned(sfen: str) -> str:
    """Return the SFEN of the position with the board rotated and the colours exchanged."""
    board, side, hands, number = sfen.split()
    return f"{board[::-1].swapcase()} {'w' if side == 'b' else 'b'} {hands.swapcase()} {number}"


def test_short_mates_come_before_long_ones() -> None:
    """The solver finds a mate in 37 plies first in the first position, where there is one in 5."""
    short = [problem for problem in problems() if problem.verdict == "mate" and problem.plies <= 7]
    assert len(short) > 400
    found = [kogoma.find_mate("ksR2/2b2/p4/5/R3K b BGSPg 29")]
    assert found[0].plies == 5 and found[0].nodes < 1000
    for problem in short:
        answer = kogoma.find_mate(problem.sfen, variant=problem.game)
        assert answer.plies == problem.plies, (problem, answer)


def test_few_nodes_and_little_time_suffice_as_before() -> None:
    """Check that the search for short mates takes a small part of the limits only: a mate in 9 plies is found with few
    nodes."""
    long = [problem for problem in problems() if problem.game == "minishogi" and problem.plies == 9]
    solver = MateSolver(Table(16))
    for problem in long[:40]:
        position = new_position(problem.game, problem.sfen)
        nodes = solver.solve(position, MateLimits()).nodes
        answer = kogoma.find_mate(problem.sfen, nodes=2 * nodes + 100)
        assert answer.verdict == "mate", problem


def test_mates_and_positions_without_one() -> None:
    with UsiClient() as engine:
        for sfen in (PROBLEM, turned(PROBLEM)):
            for words in ("infinite", "shortest 60000", "60000 nodes 1000000"):
                said, moves = solved(engine, f"position sfen {sfen}", f"go mate {words}")
                assert is_checkmate(sfen, moves), (sfen, moves)
                last = info_fields(next(line for line in reversed(said) if " pv " in line))
                assert last["pv"].split() == moves and int(last["mate"]) >= len(moves)
                assert "the shortest" in said[-1]
        # A position after moves. The attacker is White, the side to move.
        _, moves = solved(engine, "position sfen 4k/5/4P/5/K4 w G 1 moves 1a2a", "go mate 1000")
        assert moves == ["nomate"]
        _, moves = solved(engine, "position sfen 4k/5/4P/5/K4 w G 1 moves 1a2a 5e4e 2a1a", "go mate 1000")
        assert moves == ["G*1b"]
        _, moves = solved(engine, "position startpos", "go mate")
        assert moves == ["nomate"]
        said, moves = solved(engine, "setoption name USI_Variant value dice", "position startpos", "go mate 100")
        assert moves == ["notimplemented"] and "die" in said[-1]
        _, best = engine.go("depth", 3)  # an ordinary search also works after the mate searches
        assert best


def test_the_attacker_needs_no_king() -> None:
    with UsiClient() as engine:
        for game, sfen, line in TSUME:
            engine.send(f"setoption name USI_Variant value {game}")
            _, moves = solved(engine, f"position sfen {sfen}", "go mate shortest 10000")
            assert moves == line.split()
            assert kogoma.find_mate(sfen, variant=game).moves == moves
        _, best = engine.go("depth", 4)
        assert best == TSUME[-1][2].split()[0]


@pytest.mark.long
@pytest.mark.clock
def test_limits_end_with_timeout_and_stop_is_answered_at_once() -> None:
    """Check that the mate solver answers `timeout` when it reaches a limit, and that it answers `stop` soon.

    The test allows much processor time for the answer to `stop`. On a busy machine, the solver continues until the
    thread that reads `stop` gets a processor. docs/mate.md has the elapsed time on a quiet machine.
    """
    with UsiClient(variant="shogi") as engine:
        engine.send("setoption name USI_Hash value 1", f"position sfen {HARD}")
        assert solved(engine, "go mate 300")[1] == ["timeout"]
        assert solved(engine, "go mate infinite nodes 3000")[1] == ["timeout"]
        said, moves = solved(engine, "go mate 2500")
        assert moves == ["timeout"] and sum(" nps " in line for line in said) >= 2
        costs = []
        for _ in range(STOPS):
            engine.send("go mate infinite")
            time.sleep(0.02)
            cost, line = engine.cost("stop", answer="checkmate ")
            assert line == "checkmate timeout"
            costs.append(cost.worked)
        assert statistics.median(costs) < 0.05, sorted(costs)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_memory_stays_within_the_table() -> None:
    """Check that the engine needs little memory in addition to its table, for tables of all sizes. The mate problem is
    too large for every table. After each search for a mate, the engine must still be able to play."""
    with UsiClient(variant="shogi") as engine:
        for size in (1, 16, 64, 256, 1024):
            engine.send(f"setoption name USI_Hash value {size}", f"position sfen {HARD}")
            assert solved(engine, "go mate 300")[1] == ["timeout"], size
            beside = engine.resident() - size * 2**20
            assert beside < BESIDE_THE_TABLE, (size, beside)
            assert engine.go("movetime", 50)[1] not in ("resign", "win", "none")
            assert engine.answer() == [], "there must be no output after the bestmove"


def test_from_python() -> None:
    answer = kogoma.find_mate("4k/5/4P/5/K4 b G 1", shortest=True)
    assert (answer.verdict, answer.moves, answer.is_shortest) == ("mate", ["G*1b"], True)
    assert kogoma.find_mate(HARD, nodes=1000).verdict == "timeout"
    with pytest.raises(ValueError, match="nodes"):
        kogoma.find_mate("4k/5/4P/5/K4 b G 1", nodes=0)
    with pytest.raises(ValueError, match="hash_mb"):
        kogoma.find_mate("4k/5/4P/5/K4 b G 1", hash_mb=0)
    with pytest.raises(ValueError, match="die"):
        kogoma.find_mate("startpos", variant="dice")
