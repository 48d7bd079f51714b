"""Whole games with clients written by others: uci2wb, xboard, cshogi and lishogi's client."""

from __future__ import annotations

import configparser
import importlib
import os
import queue
import random
import re
import shlex
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kogoma.rules.variants import VARIANTS
from support import referee
from support.peers import absent, find_program
from support.scope import mostly_long
from support.usi_client import ENGINE, PATIENCE, ROOT

AT_XBOARD = {"minishogi": "5x5+5_shogi", "shogi": "shogi"}
LONGEST_GAME = 300
LONG_ENOUGH = 60  # plies of a game with clocks
XBOARD_GAMES = 3

pytestmark = [pytest.mark.slow, pytest.mark.clock]


def find(program: str) -> str:
    """Return the path of a program. Skip the test if it is not installed."""
    path = find_program(program)
    if path is None:
        absent(program)
    return path


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    """Return a script that starts the engine, for clients that accept no arguments or only short ones."""
    script = tmp_path / "kogoma"
    script.write_text(f"#!/bin/sh\ncd {shlex.quote(str(ROOT))}\nexec {shlex.join(ENGINE)}\n", encoding="utf-8")
    script.chmod(0o755)
    return script


class Adapter:
    """A uci2wb process, to which the test sends commands as xboard would."""

    def __init__(self, path: str, engine: Path, variant: str) -> None:
        command = [path, "-var", AT_XBOARD[variant], "-s", f"./{engine.name}", str(engine.parent)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def read_until(self, *starts: str) -> list[str]:
        found: list[str] = []
        while True:
            line = self.lines.get(timeout=PATIENCE)
            assert line is not None, found
            found.append(line)
            if line.startswith(starts):
                return found

    def close(self) -> None:
        self.send("quit")
        self.process.wait(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)


@pytest.mark.parametrize(("variant", "engine_first"), [("minishogi", True), ("minishogi", False), ("shogi", False)])
def test_a_game_through_uci2wb(engine: Path, variant: str, engine_first: bool) -> None:
    """Check that the engine, used through uci2wb, makes only legal moves and beats a player that moves at random. The
    engine has one minute for 40 moves."""
    size = VARIANTS[variant].files
    adapter = Adapter(find("uci2wb"), engine, variant)
    adapter.send("xboard", "protover 2")
    features = adapter.read_until("feature smp")
    assert any(f'variants="{AT_XBOARD[variant]}"' in line for line in features)
    assert any("Kogoma" in line for line in features)
    if variant != "shogi":
        adapter.send(f"option USI_Variant={variant}")
    adapter.send("new", f"variant {AT_XBOARD[variant]}")
    adapter.send("level 40 1 0", "easy", "post", "ping 1")
    adapter.read_until("pong 1")
    adapter.send("time 600", "otim 600")
    rng, game, verdict, thoughts = random.Random(2), referee.Game(VARIANTS[variant].start, variant), None, 0
    engine_turn = engine_first
    if engine_first:
        adapter.send("go")
    while verdict is None and len(game.moves) < LONGEST_GAME:
        if engine_turn:
            lines = adapter.read_until("move ", "resign")
            thoughts += sum(line.lstrip()[:1].isdigit() for line in lines)
            assert lines[-1].startswith("move "), lines
            move = lines[-1].split()[1].rstrip("=")
            verdict = game.play(referee.move_to_usi(move, size, size))
            assert verdict is None or verdict.reason not in ("illegal_move", "pawn_drop_mate"), (game.moves, move)
        else:
            for usi in rng.sample(choices := game.legal_moves(), len(choices)):
                verdict = game.play(usi)
                if verdict is None or verdict.reason != "pawn_drop_mate":
                    break
            adapter.send("time 600", "otim 600", f"usermove {referee.move_to_uci(usi, size, size)}")
        engine_turn = not engine_turn
    assert thoughts > 0
    assert verdict is not None and verdict.winner == (0 if engine_first else 1)
    adapter.send(f"result {'1-0' if engine_first else '0-1'} {{mate}}")
    adapter.close()
    assert adapter.process.returncode == 0


@dataclass(frozen=True)
class Dialogue:
    """The two log files of one engine process: the lines that the client sent, and the engine's answers."""

    sent: Path
    answered: Path

    def check(self) -> None:
        """Assert that each of the engine's moves is legal. If the client's position command has an illegal move, the
        engine's move must be legal in the position before this illegal move."""
        lines = self.sent.read_text("ascii").splitlines()
        positions = [line.partition(" moves")[2].split() for line in lines if line.startswith("position ")]
        answers = re.findall(r"^bestmove (\S+)", self.answered.read_text("ascii"), re.M)
        assert abs(len(positions) - len(answers)) <= 1, (positions, answers)  # the last lines may not be logged yet
        game, played = referee.Game(VARIANTS["minishogi"].start, "minishogi"), list[str]()
        for moves, answer in zip(positions, answers):
            if moves[: len(played)] != played:  # most positions continue the one before
                game, played = referee.Game(VARIANTS["minishogi"].start, "minishogi"), []
            for move in moves[len(played) :]:
                verdict = game.play(move)
                if verdict is not None and verdict.reason == "illegal_move":
                    break
                played.append(move)
            if answer != "resign":
                verdict = game.play(answer)
                assert verdict is None or verdict.reason not in ("illegal_move", "pawn_drop_mate"), (moves, answer)
                played.append(answer)


@pytest.fixture
def logged(engine: Path, tmp_path: Path) -> Path:
    """Return a script that starts the engine. The script writes the engine's input and output to log files named after
    the process id."""
    script, log = tmp_path / "logged", shlex.quote(str(tmp_path / "log"))
    text = f"#!/bin/sh\ntee {log}.$$.in | {shlex.quote(str(engine))} | tee {log}.$$.out\n"
    script.write_text(text, encoding="utf-8")
    script.chmod(0o755)
    return script


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="xboard needs an X server, here xvfb-run's")
def test_a_game_in_xboard(logged: Path, tmp_path: Path) -> None:
    """Check that xboard, started as docs/gui.md says, lets the engine play against itself, and saves the game.

    On a busy machine, xboard sometimes receives a move of an earlier turn, and calls this move invalid. The logs show
    whether the engine or uci2wb is at fault. If all of the engine's moves are legal, the test plays another game.
    """
    line = re.search(r"^ *xboard .*", (ROOT / "docs" / "gui.md").read_text("utf-8"), re.M)
    assert line is not None
    words = shlex.split(line[0].replace("/path/to/engine.sh", str(logged)))
    player, record = words[words.index("-fcp") + 1], tmp_path / "game.pgn"
    command = [find("xvfb-run"), "-a", *words, "-scp", player, "-secondOptions", "USI_Variant=minishogi"]
    command += ["-mg", "1", "-tc", "1", "-inc", "0", "-depth", "4", "-sgf", str(record)]
    command += ["-ponderNextMove", "false", "-soundProgram", "true", "-popupExitMessage", "false"]
    path = f"{os.environ['PATH']}:{Path(find('uci2wb')).parent}"  # Debian's users have /usr/games in PATH
    environment = {**os.environ, "PATH": path}
    for _ in range(XBOARD_GAMES):
        record.unlink(missing_ok=True)
        for log in tmp_path.glob("log.*"):
            log.unlink()
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
        assert record.exists(), done.stderr
        dialogues = [Dialogue(log, log.with_suffix(".out")) for log in tmp_path.glob("log.*.in")]
        assert len(dialogues) >= 2
        for dialogue in dialogues:
            dialogue.check()
        text = record.read_text(encoding="utf-8")
        if "invalid move" not in text:
            break
    assert '[White "Kogoma' in text and '[Black "Kogoma' in text
    assert any(f'[Result "{result}"]' in text for result in ("1-0", "0-1", "1/2-1/2")), text
    assert not any(word in text.lower() for word in ("illegal", "invalid", "forfeit", "exits", "flag fell")), text


