"""`go mate` as a GUI meets it, and the command line's `mate`."""

from __future__ import annotations

import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

import usi_engine
from oracles import shogi as oracle
from support.usi_client import ENGINE, ROOT, UsiClient, info_fields

PROBLEM = "1rsg1/P2k1/4R/1G3/K1SB1 b BP 1"
HARD = "9/9/9/9/2K1k4/+B8/9/9/9 b G2S2NL5Prb3gn7p 1"
STOPS = 60
BESIDE_THE_TABLE = 150 << 20  # bytes


def solved(engine: UsiClient, *lines: str) -> tuple[list[str], list[str]]:
    """What is said, and the words after `checkmate`."""
    engine.send(*lines)
    said = engine.read_until("checkmate ", 120)
    return said[:-1], said[-1].split()[1:]


def is_checkmate(sfen: str, moves: list[str]) -> bool:
    """Whether these moves lead to a mate, by the naive rules."""
    game = oracle.Game(oracle.MINISHOGI, sfen)
    for move in moves:
        game.push(move)
    return oracle.in_check(game.position, game.position.turn) and not oracle.legal_moves(game.position)


def turned(sfen: str) -> str:
    """The position with the sides exchanged."""
    board, side, hands, number = sfen.split()
    return f"{board[::-1].swapcase()} {'w' if side == 'b' else 'b'} {hands.swapcase()} {number}"


def test_mates_and_positions_without_one() -> None:
    with UsiClient() as engine:
        for sfen in (PROBLEM, turned(PROBLEM)):
            for words in ("infinite", "shortest 60000", "60000 nodes 1000000"):
                said, moves = solved(engine, f"position sfen {sfen}", f"go mate {words}")
                assert is_checkmate(sfen, moves), (sfen, moves)
                last = info_fields(next(line for line in reversed(said) if " pv " in line))
                assert last["pv"].split() == moves and int(last["mate"]) >= len(moves)
                assert ("the shortest" in said[-1]) == (words.startswith("shortest") or len(moves) == 1)
        # A mate after moves, White to move; the attacker is the side to move.
        _, moves = solved(engine, "position sfen 4k/5/4P/5/K4 w G 1 moves 1a2a", "go mate 1000")
        assert moves == ["nomate"]
        _, moves = solved(engine, "position sfen 4k/5/4P/5/K4 w G 1 moves 1a2a 5e4e 2a1a", "go mate 1000")
        assert moves == ["G*1b"]
        _, moves = solved(engine, "position startpos", "go mate")
        assert moves == ["nomate"]
        said, moves = solved(engine, "setoption name USI_Variant value dice", "position startpos", "go mate 100")
        assert moves == ["notimplemented"] and "die" in said[-1]
        _, best = engine.go("depth", 3)  # the search's table has been used for other things meanwhile
        assert best


def test_limits_end_with_timeout_and_stop_is_obeyed_at_once() -> None:
    """19 of 20 stops take the engine less than 10 ms of a processor's time, and less than 100 ms on a busy machine's
    clock; docs/mate.md has the clock of a quiet one."""
    with UsiClient(variant="shogi") as engine:
        engine.send("setoption name USI_Hash value 1", f"position sfen {HARD}")
        assert solved(engine, "go mate 300")[1] == ["timeout"]
        assert solved(engine, "go mate infinite nodes 3000")[1] == ["timeout"]
        said, moves = solved(engine, "go mate 2500")
        assert moves == ["timeout"] and sum(" nps " in line for line in said) >= 2
        delays = [stop_delay(engine, pause=0.02) for _ in range(STOPS)]
        elapsed, worked = (statistics.quantiles(seconds, n=20)[-1] for seconds in zip(*delays))
        assert worked < 0.01, delays
        assert elapsed < 0.1, delays


