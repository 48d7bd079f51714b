"""The parts of the protocol that need no process: parsing, the line reader, and info lines."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kogoma.console.lines import LONGEST_LINE, InputLine, LineReader
from kogoma.lab.engines.options import Button, Option, String
from kogoma.search.limits import Limits
from kogoma.search.search import Info
from kogoma.usi_engine.game import Game
from kogoma.usi_engine.info import BURST, Reporter, info_line, score_text
from kogoma.usi_engine.memory import Memory
from kogoma.usi_engine.options import DEFAULTS, OPTIONS, find_option, set_option
from kogoma.usi_engine.output import Output
from kogoma.usi_engine.parse import (
    LARGEST,
    PositionCommand,
    UsiError,
    listed,
    parse_go,
    parse_position,
    parse_setoption,
)
from kogoma.usi_engine.settings import Settings


def test_go() -> None:
    assert parse_go([]) == (Limits(infinite=True), ())
    assert parse_go(["infinite"]) == (Limits(infinite=True), ())
    assert parse_go("ponder btime 1 wtime 2 binc 3 winc 4".split()) == (Limits(1, 2, None, 3, 4, ponder=True), ())
    three = Limits(depth=3, searchmoves=("2e2d", "2b2a+", "P*3c"))
    assert parse_go("searchmoves 2e2d 2b2a+ P*3c depth 3".split()) == (three, ())
    assert parse_go("searchmoves 2e2d 2e2d".split()) == (Limits(searchmoves=("2e2d",), infinite=True), ())


def test_go_ignores_words_that_it_cannot_read() -> None:
    assert parse_go("btime -5 wtime -600 binc -1".split()) == (Limits(btime=0, wtime=0, binc=0), ())
    assert parse_go("rtime 10".split()) == (Limits(), ("rtime", "10"))
    assert parse_go("depth 1 foo".split()) == (Limits(depth=1), ("foo",))
    assert parse_go("btime wtime 5".split()) == (Limits(btime=0, wtime=5), ("btime",))
    assert parse_go("movetime 1e3 depth x nodes 0".split()) == (
        Limits(movetime=0, nodes=1),
        ("movetime 1e3", "depth x", "nodes 0"),
    )
    assert parse_go("depth 3 depth 4 movestogo 0".split()) == (Limits(depth=4), ())
    assert parse_go(["nodes", "9" * 5000]) == (Limits(nodes=LARGEST), ())
    assert parse_go("searchmoves depth 2 dice 7".split()) == (Limits(depth=2), ("searchmoves", "dice 7"))
    assert listed(["x" * 50, "b", "c", "d", "e", "f", "g"]) == f"'{'x' * 20}...', 'b', 'c', 'd', 'e' and 2 more"


def test_position() -> None:
    assert parse_position(["startpos"]) == PositionCommand(None, ())
    assert parse_position("startpos moves a b".split()) == PositionCommand(None, ("a", "b"))
    assert parse_position("sfen 1 2 3 4 moves a".split()) == PositionCommand("1 2 3 4", ("a",))
    assert parse_position("sfen 1 2 3 4".split()) == PositionCommand("1 2 3 4", ())


def test_setoption() -> None:
    assert parse_setoption("name A value b c".split()) == ("A", "b c")
    assert parse_setoption("name A b value".split()) == ("A b", "")
    assert parse_setoption("name A".split()) == ("A", None)


WORDS = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.integers().map(str),
        st.sampled_from(
            "go btime wtime depth nodes searchmoves 3e3d infinite ponder name value moves sfen mate".split()
        ),
    ),
    max_size=8,
)


@given(WORDS)
def test_any_words_give_a_value_or_an_error(words: list[str]) -> None:
    for parse in (parse_go, parse_position, parse_setoption):
        try:
            parse(words)
        except UsiError as error:
            assert len(str(error)) < 300 and "\n" not in str(error)


def new_game() -> Game:
    """Return a game with the default options."""
    output, settings = Output(), Settings(DEFAULTS)
    return Game(output, settings, Memory(output, settings, threading.Event()))


def test_option_names_and_aliases() -> None:
    game = new_game()
    for name, text, proper in (
        ("usi_hash", "128", "USI_Hash"),
        ("UCI_Variant", "minishogi-codingame", "USI_Variant"),
        ("USI_Ponder", "true", "USI_Ponder"),
    ):
        option = find_option(name)
        assert isinstance(option, Option) and option.name == proper
        set_option(game, option, text)
    assert game.settings["USI_Hash"] == 128 and game.settings["USI_Ponder"]
    assert game.settings.variant.name == "minishogi-codingame"
    assert not any(" " in name for name in OPTIONS)


def read_all(data: bytes) -> list[tuple[bytes, int]]:
    """Return the lines that LineReader reads from these bytes, each with its length."""
    end, begin = os.pipe()
    reader = LineReader(end)
    reader.start()
    with os.fdopen(begin, "wb") as file:
        file.write(data)
    lines: list[tuple[bytes, int]] = []
    while line := reader.next_line():
        lines.append((line.data, line.length))
        assert line.number == reader.number == len(lines)
    os.close(end)
    return lines


def test_reader_splits_lines() -> None:
    assert read_all(b"") == []
    assert read_all(b"a\nb\r\n\n\xff") == [(b"a", 1), (b"b\r", 2), (b"", 0), (b"\xff", 1)]
    longest = b"x" * LONGEST_LINE
    assert read_all(longest + b"\na") == [(longest, LONGEST_LINE), (b"a", 1)]
    for more in (1, 3 * LONGEST_LINE):
        assert read_all(b"x" * (LONGEST_LINE + more) + b"\na\n") == [(b"", LONGEST_LINE + more), (b"a", 1)]


@given(st.binary(max_size=300))
def test_reader_loses_nothing(data: bytes) -> None:
    assert b"\n".join(line for line, _ in read_all(data)) == data.removesuffix(b"\n")


def test_reader_shows_lines_before_they_are_taken() -> None:
    end, begin = os.pipe()
    seen, last = list[InputLine](), threading.Event()

    def watch(line: InputLine) -> None:
        seen.append(line)
        if line.text == "quit":
            last.set()

    LineReader(end, watch).start()
    os.write(begin, b"isready\nquit \r\n")
    assert last.wait(5) and [line.data for line in seen] == [b"isready", b"quit \r"]
    os.close(begin)


def made_up(depth: int, score: int = 0, score_kind: str = "cp", **more: Any) -> Info:
    """Return an Info like those that a search reports, with the given values."""
    usual: dict[str, Any] = {
        "bound": "",
        "multipv": 1,
        "seldepth": 9,
        "nodes": 100,
        "nps": 1000,
        "hashfull": 1,
        "time_ms": 5,
        "pv": ["2e2d"],
    }
    return Info(depth=depth, score=score, score_kind=score_kind, **(usual | more))


@dataclass
class FakeResult:
    """The result of a search."""

    best: str = "2e2d"
    ponder: str | None = None
    score_kind: str = "cp"
    score: int = 0
    depth: int = 3
    nodes: int = 100


class Sink(Output):
    """An output that stores its lines."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def line(self, text: str = "") -> None:
        self.lines.append(text)