@pytest.mark.parametrize("variant", mostly_long(["minishogi", "shogi"], "minishogi"))
def test_a_game_through_cshogi(engine: Path, variant: str) -> None:
    """Check that the engine can play a game against itself through cshogi's client. The moves, info lines and ponder
    moves must be valid, and so must the answer to `go mate`."""
    try:
        usi: Any = importlib.import_module("cshogi.usi")
    except ImportError:
        absent("cshogi")
    client, listener = usi.Engine(str(engine)), usi.InfoListener()
    assert client.name.startswith("Kogoma")
    client.setoption("USI_Hash", 16)
    client.setoption("USI_Variant", variant)
    client.isready()
    client.usinewgame()
    game, played, verdict = referee.Game(VARIANTS[variant].start, variant), list[str](), None
    while verdict is None and len(played) < LONG_ENOUGH:
        client.position(played)
        move, ponder = client.go(btime=0, wtime=0, byoyomi=60, listener=listener.listen())
        assert listener.pv[0] == move and isinstance(listener.score, int)
        verdict = game.play(move)
        assert verdict is None or verdict.reason not in ("illegal_move", "pawn_drop_mate"), (played, move)
        played.append(move)
        assert ponder is None or ponder in game.legal_moves()
    client.gameover("win")
    client.position(played)
    mate = client.go_mate(byoyomi=200)
    if mate not in ("nomate", "timeout"):
        assert verdict is None  # the game ended in a position with a mate
        end = [game.play(move) for move in mate.split()][-1]
        assert end is not None and end.reason == "checkmate"
    if verdict is not None and verdict.reason == "checkmate":
        assert client.go(byoyomi=60)[0] == "resign"
    client.quit()


def test_lishoginet_accepts_the_engine(engine: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Check that lishogi's client accepts the engine. Requests like those of lishogi's server must lead to legal moves
    and to an analysis.

    The client writes squares as in chess: its `3i4h` is `7a6b` in USI notation. It marks a promotion with the letter of
    the piece.
    """
    try:
        lishoginet: Any = importlib.import_module("lishoginet")
    except ImportError:
        absent("lishoginet")
    config = configparser.ConfigParser()
    config["Lishoginet"] = {"EngineDir": str(engine.parent), "StockfishCommand": f"./{engine.name}"}
    assert lishoginet.get_stockfish_command(config, update=False) == f"./{engine.name}"
    worker = lishoginet.Worker(config, 1, 16, 0, 0, None)
    worker.start_stockfish()
    try:
        assert worker.stockfish_info["name"].startswith("Kogoma")
        for name, variant in (("standard", "shogi"), ("minishogi", "minishogi")):
            start = VARIANTS[variant].start
            moves = referee.legal_moves(start, variant=variant)[:1]
            job: dict[str, Any] = {"work": {"id": "x", "level": 4}, "variant": name, "position": start}
            job |= {"moves": lishoginet.ucitousi(moves[0], True), "nodes": 5000}
            best = lishoginet.ucitousi(worker.bestmove(job)["move"]["bestmove"], True)
            assert best in referee.legal_moves(start, moves, variant)
            for ply, found in enumerate(worker.analysis(job)["analysis"]):
                assert found["depth"] > 2 and found["nodes"] > 1000 and abs(found["score"]["cp"]) < 1000
                assert found["pv"].split()[0] in referee.legal_moves(start, moves[:ply], variant)
    finally:
        worker.kill_stockfish()
    assert "Unexpected" not in caplog.text
