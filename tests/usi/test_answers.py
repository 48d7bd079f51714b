"""Every `go` gets exactly one `bestmove`, even with meaningless words, and after a `position` that was refused."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from support import referee
from support.usi_client import ENGINE, PATIENCE, ROOT, UsiClient

pytestmark = pytest.mark.slow

START = "rbsgk/4p/5/P4/KGSBR b - 1"


@pytest.fixture(scope="module")
def shared() -> Iterator[UsiClient]:
    with UsiClient().ready() as client:
        yield client
        assert client.errors() == ""


@pytest.fixture
def engine(shared: UsiClient) -> UsiClient:
    """Return the engine that all tests of this file share, in the position after 3e3d."""
    lines = ("stop", "setoption name USI_Variant value minishogi", "usinewgame", "position startpos moves 3e3d")
    assert shared.answer(*lines) == []
    return shared


def one_answer(engine: UsiClient, line: str) -> tuple[list[str], str]:
    """Send a line, and return the info strings and the move of the answer. Assert that there is only one `bestmove`."""
    engine.send(line)
    lines = engine.read_until("bestmove ")
    assert engine.answer() == []
    return [text for text in lines if text.startswith("info string ")], lines[-1].split()[1]


# ---- Meaningless clocks and words ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("go", "named"),
    [
        ("btime -5 wtime -5", ""),
        ("btime 1000 wtime -100000 byoyomi -1", ""),
        ("btime 1000 wtime 100 binc -1 winc -1 movestogo 0", ""),
        ("movetime -1", ""),
        ("depth 1 foo", "'foo'"),
        ("depth 1 rtime 10", "'rtime', '10'"),
        ("rtime 10", "'rtime', '10'"),
        ("nonsense", "'nonsense'"),
        ("depth", "'depth'"),
        ("depth x", "'depth x'"),
        ("depth 0", "'depth 0'"),
        ("nodes -1", "'nodes -1'"),
        ("btime wtime", "'btime', 'wtime'"),
        ("btime 1e3 wtime 1e3", "'wtime 1e3'"),
        ("depth 1 " + "depth " * 5000, "more"),
        ("btime 1000", "wtime, the clock of the side to move, is missing"),
        ("btime 1000 binc 100", "wtime, the clock of the side to move, is missing"),
        ("depth 2 dice 3", "without a die"),
        ("depth 2 dice 9", "'dice 9'"),
        ("depth 2 searchmoves", "'searchmoves'"),
        ("depth 2 searchmoves 3e3d", "'3e3d'"),
        ("depth 2 searchmoves 3e3d 3a3b nonsense", "'3e3d'"),
        ("nodes 500 depth 3 depth 4", ""),
        ("depth 2 nodes " + "9" * 6000, ""),
    ],
)
def test_an_odd_go_is_answered_and_its_odd_words_are_named(engine: UsiClient, go: str, named: str) -> None:
    notes, best = one_answer(engine, f"go {go}")
    assert best in referee.legal_moves(START, ["3e3d"])
    assert named in " ".join(notes) and bool(notes) == bool(named)
    assert not any("error" in note or len(note) > 300 for note in notes)


def test_odd_words_after_other_commands_are_named_and_ignored(engine: UsiClient) -> None:
    for command, answer in (("usi foo", "usiok"), ("isready foo bar", "readyok"), ("go mate soon", "checkmate ")):
        engine.send(command)
        lines = engine.read_until(answer)
        assert command == "go mate soon" or "ignored 'foo'" in lines[0]
    engine.send("go infinite")
    engine.read_until("info depth 2 ")
    notes, _ = one_answer(engine, "stop now")
    assert notes == ["info string stop: ignored 'now'"]
    assert engine.answer("gameover perhaps") == ["info string gameover: ignored 'perhaps'"]
    engine.send(b"go mate 5 \xff")
    assert "ignored" in engine.read_until("checkmate ")[0]
    assert engine.answer("usinewgame now") == ["info string usinewgame: ignored 'now'"]
    assert engine.sfen() == START


def test_quit_with_a_word_behind_it_quits() -> None:
    with UsiClient() as client:
        client.send("quit now")
        assert client.process.wait(PATIENCE) == 0


# ---- Ponderhit with clocks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("go", "ponderhit"),
    [
        ("go ponder", "ponderhit btime 60000 wtime 0 byoyomi 100"),
        ("go ponder", "ponderhit btime 100 wtime -3"),
        ("go ponder btime 600000 wtime 600000 byoyomi 60000", "ponderhit btime 0 wtime 0 byoyomi 100"),
        ("go ponder", "ponderhit movetime 100 foo"),
        ("go ponder", "ponderhit"),
        ("go ponder btime 1000", "ponderhit"),
        ("go ponder btime 1000 wtime 100", "ponderhit btime 50"),
    ],
)
def test_ponderhit_brings_clocks(engine: UsiClient, go: str, ponderhit: str) -> None:
    engine.send("position startpos moves 3e3d", go)
    engine.read_until("info depth 2 ")
    assert not any(line.startswith("bestmove") for line in engine.answer())
    cost, line = engine.cost(ponderhit)
    assert line.split()[1] in referee.legal_moves(START, ["3e3d"])
    assert cost.worked < (2 if ponderhit == "ponderhit" else 1)


# ---- A refused position ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moves", "kept"),
    [
        ("9i9h", 0),
        ("3e3d 3a3b 3e3d 4a3b", 2),
        ("3e3d 3a3b nonsense", 2),
        ("3e3d+", 0),
        ("resign", 0),
        ("moves", 0),
        ("3e3d " * 5000, 1),
    ],
)
def test_the_longest_legal_part_of_a_game_is_set(engine: UsiClient, moves: str, kept: int) -> None:
    played = moves.split()
    errors = engine.errors_for(f"position startpos moves {moves}")
    assert len(errors) == 1 and repr(played[kept]) in errors[0] and f"after {kept} of {len(played)} moves" in errors[0]
    engine.send("go depth 2")
    lines = engine.read_until("bestmove ")
    assert "for the position after" in lines[-2] and lines[-2].startswith("info string ")
    assert lines[-1].split()[1] in referee.legal_moves(START, played[:kept])
    assert engine.answer(f"position startpos moves {' '.join(played[:kept])}") == []
    assert one_answer(engine, "go depth 2")[0] == []


@pytest.mark.parametrize(
    "line",
    [
        "position",
        "position sfen nonsense b - 1",
        "position sfen rbsgk/4p/5/P4/KGSB b - 1",
        "position startpos 2e3d",
        f"position {START}",
        "position startpos moves " + "3e3d 3a3b 3d3e 3b3a " * 60_000,
    ],
    ids=lambda line: line[:30],
)
def test_after_a_bad_sfen_the_answer_is_said_to_be_for_an_older_position(engine: UsiClient, line: str) -> None:
    assert len(engine.errors_for(line)) == 1
    for _ in range(2):
        engine.send("go depth 2")
        lines = engine.read_until("bestmove ")
        assert "older position" in lines[-2]
        assert lines[-1].split()[1] in referee.legal_moves(START, ["3e3d"])
    assert engine.answer("position startpos moves 3e3d 3a3b") == []
    assert one_answer(engine, "go depth 2")[0] == []


def test_after_a_position_during_a_search_the_next_answer_is_for_an_older_position(engine: UsiClient) -> None:
    engine.send("go infinite", "position startpos", "stop")
    assert not any("older position" in line for line in engine.read_until("bestmove "))
    engine.send("go depth 2")
    assert "older position" in engine.read_until("bestmove ")[-2]


def test_a_very_long_game_is_accepted(engine: UsiClient) -> None:
    """Check that a `position` line of a million bytes with twenty thousand moves is accepted, and so is the same line
    with one more move."""
    moves = ["2e3d", "4a3b", "3d2e", "3b4a"] * 5_000
    line = f"position startpos moves {' ' * 900_000}{' '.join(moves)}"
    assert 990_000 < len(line) < 1 << 20
    assert engine.answer(line) == []
    assert engine.answer(f"{line} 2e3d") == []
    assert engine.sfen() == "rbsgk/4p/5/P1B2/KGS1R w - 20002"
    assert engine.go("nodes", 1000)[1] in referee.legal_moves(START, ["2e3d"])


# ---- The end of the input and of a game ------------------------------------------------------------------------------


def test_input_from_a_file_is_answered_up_to_quit() -> None:
    for lines in ("usi\nisready\nquit\n", "usi\nisready\nposition startpos\ngo depth 3\nquit\nisready\n"):
        done = subprocess.run([*ENGINE], cwd=ROOT, input=lines, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and done.stdout.count("readyok\n") == 1
        assert done.stdout.count("bestmove ") == lines.count("go ")


STALEMATE = "k4/2G2/1G3/5/4K w - 1"


@pytest.mark.parametrize(("variant", "answer"), [("dice", "win"), ("dice-hyper", "win"), ("dice-codingame", "resign")])
def test_a_stalemated_side_has_won_where_the_rules_say_so(engine: UsiClient, variant: str, answer: str) -> None:
    assert engine.answer(f"setoption name USI_Variant value {variant}", f"position sfen {STALEMATE}") == []
    for go in ("depth 3", "dice 2 byoyomi 100", "nodes 1000"):
        assert one_answer(engine, f"go {go}")[1] == answer
    engine.send("go infinite")
    assert not any(line.startswith("bestmove") for line in engine.answer())
    engine.send("stop")
    assert engine.read_until("bestmove ")[-1] == f"bestmove {answer}"
    assert engine.answer("position sfen k4/1G3/1G3/5/4K w - 1") == []
    assert one_answer(engine, "go depth 3")[1] == "resign", "a mated side has lost"


def test_a_lion_that_holds_the_last_row_has_won(engine: UsiClient) -> None:
    engine.send("setoption name UseTablebase value false")  # the user may have one
    assert engine.answer("setoption name USI_Variant value dobutsu", "position sfen L2/3/l2/3 b - 1") == []
    assert one_answer(engine, "go depth 3")[1] == "win"
    assert engine.answer("position sfen 1L1/3/3/2l w - 1") == []
    assert one_answer(engine, "go depth 3")[1] == "resign"
