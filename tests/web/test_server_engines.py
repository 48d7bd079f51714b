"""Engines behind the local server's socket give the same answers as on the command line, and their faults are
reported."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kogoma.rules.position import new_position
from support import referee
from support.browsers.board_server import START, BoardServer, Talk, board_server
from support.peers import absent
from support.usi_client import ROOT, UsiClient, until

pytestmark = pytest.mark.slow

BOT = shlex.join([sys.executable, "-S", str(ROOT / "tests" / "support" / "bots" / "scripted.py"), "usi"])
FAULTS = {
    "crash": "exit code 3",
    "abort": "SIGABRT",
    "exit": "exit code 0",
    "close": "closed its output",
    "nonsense": "not a move",
    "illegal": "illegal move '1a1b'",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("engines")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[BoardServer]:
    (folder / "moves").write_text("3e3d\n")
    bot = f"{BOT} moves={shlex.quote(str(folder / 'moves'))}"
    words = [f"{fault}={bot} at=1 {fault} once={shlex.quote(str(folder / fault))}" for fault in FAULTS]
    words += [
        f"plain={bot}",
        f"flood={bot} at=1 flood=40",
        f"hang={bot} at=1 hang once={shlex.quote(str(folder / 'hang'))}",
    ]
    words += [f"none={bot} at=1 none", f"unfit={BOT} unfit"]
    if (fairy := referee.find_fairy_stockfish()) is not None:
        words.append(f"Fairy={shlex.quote(str(fairy))}")
    with board_server(*(word for each in words for word in ("--engine", each))) as found:
        yield found


def test_answers_equal_the_engines(server: BoardServer) -> None:
    async def searched(talk: Talk) -> Any:
        assert await talk.open(variant="kyoto", threads=1, hashMb=16) == {"tell": "ready"}
        result = await talk.search("", ("1e1d+",), {"multipv": 3}, depth=7)
        return result, list(talk.infos)

    with UsiClient(variant="kyoto") as engine:
        engine.send("setoption name USI_Hash value 16", "setoption name MultiPV value 3", "usinewgame")
        engine.send("position startpos moves 1e1d+", "go depth 7")
        lines = engine.read_until("bestmove")
    result, infos = server.talk(searched)
    last = {info["multipv"]: info for info in infos}
    expected = {int(words[words.index("multipv") + 1]): words for line in lines if "pv" in (words := line.split())}
    assert set(last) == set(expected) == {1, 2, 3}
    for rank, words in expected.items():
        info = last[rank]
        assert info["pv"] == words[words.index("pv") + 1 :]
        assert [info["scoreKind"], str(info["score"])] == words[words.index("score") + 1 :][:2]
        assert str(info["depth"]) == words[words.index("depth") + 1] == "7"
    assert result["best"] == lines[-1].split()[1] and result["nodes"] == last[1]["nodes"]


def test_an_analysis_goes_on_until_it_is_stopped(server: BoardServer) -> None:
    async def analyse(talk: Talk) -> None:
        await talk.open(threads=1, hashMb=16)
        for moves in ((), ("3e3d",)):
            await talk.begin(START, moves, infinite=True)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(talk.hear(), 0.7)
            assert talk.infos and talk.infos[-1]["nps"] > 0
            await talk.say(do="stop")
            result = await talk.hear()
            assert result["tell"] == "result"
            assert result["best"] in new_position("minishogi", START).legal_moves() or moves
        # Stop immediately after the start, and when no search runs.
        await talk.begin(infinite=True)
        await talk.say(do="stop")
        assert (await talk.hear())["best"]
        await talk.say(do="stop")
        await talk.say(do="newGame")
        assert (await talk.search(depth=1))["best"]
        assert (await talk.search(movetime=50))["best"]
        assert (await talk.search(btime=500, wtime=500, binc=0, winc=0, byoyomi=0))["best"]
        only = await talk.search(nodes=500, searchmoves=["5e4d"])
        assert only["best"] == "5e4d"

    server.talk(analyse)


def test_dice_and_ends_of_games(server: BoardServer) -> None:
    async def dice(talk: Talk) -> None:
        await talk.open(variant="dice", threads=1)
        start = new_position("dice").sfen()
        for roll in range(1, 7):
            assert (await talk.search(start, (), {}, depth=1, dice=roll))["tell"] == "result"

    async def over(talk: Talk) -> None:
        await talk.open(threads=1)
        mated = await talk.search("4k/4G/4P/5/K4 w - 1", nodes=100)
        assert (mated["best"], mated["scoreKind"], mated["score"]) == (None, "mate", 0)

    server.talk(dice)
    server.talk(over)


def test_impossible_searches_are_reported(server: BoardServer) -> None:
    async def ask(talk: Talk) -> None:
        await talk.open("plain")
        for given, limits, expected in (
            (("nonsense",), {"nodes": 5}, "SFEN"),
            (("9/9/9/9/9 b - 1",), {"nodes": 5}, ""),
            ((START, ("3e3d", "1a5e")), {"nodes": 5}, "move 2: illegal move '1a5e'"),
            ((START,), {"nodes": 5, "dice": 3}, "has no die"),
            ((START,), {"nodes": 5, "searchmoves": ["1a1b"]}, "1a1b is not legal here"),
        ):
            answer = await talk.search(*given, **limits)
            assert answer["tell"] == "error" and expected.lower() in answer["text"].lower(), answer
            assert "\n" not in answer["text"]
        assert (await talk.search(nodes=5))["best"] == "3e3d"

    server.talk(ask)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_reported_and_the_next_search_restarts_the_engine(server: BoardServer, fault: str) -> None:
    async def fail(talk: Talk) -> None:
        assert await talk.open(fault) == {"tell": "ready"}
        failure = await talk.search(nodes=5)
        assert failure["tell"] == "failure" and failure["text"].startswith(f"{fault}: ")
        assert FAULTS[fault] in failure["text"]
        assert (await talk.search(nodes=5))["best"] == "3e3d"

    server.talk(fail)


@pytest.mark.long
def test_engines_that_hang_flood_or_do_not_start(server: BoardServer) -> None:
    async def all_of_them(talk: Talk) -> None:
        assert "no licence found" not in (failure := await talk.open("unfit"))["text"]
        assert failure["tell"] == "failure" and failure["id"] is None

    async def hang(talk: Talk) -> None:
        await talk.open("hang")
        await talk.begin(infinite=True)
        await talk.say(do="stop")
        assert (await talk.hear())["tell"] == "failure"
        assert (await talk.search(nodes=5))["best"] == "3e3d"

    async def flood(talk: Talk) -> None:
        await talk.open("flood")
        assert (await talk.search(infinite=True))["best"] == "3e3d"

    async def none(talk: Talk) -> None:
        await talk.open("none")
        assert (await talk.search(infinite=True))["tell"] == "failure"

    for conversation in (all_of_them, hang, flood, none):
        server.talk(conversation)


def test_a_killed_engine_is_started_again(server: BoardServer) -> None:
    async def kill(talk: Talk) -> None:
        await talk.open(threads=1, hashMb=16)
        (before,) = server.engines()
        await talk.begin(infinite=True)
        await asyncio.sleep(0.3)
        os.kill(before, signal.SIGKILL)
        failure = await talk.hear()
        assert failure["tell"] == "failure" and "SIGKILL" in failure["text"]
        assert (await talk.search(nodes=1000))["best"]
        (after,) = server.engines()
        assert after != before
        os.kill(after, signal.SIGKILL)  # while it is idle
        await asyncio.sleep(0.3)
        assert (await talk.search(nodes=1000))["best"]

    server.talk(kill)


def wait_for_none(server: BoardServer) -> None:
    until(lambda: not server.engines())
    time.sleep(0.5)  # the server notices the end in this time


def has_ended(process: int) -> bool:
    """Return whether a process has ended. A zombie process counts as ended."""
    try:
        return "Z" in Path(f"/proc/{process}/stat").read_text().split()[2]
    except OSError:
        return True


def test_engines_end_with_their_pages_and_are_few(server: BoardServer) -> None:
    async def crowd() -> Any:
        sockets = [server.socket() for _ in range(9)]
        talks = [await each.__aenter__() for each in sockets]
        for talk in talks[:8]:
            assert await talk.open("plain") == {"tell": "ready"}
        last = await talks[8].hear()
        assert len(server.engines()) == 8
        for each in sockets:
            await each.__aexit__(None, None, None)
        return last

    wait_for_none(server)  # the engines of earlier tests must have ended
    last = asyncio.run(crowd())
    assert last["tell"] == "failure" and "8 engines" in last["text"]
    wait_for_none(server)


def test_another_engine_plays_too(server: BoardServer) -> None:
    if referee.find_fairy_stockfish() is None:
        absent("fairy-stockfish")

    async def play(talk: Talk) -> None:
        assert await talk.open("Fairy", threads=1, hashMb=16) == {"tell": "ready"}
        result = await talk.search(START, ("3e3d",), {"multipv": 2}, nodes=20_000)
        legal = new_position("minishogi", START)
        legal.push("3e3d")
        assert result["best"] in legal.legal_moves() and {info["multipv"] for info in talk.infos} == {1, 2}

    server.talk(play)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_engines_end_with_the_server(number: int) -> None:
    with board_server() as server:

        async def begin(talk: Talk) -> list[int]:
            await talk.open(threads=1, hashMb=16)
            await talk.begin(infinite=True)
            engines = server.engines()
            server.process.send_signal(number)
            assert "closed" in await talk.hear()
            return engines

        (engine,) = server.talk(begin)
        assert server.end(number) == (0 if number != signal.SIGKILL else -number)
        until(lambda: has_ended(engine))
