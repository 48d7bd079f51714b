"""The opening book over USI: `go` is answered with moves of the book, unless this is switched off."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.usi_client import UsiClient

BOOK = """#YANEURAOU-DB2016 1.00
sfen rbsgk/4p/5/P4/KGSBR b - 1
1e1d none 0 3 1
4e4d 3a2b -20 30 1
damaged
sfen rbsgk/4p/5/P3R/KGSB1 w - 9
5a5b 1d1e 40 12 1
"""


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[UsiClient]:
    (tmp_path / "a.db").write_text(BOOK, encoding="utf-8")
    with UsiClient() as client:
        client.send("setoption name USI_OwnBook value true", f"setoption name BookFile value {tmp_path / 'a.db'}")
        client.send("isready")
        (warning,) = [line for line in client.read_until("readyok") if "BookFile" in line]
        assert warning.startswith("info string BookFile: ") and "line 5 is skipped" in warning
        yield client
        assert client.errors() == ""


def from_book(engine: UsiClient, go: str) -> tuple[str, list[str]]:
    """Send a `go` command. Return the `bestmove` line and the lines before it."""
    engine.send(go)
    lines = engine.read_until("bestmove")
    return lines[-1], lines[:-1]


def test_moves_of_the_book_are_played_at_once(engine: UsiClient) -> None:
    told = ["info depth 3 score cp 0 pv 1e1d", "info string a move of the book"]
    assert from_book(engine, "go btime 60000 wtime 60000") == ("bestmove 1e1d", told)
    engine.send("position startpos moves 1e1d")
    assert from_book(engine, "go movetime 5000")[0] == "bestmove 5a5b ponder 1d1e"
    engine.send("position startpos moves 1e1d 5a5b")
    assert "info string a move of the book" not in from_book(engine, "go nodes 500")[1], "the book has no move here"


def test_cases_in_which_the_book_is_not_used(engine: UsiClient) -> None:
    for go in ("go nodes 300 searchmoves 2e3d", "go nodes 300"):
        if "search" not in go:
            engine.send("setoption name BookMoves value 0")
        lines = from_book(engine, go)[1]
        assert "info string a move of the book" not in lines and any(" nodes " in line for line in lines)
    engine.send("setoption name BookMoves value 60", "go infinite")
    engine.read_until("info depth 5")
    engine.send("stop")
    engine.read_until("bestmove")
    engine.send("position startpos moves 1e1d 5a5b 1d1e 5b5a")
    assert "info string a move of the book" not in from_book(engine, "go nodes 300")[1], "the position is repeated"
    engine.send("setoption name USI_OwnBook value false", "position startpos")
    assert "info string a move of the book" not in from_book(engine, "go nodes 300")[1]


def test_book_moves_vary_with_bookevaldiff(engine: UsiClient) -> None:
    engine.send("setoption name BookEvalDiff value 20")
    assert {from_book(engine, "go nodes 300")[0] for _ in range(30)} == {"bestmove 1e1d", "bestmove 4e4d ponder 3a2b"}


def test_a_book_that_cannot_be_read_is_reported_once(engine: UsiClient) -> None:
    engine.send("setoption name BookFile value /nowhere/at/all.db")
    (error,) = engine.errors_for()
    assert error == "info string error: BookFile: cannot read /nowhere/at/all.db: No such file or directory; " \
        "played without a book"  # fmt: skip
    assert engine.errors_for() == [] and from_book(engine, "go nodes 300")[0].startswith("bestmove ")


def test_the_shipped_book_answers_from_the_start() -> None:
    for variant in ("minishogi", "minishogi-codingame"):
        with UsiClient(variant=variant) as client:
            client.send("setoption name USI_OwnBook value true")
            client.ready()
            assert "info string a move of the book" in from_book(client, "go movetime 3000")[1]
