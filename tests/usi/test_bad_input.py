"""Invalid lines are answered with an error and change nothing."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from support import referee
from support.usi_client import ENGINE, ROOT, UsiClient

START = "rbsgk/4p/5/P4/KGSBR b - 1"
HERE = "rbsgk/4p/5/P1S2/KG1BR w - 2"  # the position in all tests, after 3e3d

NOT_UNDERSTOOD: list[str | bytes] = [
    "nonsense",
    "USI",
    "position",
    "position nonsense",
    "position startpos 3e3d",
    f"position {START}",
    "position sfen",
    "position sfen moves 3e3d",
    "position sfen startpos",
    "position sfen rbsgk/4p/5/P4/KGSB b - 1",  # a rank that is too short
    "position sfen rbsgk/4p/5/P4/KGSBRR b - 1",  # a rank that is too long
    "position sfen rbsgk/4p/5/P4 b - 1",  # a rank is missing
    "position sfen rbsgk/4p/5/5/P4/KGSBR b - 1",  # one rank too many
    "position sfen rbsgk/4q/5/P4/KGSBR b - 1",  # unknown piece
    "position sfen rbsg1/4p/5/P4/1GSBR b - 1",  # no king
    "position sfen rbsgk/4p/5/K4/KGSBR b - 1",  # two kings
    "position sfen rbsgk/4p/5/P4/KGSBR x - 1",  # unknown side to move
    "position sfen rbsgk/4p/5/P4/KGSBR b q 1",  # unknown piece in hand
    "position sfen rbsgk/4p/5/P4/KGSBR b K 1",
    "position sfen rbsgk/4p/5/P4/KGSBR b 0P 1",
    "position sfen rbsgk/4p/5/P4/KGSBR b - x",
    "position sfen rbsgk/4p/5/P4/KGSBR b - -1",
    "position sfen rbsgk/4p/5/P4/KGSBR b - 1 2 3",
    "position sfen P3k/5/5/5/K4 b - 1",  # a pawn that can never move
    "position sfen 4k/5/5/5/K3R b - 1",  # the king could be captured
    "position sfen rbsgk/4p/5/P4/KGSBR b 9R 1",  # too many pieces
    "position sfen 9/9/9/9/9/9/9/9/9 b - 1",
    "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSN b - 1",
    "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b 3 1",
    "position sfen lnsgkgsnl/1r5b1/pppppppp1/8p/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b E 1",  # unknown piece in hand
    "position sfen 4k4/9/9/9/9/9/9/9/4K4 b 19P 1",  # too many pieces
    "position sfen N3k4/9/9/9/9/9/9/9/4K4 b - 1",  # a knight that can never move
    "position sfen 4k4/N8/9/9/9/9/9/9/4K4 b - 1",
    "position sfen L3k4/9/9/9/9/9/9/9/4K4 b - 1",
    "position sfen kp4/7/7/7/7/7/7 b - 1",  # no variant has a board of this size
    "position sfen ///// b - 1",
    "position sfen +k/+/+++ b - 1",
    "setoption",
    "setoption USI_Hash 64",
    "setoption name",
    "setoption name value 3",
    "setoption name Nonsense value 3",
    "setoption name USI_Hash",
    "setoption name USI_Hash value",
    "setoption name USI_Hash value 0",
    "setoption name USI_Hash value 99999999",
    "setoption name USI_Hash value 6.5",
    "setoption name USI_Hash value 1_0",
    "setoption name USI_Hash value ６４",
    "setoption name USI_Hash value -1",
    "setoption name USI_Hash value 111111111111111111111111111111111111111111",
    "setoption name Threads value 0",
    "setoption name MultiPV value 0",
    "setoption name USI_Ponder value maybe",
    "setoption name USI_Variant value checkers",
    "setoption name USI_Variant value Shogi",
    "setoption name USI_Variant value",
    "setoption name EnteringKingRule value CSARule24",
    "setoption name DrawValueBlack value 30001",
    "go perft",
    "go perft 0",
    "go perft x",
    "go perft 1 2",
    "ponderhit",
    "bench 0",
    "bench x",
    b"\xff\xfe",
    b"u\x00s\x00i\x00",
    "将棋",
    "x" * 5000,
    "x" * 3_000_000,
    "position startpos moves " + "3e3d 3a3b 3d3e 3b3a " * 100_000,
]


@pytest.fixture(scope="module")
def shared() -> Iterator[UsiClient]:
    """Yield an engine that all tests of this file share. The libraries for large and small boards are loaded before the
    tests, so that no answer has to wait for them."""
    with UsiClient(variant=None).ready() as client:
        client.send("setoption name USI_Variant value minishogi")
        yield client.ready()
        assert client.errors() == ""


@pytest.fixture
def engine(shared: UsiClient) -> UsiClient:
    assert shared.answer("stop", "setoption name USI_Hash value 16", "usinewgame", "position startpos moves 3e3d") == []
    return shared


def name(line: str | bytes) -> str:
    return ascii(line if len(line) <= 60 else line[:60])


@pytest.mark.parametrize("line", NOT_UNDERSTOOD, ids=name)
def test_a_line_that_makes_no_sense_is_an_error(engine: UsiClient, line: str | bytes) -> None:
    errors = engine.errors_for(line)
    assert len(errors) == 1
    assert 30 < len(errors[0]) < 300
    assert engine.sfen() == HERE


def test_the_engine_plays_on_after_all_of_them(engine: UsiClient) -> None:
    assert len(engine.errors_for(*NOT_UNDERSTOOD)) == len(NOT_UNDERSTOOD)
    assert engine.go("depth", 3)[1] in referee.legal_moves(START, ["3e3d"])


def test_options_stay_as_they_were(engine: UsiClient) -> None:
    engine.answer("setoption name MultiPV value 2")
    assert engine.errors_for("setoption name MultiPV value 0", "setoption name MultiPV value x")
    assert any(" multipv 2 " in line for line in engine.go("depth", 2)[0])
    engine.answer("setoption name MultiPV value 1")


def test_commands_during_a_search_are_refused(engine: UsiClient) -> None:
    """Check that commands such as `go` and `position` are refused during a search, and that the search goes on."""
    engine.send("go infinite")
    engine.read_until("info depth 2 ")
    refused = ("go depth 1", "go mate infinite", "go perft 1", "position startpos", "usinewgame", "bench 1")
    for line in (*refused, "setoption name MultiPV value 3", "ponderhit"):
        answer = [text for text in engine.answer(line) if not text.startswith("info depth")]
        assert len(answer) == 1 and answer[0].startswith("info string error: "), answer
    engine.send("stop")
    assert engine.read_until("bestmove ")[-1].split()[1] in referee.legal_moves(START, ["3e3d"])
    assert engine.sfen() == HERE


def test_stop_without_go_and_several_isready_are_harmless(engine: UsiClient) -> None:
    assert engine.answer("stop", "stop") == []
    engine.send("isready", "isready", "isready")
    for _ in range(3):
        assert engine.read_until("readyok") == ["readyok"]
    engine.send("go infinite", "stop", "stop", "stop", "gameover win", "isready")
    assert engine.read_until("bestmove ") and engine.read_until("readyok") == ["readyok"]


def test_ponderhit_twice_is_an_error_and_the_search_answers(engine: UsiClient) -> None:
    engine.send("go ponder byoyomi 300", "ponderhit", "ponderhit")
    lines = engine.read_until("bestmove ")
    assert sum(line.startswith("info string error: ponderhit") for line in lines) == 1


def test_a_clock_that_has_run_out_still_gets_a_move(engine: UsiClient) -> None:
    for words in ("btime 0 wtime 0", "btime 0 wtime 0 byoyomi 0", "byoyomi 0", "byoyomi 1", "movetime 0", "wtime 1"):
        assert engine.go(words)[1] in referee.legal_moves(START, ["3e3d"])


def test_limits_in_any_combination(engine: UsiClient) -> None:
    for words in (
        "btime 1000 wtime 1000 byoyomi 100",
        "binc 100 winc 100",
        "btime 1000 wtime 1000 binc 10 winc 10 movestogo 5",
        "nodes 1000 depth 5 movetime 1000 byoyomi 100",
        "searchmoves 3a3b 4a3b wtime 500 depth 4",
        "depth 99999999 nodes 1000",
        "wtime 999999999999 nodes 1000",
    ):
        assert engine.go(words)[1] in referee.legal_moves(START, ["3e3d"])


def test_the_last_line_needs_no_newline() -> None:
    done = subprocess.run([*ENGINE], cwd=ROOT, input=b"usi\nusi", capture_output=True, timeout=60)
    assert done.returncode == 0 and done.stdout.count(b"usiok") == 2 and done.stderr == b""


@pytest.mark.long
def test_a_closed_output_ends_the_engine_quietly() -> None:
    with UsiClient().ready() as client:
        assert client.process.stdin is not None and client.process.stdout is not None
        client.send("position startpos", "go infinite")
        client.read_until("info depth 2 ")
    for lines in ("usi\n" * 3, "isready\nposition startpos\ngo infinite\n", "go perft 5\n", "bench 3\n"):
        command = " ".join([*(f"'{word}'" for word in ENGINE)])
        script = f"(printf '{lines}'; sleep 2) | ({command}; echo left with $? >&2) | true"
        done = subprocess.run(script, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert done.stderr == "left with 0\n"


def test_an_output_closed_from_the_start() -> None:
    command = " ".join(f"'{word}'" for word in ENGINE)
    for closing in (">&-", "<&-", "<&- >&-"):
        done = subprocess.run(f"echo usi | {command} {closing}", shell=True, cwd=ROOT, capture_output=True, timeout=60)
        assert (done.returncode, done.stderr, done.stdout) == (0, b"", b"")
