"""Measure the figures of docs/performance.md. Run it in the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.measure

Ratios are medians of runs that alternate with runs of Fairy-Stockfish on the same machine. Absolute times depend on
other load.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from pathlib import Path

from support import referee
from support.usi_client import UsiClient, info_fields

START = "rbsgk/4p/5/P4/KGSBR b - 1"
MIDDLE_GAMES = (
    "1r2k/1r2g/B1s2/PS3/KG1B1 b p 13",
    "1r2k/2sgp/5/PGB2/K1S1R b b 11",
    "r2k1/1sbgp/5/PGBS1/1KR2 b - 19",
    "r3k/1sbg1/5/PG1Sp/KR1B1 w - 34",
    "2r1k/Bsbg1/5/PG1Sp/K2R1 b - 43",
)
ROUNDS = 3


def perft_speed(engine: UsiClient, depth: int) -> float:
    """Return the nodes per second of one `go perft` from the start position. The measured time includes the
    communication with the engine."""
    engine.send(f"position sfen {START}")
    engine.ready()
    started = time.perf_counter()
    engine.send(f"go perft {depth}")
    last = engine.read_until("Nodes searched")[-1]
    return int(last.split()[-1]) / (time.perf_counter() - started)


def search_speed(engine: UsiClient, sfen: str, movetime: int) -> float:
    """Return the nodes per second of one search."""
    engine.send("usinewgame", f"position sfen {sfen}")
    engine.ready()
    lines, _ = engine.go("movetime", movetime)
    last = info_fields([line for line in lines if " nodes " in line][-1])
    return int(last["nodes"]) / (int(last["time"]) / 1000)


def ratio(ours: list[float], theirs: list[float]) -> str:
    """Return a text with the medians of both lists, in millions of nodes per second, and the ratio of the medians."""
    a, b = statistics.median(ours), statistics.median(theirs)
    return f"{a / 1e6:.2f} against {b / 1e6:.2f} million nodes/s: {a / b:.2f} times"


def fairy() -> UsiClient:
    """Start Fairy-Stockfish for minishogi with one thread and 64 MB."""
    path = referee.find_fairy_stockfish()
    assert path is not None, "fairy-stockfish is not installed"
    peer = UsiClient([path], variant=None)
    peer.send("usi", "setoption name UCI_Variant value minishogi", "setoption name Hash value 64")
    return peer.ready()


def speeds() -> None:
    """Print the speeds of perft and of the search relative to Fairy-Stockfish, and the speed of two threads relative to
    one thread."""
    with UsiClient() as kogoma, fairy() as peer:
        kogoma.ready()
        ours, theirs = [], []
        for _ in range(5):
            ours.append(perft_speed(kogoma, 6))
            theirs.append(perft_speed(peer, 6))
        print(f"perft 6 from the start: {ratio(ours, theirs)}")
        ratios = []
        for sfen in (START, *MIDDLE_GAMES):
            ours, theirs = [], []
            for _ in range(ROUNDS):
                ours.append(search_speed(kogoma, sfen, 1000))
                theirs.append(search_speed(peer, sfen, 1000))
            ratios.append(statistics.median(ours) / statistics.median(theirs))
            print(f"search, {sfen}: {ratio(ours, theirs)}")
        print(f"search, all six: {statistics.geometric_mean(ratios):.2f} times (geometric mean)")
        two, one = [], []
        for _ in range(5):
            for sfen in (START, MIDDLE_GAMES[0]):
                kogoma.send("setoption name Threads value 2")
                two.append(search_speed(kogoma, sfen, 1000))
                kogoma.send("setoption name Threads value 1")
                one.append(search_speed(kogoma, sfen, 1000))
        print(f"two threads: {ratio(two, one)} one")


def start_times(variant: str) -> None:
    """Print the times from `usi` to `usiok` and from `isready` to `readyok` in new processes."""
    print(f"{variant}:")
    usi, ready = [], []
    for _ in range(20):
        started = time.perf_counter()
        with UsiClient(variant=variant) as engine:
            engine.send("usi")
            engine.read_until("usiok")
            usi.append(time.perf_counter() - started)
            started = time.perf_counter()
            engine.ready()
            ready.append(time.perf_counter() - started)
            engine.quit()
    print(f"process start and usi -> usiok: median {statistics.median(usi):.3f} s, worst {max(usi):.3f} s")
    print(f"isready -> readyok, built: median {statistics.median(ready):.3f} s, worst {max(ready):.3f} s")
    with tempfile.TemporaryDirectory() as cache, UsiClient(env={"XDG_CACHE_HOME": cache}, variant=variant) as engine:
        started = time.perf_counter()
        engine.send("usi")
        engine.read_until("usiok")
        print(f"process start and usi -> usiok, nothing compiled: {time.perf_counter() - started:.3f} s")
        started = time.perf_counter()
        engine.ready()
        print(f"isready -> readyok, nothing compiled: {time.perf_counter() - started:.1f} s")


def stops() -> None:
    """Print the times from `stop` to `bestmove`, and the engine's peak memory."""
    chance = random.Random(1)
    late = []
    with UsiClient() as engine:
        engine.send("setoption name USI_Hash value 64")
        engine.ready()
        engine.send("position startpos")
        for _ in range(200):
            engine.send("go infinite")
            time.sleep(chance.uniform(0.01, 0.08))
            started = time.perf_counter()
            engine.send("stop")
            engine.read_until("bestmove")
            late.append((time.perf_counter() - started) * 1000)
        engine.go("movetime", 3000)
        status = Path(f"/proc/{engine.process.pid}/status").read_text()
        memory = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024
    late.sort()
    print(
        f"stop -> bestmove, 200 stops: median {statistics.median(late):.1f} ms, 95% within {late[189]:.1f} ms, "
        f"worst {late[-1]:.1f} ms"
    )
    print(f"most resident memory, USI_Hash 64: {memory:.0f} MB")


def byoyomi(moves: int = 500) -> None:
    """Print how long the moves take in self-play. Each side has a byoyomi of 100 ms and no main time."""
    times: list[float] = []
    with UsiClient() as engine:
        engine.ready()
        played: list[str] = []
        while len(times) < moves:
            engine.send("position startpos" + (" moves " + " ".join(played) if played else ""))
            started = time.perf_counter()
            _, move = engine.go("btime", 0, "wtime", 0, "byoyomi", 100)
            times.append((time.perf_counter() - started) * 1000)
            played.append(move)
            if move == "resign" or len(played) > 200:
                played = []
    late = sum(ms > 100 for ms in times)
    print(
        f"byoyomi 100: {late} overruns in {len(times)} moves, median {statistics.median(times):.1f} ms, "
        f"worst {max(times):.1f} ms"
    )


if __name__ == "__main__":
    for game in ("minishogi", "shogi"):
        start_times(game)
    speeds()
    stops()
    byoyomi()