def shown(infos: list[Any], result: Any, multipv: int = 1) -> list[str]:
    sink = Sink()
    reporter = Reporter(sink, multipv, time.perf_counter())
    for info in infos:
        reporter.report(info)
    reporter.finish(result)
    return sink.lines


def test_scores() -> None:
    assert [score_text("cp", -3), score_text("mate", 5), score_text("mate", -4), score_text("mate", 0)] == [
        "cp -3",
        "mate 5",
        "mate -4",
        "mate -0",
    ]


def test_info_line() -> None:
    info = made_up(3, 12, bound="lowerbound", pv=["2e2d", "4a3b"])
    assert info_line(info, False) == (
        "info depth 3 seldepth 9 score cp 12 lowerbound nodes 100 nps 1000 hashfull 1 time 5 pv 2e2d 4a3b"
    )
    assert " multipv 1 " in info_line(info, True)
    assert len(info_line(made_up(3, pv=["2b2a+"] * 500), True)) < 1000


def test_the_last_line_is_not_repeated() -> None:
    assert len(shown([made_up(1), made_up(2)], FakeResult())) == 2
    lines = shown([made_up(1), made_up(2)], FakeResult(nodes=500))
    assert len(lines) == 3 and " depth 2 " in lines[-1] and " nodes 500 " in lines[-1]


def test_the_last_line_shows_the_move_that_is_played() -> None:
    lines = shown([made_up(2)], FakeResult(best="4e3d", ponder="4a3b", score=7, nodes=500))
    assert lines[-1].endswith("pv 4e3d 4a3b") and " cp 7 " in lines[-1]


def test_of_many_lines_only_some_and_the_last_are_shown() -> None:
    lines = shown([made_up(depth, nodes=depth) for depth in range(1, 500)], FakeResult(nodes=499))
    assert BURST <= len(lines) <= BURST + 5
    assert "depth 499 " in lines[-1]
    groups = [made_up(depth, multipv=rank) for depth in range(1, 20) for rank in range(1, 11)]
    lines = shown(groups, FakeResult(), 10)
    assert [f" multipv {rank} " in line for rank, line in enumerate(lines[-10:], 1)] == [True] * 10


def test_stays_below_a_score() -> None:
    reporter = Reporter(Sink(), 1, 0.0)
    assert not reporter.stays_below(-500)
    for score, below in ((-600, True), (-400, False), (-600, False), (-500, True)):
        reporter.report(made_up(1, score))
        assert reporter.stays_below(-500) == below
    reporter.report(made_up(1, -3, "mate"))
    assert reporter.stays_below(-500)
    reporter.report(made_up(1, 3, "mate"))
    assert not reporter.stays_below(-500)


# Options for file names are left out, because any text may be a file name. The engine checks a file when it reads it.
@pytest.mark.parametrize("name", [name for name, option in OPTIONS.items() if not isinstance(option, Button | String)])
def test_every_option_keeps_its_value_on_a_bad_one(name: str) -> None:
    game = new_game()
    for text in ("", "nonsense", "-99999999", "1e3", None):
        with pytest.raises(ValueError):
            set_option(game, OPTIONS[name], text)
    assert game.settings == DEFAULTS
