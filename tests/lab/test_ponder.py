"""Engines that ponder in a match."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from support.lab_runs import read_games, run

pytestmark = pytest.mark.slow

# A USI engine that plays the first legal move and expects the first legal reply. With the argument `early`, it answers
# `go ponder` at once. With `patient`, it waits for its opponent's early answer before each move
# except the first of a game.
BOT = """
import sys
import time
from pathlib import Path
from kogoma.rules.position import new_position

early_answer = Path(__file__).with_name("early-answer")
answered = True
for line in sys.stdin:
    words = line.split()
    if words[0] == "usi":
        print("usiok")
    elif words[0] == "isready":
        print("readyok")
    elif words[0] == "position":
        at = words.index("moves") if "moves" in words else len(words)
        position = new_position("minishogi", None if words[1] == "startpos" else " ".join(words[2:at]))
        for usi in words[at + 1 :]:
            position.push(usi)
    elif words[0] in ("go", "ponderhit", "stop"):
        if words[1:2] == ["ponder"] and "early" not in sys.argv:
            answered = False
        elif words[0] == "go" or not answered:
            if "patient" in sys.argv and position.moves:
                while not early_answer.exists():
                    time.sleep(0.01)
                early_answer.unlink()
                time.sleep(0.3)  # the match reads the answer
            best = position.legal_moves()[0]
            after = position.copy()
            after.push(best)
            replies = after.legal_moves()
            print("bestmove", best, *(["ponder", replies[0]] if replies else []))
            answered = True
    elif words[0] == "quit":
        break
    sys.stdout.flush()
    if words[:2] == ["go", "ponder"] and "early" in sys.argv:
        early_answer.touch()
"""


@pytest.fixture
def bot(tmp_path: Path) -> str:
    (tmp_path / "bot.py").write_text(BOT, encoding="utf-8")
    return f"{sys.executable} {tmp_path / 'bot.py'}"


def conversation(log: Path, name: str) -> list[str]:
    """Return the lines that an engine received (>) and sent (<), without its `info` lines."""
    found = re.findall(rf"^\S+ {name}\(\d+\) ([<>] .*)$", log.read_text("utf-8"), re.M)
    return [line for line in found if not line.startswith("< info")]


def test_pondering_ends_by_ponderhit_or_stop(tmp_path: Path, bot: str) -> None:
    flags = ["-engine", "name=bot", f"cmd={bot}", "ponder=on", "-engine", "name=plain", f"cmd={bot}"]
    flags += "-engine name=kogoma ponder=on option.USI_Hash=8".split()
    flags += "-each st=0.05 timemargin=3000 -tournament roundrobin -games 2 -out m.jsonl -log log.txt".split()
    done = run("match", *flags, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    games = read_games(tmp_path / "m.jsonl")
    assert len(games) == 6 and all(game["fault"] is None for game in games)
    for name in ("bot", "kogoma"):
        lines = conversation(tmp_path / "log.txt", name)
        assert "> setoption name USI_Ponder value true" in lines
        begun = [index for index, line in enumerate(lines) if line.startswith("> go ponder ")]
        ends = [next(line for line in lines[index + 1 :] if line.startswith(">")) for index in begun]
        assert set(ends) <= {"> ponderhit", "> stop"} and "> stop" in ends
        for index in begun:  # the engine sends no move before this command, and one move after it
            assert lines[index - 1].startswith("> position ")
            assert lines[index + 1].startswith(">") and lines[index + 2].startswith("< bestmove ")
    # Two bots that play the first legal move always expect the right reply.
    assert "> ponderhit" in conversation(tmp_path / "log.txt", "bot")
    assert not any("ponder" in line for line in conversation(tmp_path / "log.txt", "plain") if line.startswith(">"))


def test_a_move_before_ponderhit_is_a_fault(tmp_path: Path, bot: str) -> None:
    flags = ["-engine", "name=early", f"cmd={bot} early", "ponder=on"]
    flags += ["-engine", "name=patient", f"cmd={bot} patient"]
    flags += "-each st=0.5 timemargin=60000 -openings file=start -games 2 -recover -out m.jsonl".split()
    done = run("match", *flags, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    for game in read_games(tmp_path / "m.jsonl"):
        assert game["fault"] is not None and game["fault"]["engine"] == "early"
        assert "before ponderhit or stop" in game["fault"]["detail"]


@pytest.mark.parametrize(
    ("flags", "error"),
    [
        ("-engine name=a ponder=on -engine name=b -each nodes=10", "a: ponder=on needs a time control"),
        (
            "-engine name=a ponder=on proto=xboard cmd=x -engine name=b -each st=1",
            "a: ponder=on needs an engine that speaks",
        ),
        ("-variant dice -engine name=a ponder=on -engine name=b -each st=1", "a: ponder=on is not possible with a die"),
    ],
)
def test_engines_that_cannot_ponder_are_refused(tmp_path: Path, flags: str, error: str) -> None:
    done = run("match", *flags.split(), folder=tmp_path)
    assert done.returncode == 2 and error in done.stderr