def stop_delay(engine: UsiClient, pause: float) -> tuple[float, float]:
    """Seconds from `stop` to the answer, and those of them in which the engine had a processor (Linux, elsewhere 0)."""
    engine.send("go mate infinite")
    time.sleep(pause)
    asked, before = time.perf_counter(), engine.worked()
    engine.send("stop")
    assert engine.read_until("checkmate ")[-1] == "checkmate timeout"
    return time.perf_counter() - asked, engine.worked() - before


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_memory_stays_within_the_table() -> None:
    """Whatever its size, with a problem that is too large for it; and the engine plays on."""
    with UsiClient(variant="shogi") as engine:
        for size in (1, 16, 64, 256, 1024):
            engine.send(f"setoption name USI_Hash value {size}", f"position sfen {HARD}")
            assert solved(engine, "go mate 300")[1] == ["timeout"], size
            beside = engine.resident() - size * 2**20
            assert beside < BESIDE_THE_TABLE, (size, beside)
            assert engine.go("movetime", 50)[1] not in ("resign", "win", "none")
            assert engine.answer() == [], "one bestmove, and nothing after it"


def command(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ENGINE, "mate", *words], input=stdin, capture_output=True, text=True, cwd=ROOT, timeout=240)


def test_the_command_solves_files_and_pipes(tmp_path: Path) -> None:
    file = tmp_path / "problems.sfen"
    lines = [
        PROBLEM,
        "# a comment",
        "",
        "rbsgk/4p/5/P4/KGSBR b - 1",
        "nonsense",
        "4k/5/4P/5/K4 w G 1 moves 1a2a 5e4e 2a1a",
    ]
    file.write_text("\n".join(lines) + "\n")
    told = command(str(file), "--shortest")
    answers = told.stdout.splitlines()
    assert len(answers) == 4 and told.returncode == 1
    assert answers[0].startswith("mate ") and "(the shortest)" in answers[0]
    assert answers[1] == "nomate" and answers[2].startswith("error: ") and answers[3].endswith("G*1b")
    assert told.stderr.splitlines()[-1].startswith("4 problems: 1 error, 2 mate, 1 nomate; ")
    assert command("-", stdin=file.read_text()).stdout.splitlines()[1:2] == ["nomate"]
    assert command("4k/5/4P/5/K4", "b", "G", "1", "--check").stdout.startswith("mate 1 (the shortest) ")
    assert "no file" in command("missing.sfen").stderr
    assert "needs an SFEN" in command().stderr


def test_problems_are_made(tmp_path: Path) -> None:
    made = command("--make", "minishogi", "--plies", "3", "--count", "3", "--kif", str(tmp_path / "kif"))
    sfens = made.stdout.splitlines()
    assert len(sfens) == 3 and len(list((tmp_path / "kif").iterdir())) == 3
    checked = command("-", "--check", "--variant", "minishogi", stdin=made.stdout).stdout.splitlines()
    assert all(line.startswith("mate 3 (the shortest) ") and "; sound" in line for line in checked), checked


def test_from_python() -> None:
    answer = usi_engine.find_mate("4k/5/4P/5/K4 b G 1", shortest=True)
    assert (answer.verdict, answer.moves, answer.is_shortest) == ("mate", ["G*1b"], True)
    assert usi_engine.find_mate(HARD, nodes=1000).verdict == "timeout"
    with pytest.raises(ValueError, match="nodes"):
        usi_engine.find_mate("4k/5/4P/5/K4 b G 1", nodes=0)
    with pytest.raises(ValueError, match="hash_mb"):
        usi_engine.find_mate("4k/5/4P/5/K4 b G 1", hash_mb=0)
    with pytest.raises(ValueError, match="die"):
        usi_engine.find_mate("startpos", variant="dice")


def test_the_examples_of_the_page() -> None:
    """Each line with a prompt in docs/mate.md gives the line below it."""
    page = (ROOT / "docs" / "mate.md").read_text(encoding="utf-8").splitlines()
    shown = [(line, page[number + 1]) for number, line in enumerate(page) if line.startswith("$ ./engine.sh mate ")]
    assert len(shown) >= 4
    for line, answer in shown:
        assert command(*shlex.split(line)[3:]).stdout == f"{answer}\n", line
