"""The option WriteDebugLog: a file with all lines of a conversation, whose errors never end the engine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.usi_client import UsiClient

FULL = "/dev/full"  # a device on which every write fails as on a full disk


@pytest.fixture(scope="module")
def engine() -> Iterator[UsiClient]:
    with UsiClient().ready() as client:
        yield client
        assert client.errors() == ""


def set_log(engine: UsiClient, value: object) -> list[str]:
    """Set the option, and return the lines with which the engine answers."""
    return engine.answer(f"setoption name WriteDebugLog value {value}")


@pytest.mark.parametrize("name", ["WriteDebugLog", "Debug Log File"])
def test_all_lines_are_appended(engine: UsiClient, tmp_path: Path, name: str) -> None:
    file = tmp_path / "ログ 1.txt"
    file.write_text("kept\n", "utf-8")
    assert engine.answer(f"setoption name {name} value {file}") == []
    engine.send("position startpos moves 3e3d", "go nodes 1000")
    shown = engine.read_until("bestmove ")
    engine.send("nonsense ä")
    shown += engine.read_until("info string error")
    assert set_log(engine, "<empty>") == []
    lines = file.read_text("utf-8").splitlines()
    assert [line[2:] for line in lines if line.startswith("< ") and line != "< readyok"] == shown
    read = [line for line in lines if line.startswith("> ") and line != "> isready"]
    moves = ["> position startpos moves 3e3d", "> go nodes 1000", "> nonsense ä"]
    assert read == [*moves, "> setoption name WriteDebugLog value <empty>"]
    assert lines[0] == "kept" and all(line[:2] in ("> ", "< ") for line in lines[1:])


def test_without_a_value_no_log_is_written(engine: UsiClient, tmp_path: Path) -> None:
    file = tmp_path / "log"
    assert set_log(engine, file) == [] and engine.answer("setoption name WriteDebugLog") == []
    size = file.stat().st_size
    assert engine.answer("usinewgame") == [] and file.stat().st_size == size


def test_a_file_that_cannot_be_opened_is_an_error_and_the_old_log_goes_on(engine: UsiClient, tmp_path: Path) -> None:
    file = tmp_path / "log"
    assert set_log(engine, file) == []
    for path in (tmp_path, tmp_path / "missing" / "log", tmp_path / ("x" * 300), "a\0b"):
        [answer] = set_log(engine, path)
        assert answer.startswith("info string error: WriteDebugLog"), answer
    assert file.read_text("utf-8").count("< info string error: WriteDebugLog") == 4
    assert set_log(engine, "") == []


@pytest.mark.skipif(not os.path.exists(FULL), reason=f"the system has no {FULL}")
def test_a_full_disk_ends_the_log_with_one_error(engine: UsiClient) -> None:
    answer = set_log(engine, FULL)  # the client also sends `isready`, whose line cannot be written
    assert answer == ["info string error: WriteDebugLog: No space left on device; the log ends"]
    assert engine.answer("usinewgame") == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_a_link_of_the_user_is_followed(engine: UsiClient, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "log")
    assert set_log(engine, tmp_path / "link") == []
    assert set_log(engine, "") == [] and (tmp_path / "log").read_text("utf-8").startswith("> ")
