"""Times of the engine: clocks, pondering, starting, stopping. A busy machine does not change the results.

Upper limits apply to the engine's processor time, lower limits to the elapsed time. An engine that hangs is ended after
`PATIENCE`. docs/performance.md has the elapsed times on a quiet machine.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kogoma.rules.variants import VARIANTS
from kogoma.search.processors import processors
from kogoma.usi_engine.loading import KEEP_ALIVE
from support import referee
from support.kernels import action_of, started_game
from support.scope import mostly_long
from support.usi_client import Cost, UsiClient

pytestmark = [pytest.mark.slow, pytest.mark.clock]

START = "rbsgk/4p/5/P4/KGSBR b - 1"


@pytest.fixture(scope="module")
def shared() -> Iterator[UsiClient]:
    with UsiClient().ready() as client:
        yield client


@pytest.fixture
def engine(shared: UsiClient) -> UsiClient:
    options = ("setoption name USI_Variant value minishogi", "setoption name Threads value 1")
    assert shared.answer("stop", *options, "usinewgame", "position startpos") == []
    return shared


def play(engine: UsiClient, go: str, moves: int, variant: str = "minishogi") -> list[Cost]:
    """Let the engine play games against itself until it has made `moves` moves. Return the cost of each move."""
    costs: list[Cost] = []
    while len(costs) < moves:
        game, played = referee.Game(VARIANTS[variant].start, variant), list[str]()
        assert engine.answer("usinewgame") == []
        while len(costs) < moves:
            engine.send("position startpos moves " + " ".join(played))
            cost, line = engine.cost(go)
            costs.append(cost)
            move = line.split()[1]
            if move == "resign":
                break
            played.append(move)
            verdict = game.play(move)
            if verdict is not None:
                assert verdict.reason != "illegal_move", (played, verdict)
                break
    return costs


def longest(costs: list[Cost]) -> float:
    """Return the longest processor time of a move in ms."""
    return max(cost.worked for cost in costs) * 1000


def test_byoyomi_is_never_overrun_and_well_used(engine: UsiClient) -> None:
    costs = play(engine, "go btime 0 wtime 0 byoyomi 100", 15)
    assert longest(costs) <= 100
    assert statistics.median(cost.elapsed for cost in costs) > 0.04


def test_more_threads_than_processors_keep_the_time(engine: UsiClient) -> None:
    """Check that a search with many threads keeps the time limit, although each thread needs processor time to notice
    that the time is up."""
    engine.send("setoption name Threads value 64")
    costs = play(engine, "go movetime 400", 3)
    assert longest(costs) < 1.25 * 400 * processors()


@pytest.mark.parametrize("variant", ["minishogi", "shogi"])
def test_fifty_ms_a_move(engine: UsiClient, variant: str) -> None:
    engine.send(f"setoption name USI_Variant value {variant}")
    assert longest(play(engine.ready(), "go byoyomi 50", 15, variant)) <= 50


@pytest.mark.parametrize(
    ("go", "most"),
    [
        ("go movetime 200", 200),
        ("go btime 2000 wtime 2000", 900),
        ("go btime 2000 wtime 2000 binc 100 winc 100", 900),
        ("go btime 100 wtime 60000 byoyomi 200", 300),
        ("go btime 300 wtime 300", 300),
        ("go binc 100 winc 100", 100),
    ],
)
def test_the_clock_is_kept(engine: UsiClient, go: str, most: int) -> None:
    assert longest(play(engine, go, 1)) <= most


def test_network_delay_is_kept_back(engine: UsiClient) -> None:
    engine.send("setoption name NetworkDelay value 300")
    assert longest(play(engine, "go byoyomi 500", 1)) <= 260
    engine.send("setoption name NetworkDelay value 15")


def test_a_forced_move_is_played_at_once(engine: UsiClient) -> None:
    """Check that the engine plays its only legal move at once, although the clock would allow minutes for it."""
    engine.send("position sfen 4k/5/5/rp3/K4 b - 1")
    assert len(referee.legal_moves("4k/5/5/rp3/K4 b - 1")) == 1
    assert engine.cost("go btime 3600000 wtime 3600000")[0].worked < 0.5


def test_ponderhit_starts_the_clock(engine: UsiClient) -> None:
    cost = after_pondering(engine, START, 600, "btime 0 wtime 0 byoyomi 400")  # pondering takes longer than the byoyomi
    assert cost.worked < 0.8


SETTLED = (
    "rBsk1/3gR/5/P4/KGS2 w BP 6",
    "1r1gk/1s2p/5/P4/KGS1R b Bb 5",
    "rbsg1/3kp/4R/P1S2/K1Gb1 b - 15",
)  # positions whose best move is found at once and does not change


def after_pondering(engine: UsiClient, sfen: str, ponder_ms: int, go: str) -> Cost:
    """Let the engine ponder until it has used `ponder_ms` milliseconds of processor time. Then send `ponderhit`, and
    return the cost of the answer."""
    engine.send("usinewgame", f"position sfen {sfen}")
    engine.answer()
    worked = engine.worked()
    engine.send(f"go ponder {go}")
    while engine.worked() - worked < ponder_ms / 1000:
        time.sleep(0.01)
    assert not any(line.startswith("bestmove") for line in engine.answer())
    return engine.cost("ponderhit")[0]


@pytest.mark.long
def test_a_move_decided_during_pondering_is_played_at_once(engine: UsiClient) -> None:
    """Check that the engine usually answers `ponderhit` at once if it has already decided on a move. The clock would
    allow 400 ms for the move. If the score has just fallen, the engine thinks longer. On a busy machine, the search
    continues until the thread that reads `ponderhit` gets a processor."""
    clock = "btime 10000 wtime 10000"
    costs = [after_pondering(engine, sfen, ms, clock).worked for sfen in SETTLED for ms in (700, 1100, 1500)]
    assert statistics.median(costs) < 0.2 and max(costs) < 3.5, costs


def test_after_very_short_pondering_the_engine_thinks(engine: UsiClient) -> None:
    costs = [after_pondering(engine, sfen, 1, "btime 10000 wtime 10000") for sfen in SETTLED]
    assert statistics.median(cost.elapsed for cost in costs) > 0.1, costs
    assert max(cost.worked for cost in costs) < 3.5, costs


def test_byoyomi_is_used_up_after_pondering(engine: UsiClient) -> None:
    cost = after_pondering(engine, START, 800, "btime 0 wtime 0 byoyomi 400")
    assert cost.elapsed > 0.2 and cost.worked < 0.8


def test_the_minimum_thinking_time_is_kept_after_pondering(engine: UsiClient) -> None:
    engine.send("setoption name MinimumThinkingTime value 300")
    cost = after_pondering(engine, SETTLED[1], 1500, "btime 10000 wtime 10000")
    engine.send("setoption name MinimumThinkingTime value 0")
    assert cost.elapsed > 0.29 and cost.worked < 1.6


def test_stop_is_answered_at_once(engine: UsiClient) -> None:
    """Check that `stop` is answered soon. On a busy machine, the search continues until the thread that reads `stop`
    gets a processor, and the limit for the processor time allows for this. docs/performance.md has the elapsed time on
    a quiet machine."""
    costs = []
    for number in range(30):
        engine.send("position startpos moves 3e3d", "go infinite")
        time.sleep(0.01 + 0.002 * number)
        costs.append(engine.cost("stop")[0].worked)
    assert statistics.median(costs) < 0.05, sorted(costs)


def test_stop_immediately_after_go(engine: UsiClient) -> None:
    for _ in range(100):
        engine.go("infinite\nstop")
        engine.go("ponder byoyomi 1\nponderhit")


def test_usiok_comes_at_once() -> None:
    """Check that the engine uses less than 0.4 s of processor time from its start until `usiok`. On a quiet machine,
    `usiok` comes after at most 0.2 s."""
    with UsiClient() as client:
        client.send("usi")
        client.read_until("usiok")
        assert client.worked() < 0.4


@pytest.mark.parametrize("variant", [None, "minishogi"])
def test_readyok_comes_soon_once_the_library_is_built(variant: str | None) -> None:
    """Check that the engine uses less than 1 s of processor time to answer `isready` if the library is already built.
    On a quiet machine, the answer comes after at most 0.5 s."""
    UsiClient(variant=variant).ready().close()
    with UsiClient(variant=variant) as client:
        client.send("usi")
        client.read_until("usiok")
        assert client.cost("isready", answer="readyok")[0].worked < 1


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_memory_with_a_hash_of_64_mb(engine: UsiClient) -> None:
    with UsiClient().ready() as client:
        client.send("setoption name USI_Hash value 64", "position startpos")
        client.go("movetime", 3000)
        assert client.resident() < 200 << 20


@pytest.mark.long
def test_the_first_start_compiles(tmp_path: Path) -> None:
    """Check that the engine compiles its library at the first start. `usiok` must come at once, and the engine must
    write lines regularly while it compiles. Commands that were sent earlier must be answered in order after the
    compilation.

    Only the library for the chosen variant must be built, here Onitama, which is compiled fastest. Compilers in
    separate processes build it.
    """
    env = {"XDG_CACHE_HOME": str(tmp_path), "KOGOMA_CACHE": str(tmp_path)}
    with UsiClient(env=env, variant="onitama") as client:
        client.send("usi")
        client.read_until("usiok")
        assert client.worked() < 0.4
        client.send("isready", "position startpos moves 10:a1c2", "go depth 3", "nonsense")
        began = time.perf_counter()
        lines = client.read_until("readyok", 600)
        took = time.perf_counter() - began
        assert lines[0].startswith("info string ")
        assert all(line == "" or line.startswith("info string ") for line in lines[:-1])
        assert lines.count("") >= took // (2 * KEEP_ALIVE), f"{took} s"
        after = client.read_until("bestmove ")
        game = started_game(VARIANTS["onitama"].start)
        game.play(action_of("10:a1c2"))
        assert action_of(after[-1].split()[1]) in game.actions()
        assert any(line.startswith("info string error: unknown command") for line in [*after, *client.answer()])
        assert {path.name.split("-")[2] for path in tmp_path.rglob("*.o")} == {"onitama"}
        assert client.quit() == 0


@pytest.mark.parametrize("variant", mostly_long([None, "minishogi"], "minishogi"))
def test_quit_does_not_wait_for_the_build(tmp_path: Path, variant: str | None) -> None:
    """Check that `quit` during the compilation ends the engine and its compilers. A compiler that continued to run
    would put a file into the empty cache."""
    env = {"XDG_CACHE_HOME": str(tmp_path), "KOGOMA_CACHE": str(tmp_path)}
    with UsiClient(env=env, variant=variant) as client:
        client.send("isready", "position startpos", "go infinite")
        client.read_until("info string ")
        assert client.quit() == 0
    assert not list(tmp_path.rglob("*.o")), "the engine waited for a compiler"
