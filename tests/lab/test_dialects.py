"""Engines that write the turning back of a promoted piece differently. A test position shows which way an engine
uses."""

from __future__ import annotations

import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kogoma.lab.engines.dialects import turn_back_example, turned
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from support import referee
from support.browsers.board_server import Talk, board_server
from support.lab_runs import read_games, run
from support.peers import absent
from support.usi_client import ROOT

pytestmark = pytest.mark.slow

BOT = ROOT / "tests" / "support" / "bots" / "dialect.py"


def command(sign: str) -> str:
    return shlex.join(["env", f"PYTHONPATH={ROOT}", sys.executable, str(BOT), sign])


def turns_back(variant: str, start: str, moves: list[str]) -> int:
    """Return how many moves of a game turn a promoted piece back."""
    position, found = new_position(variant, start), 0
    for move in moves:
        found += move.endswith("+") and turned(position, move[:2])
        position.push(move)
    return found


def test_only_kyoto_and_micro_need_a_test_position() -> None:
    assert [name for name in VARIANTS if turn_back_example(VARIANTS[name])] == ["micro", "kyoto"]


@pytest.mark.parametrize("variant", ["kyoto", "micro"])
def test_each_dialect_plays_whole_games(variant: str, tmp_path: Path) -> None:
    engines = [word for sign in "+-" for word in ("-engine", f"name={sign}", f"cmd={command(sign)}")]
    flags = f"-variant {variant} -each nodes=1 -games 4 -maxmoves 60 -out m.jsonl".split()
    done = run("match", *engines, *flags, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    games = read_games(tmp_path / "m.jsonl")
    assert [game["fault"] for game in games] == [None] * 4
    assert variant != "kyoto" or sum(turns_back(variant, game["start"], game["moves"]) for game in games) > 10


def test_an_engine_without_a_known_dialect_is_refused(tmp_path: Path) -> None:
    flags = "-variant kyoto -each nodes=1 -games 2".split()
    done = run("match", "-engine", "-engine", "name=odd", f"cmd={command('none')}", *flags, folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("match: odd cannot be started: cannot read moves of kyoto that")


@pytest.mark.parametrize("protocol", ["usi", "uci"])
@pytest.mark.parametrize("variant", ["kyoto", "micro"])
def test_fairy_stockfish_searches_the_positions_of_the_game(variant: str, protocol: str, tmp_path: Path) -> None:
    fairy = referee.find_fairy_stockfish()
    if fairy is None:
        absent("fairy-stockfish")
    engines = ["-engine", "nodes=200", "-engine", "name=fairy", f"cmd={fairy}", f"proto={protocol}", "nodes=1000"]
    flags = f"-variant {variant} -games 4 -maxmoves 60 -out m.jsonl".split()
    done = run("match", *engines, *flags, folder=tmp_path)
    assert done.returncode == 0, done.stderr + done.stdout
    assert [game["fault"] for game in read_games(tmp_path / "m.jsonl")] == [None] * 4


def test_the_page_uses_the_same_dialect() -> None:
    """Check that the page's server, like a match, uses the engine's way of writing moves that turn a piece back. The
    server must write moves in this way, and must read the engine's answers in the same way."""
    sfen, usi = turn_back_example(VARIANTS["kyoto"]) or ("", "")
    position = new_position("kyoto", sfen)
    position.push(usi)

    async def ask(talk: Talk, name: str) -> dict[str, Any]:
        assert await talk.open(name, variant="kyoto") == {"tell": "ready"}
        return await talk.search(sfen, (usi,), nodes=1)

    words = [word for name, sign in (("plus", "+"), ("minus", "-")) for word in ("--engine", f"{name}={command(sign)}")]
    with board_server(*words) as server:
        for name in ("plus", "minus"):
            assert server.talk(partial(ask, name=name))["best"] == sorted(position.legal_moves())[0]
