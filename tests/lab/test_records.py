"""Invalid lines of journals: the report and --resume name the line and the field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kogoma.console.arguments import CommandLineError
from kogoma.lab.analysis.examine import Settings, positions_in
from kogoma.lab.analysis.examine import Store as AnalysisStore
from kogoma.lab.analysis.judge import Moves, ScoredLine
from kogoma.lab.book.tree import Plan, SearchedMove
from kogoma.lab.book.tree import Store as BookStore
from kogoma.lab.journals.journal import Journal, first_line
from kogoma.lab.journals.match_journal import (
    GameRecord,
    RecordError,
    RecordWriter,
    Score,
    game_record,
    load_line,
    read_head,
    read_records,
)

GAME: dict[str, Any] = {
    **{"game": 0, "pair": 0, "variant": "minishogi", "start": "rbsgk/4p/5/P4/KGSBR b - 1", "book": []},
    **{"black": "a", "white": "b", "seed": 5, "moves": ["2e3d"], "time_ms": [1.5], "scores": [["cp", 7, 3, 100]]},
    **{"winner": 0, "reason": "crash", "fault": {"engine": "b", "kind": "crash", "detail": "x", "log": ["> go"]}},
    **{"clock": "nodes=100", "seconds": 0.1},
}
WRONG = [
    ('{"game":79,"pair"', "not JSON, or cut off"),
    ("[1, 2]", "not a JSON object"),
    (json.dumps({name: value for name, value in GAME.items() if name != "winner"}), "the field 'winner' is missing"),
    (json.dumps(GAME | {"winner": 2}), "the field 'winner' cannot be 2"),
    (json.dumps(GAME | {"game": True}), "the field 'game' cannot be True"),
    (json.dumps(GAME | {"moves": "2e3d"}), "the field 'moves' cannot be '2e3d'"),
    (json.dumps(GAME | {"moves": ["2e3d", 4]}), "the field 'moves' cannot contain 4"),
    (json.dumps(GAME | {"scores": [["cp", 1]]}), "the field 'scores' cannot contain ['cp', 1]"),
    (json.dumps(GAME | {"fault": "crash"}), "the field 'fault' cannot be 'crash'"),
    (json.dumps(GAME | {"fault": {"engine": "b", "kind": "crash"}}), "the field 'detail' is missing"),
]


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def add_game(path: Path, settings: dict[str, Any], record: GameRecord, resume: bool = False) -> list[GameRecord]:
    """Add a game to a journal, and return the games that the journal already contained."""
    known: list[GameRecord] = []
    with RecordWriter(path, settings, resume, known.append) as writer:
        assert writer.add(record) is (record["game"] not in {game["game"] for game in known})
    return known


@pytest.mark.parametrize(("line", "told"), WRONG)
def test_a_broken_line_is_reported(line: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(RecordError) as error:
        game_record(load_line(line))
    assert str(error.value) == told
    path = write(tmp_path / "m.jsonl", '{"kogoma_match": 1, "settings": {"games": 2}}', json.dumps(GAME), line)
    found = read_records(path)
    assert (len(found.games), found.broken_lines, found.first_error) == (1, 1, f"line 3: {told}")
    with pytest.raises(RecordError) as error:
        RecordWriter(path, {"games": 2}, True, lambda record: None)
    assert str(error.value) == f"{path}, line 3: not the record of a game: {told}"


def test_a_file_without_any_record_is_reported(tmp_path: Path) -> None:
    path = write(tmp_path / "letter.txt", "Dear reader,")
    with pytest.raises(RecordError, match="contains no records: line 1: not JSON"):
        read_records(path)
    with pytest.raises(RecordError, match="is not a match journal: line 1: not JSON"):
        read_head(path)


def test_written_records_are_read_again(tmp_path: Path) -> None:
    path, record = tmp_path / "m.jsonl", game_record(GAME)
    assert record["scores"] == [Score("cp", 7, 3, 100)]
    assert add_game(path, {"games": 2}, record) == []
    assert json.loads(path.read_text().splitlines()[1]) == GAME
    assert list(json.loads(path.read_text().splitlines()[1])) == list(GAME)
    assert add_game(path, {"games": 2}, record, resume=True) == [record]
    assert (read_head(path), read_records(path).games) == ({"games": 2}, [record])


def test_optional_fields_of_a_game() -> None:
    needed = {name: GAME[name] for name in "game pair variant start black white moves winner reason".split()}
    record = game_record(needed)
    assert (record["book"], record["scores"], record["fault"], "dice" in record) == ([], [], None, False)


def test_a_journal_continues_after_the_last_valid_line(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    assert first_line(path) is None
    with Journal(path) as journal:
        assert journal.read(lambda number, line: True) == 0
        for number in range(3):
            journal.add({"number": number, "sign": "歩"})
    whole = path.read_bytes()
    assert first_line(path) == '{"number":0,"sign":"歩"}\n'.encode() == whole.splitlines(keepends=True)[0]
    path.write_bytes(whole + b'{"number":3')
    taken: list[bytes] = []

    def take(number: int, line: bytes) -> bool:
        taken.append(line)
        assert number == len(taken)
        return number < 3

    with Journal(path) as journal:
        with pytest.raises(ZeroDivisionError):
            journal.read(lambda number, line: bool(1 // 0))
        assert path.read_bytes() == whole + b'{"number":3', "an error of the reader must not change the journal"
        assert journal.read(take) == 2 and b"".join(taken) == whole
        journal.add({"number": 2, "sign": "歩"})
    assert path.read_bytes() == whole


def test_books_and_analyses_continue_and_refuse_other_settings(tmp_path: Path) -> None:
    plan, line = Plan("dobutsu", 5, 1), SearchedMove("b3b2", 7, 3, "gle/1C1/3/ELG w c 2")
    path = tmp_path / "positions.jsonl"
    for more in (b'{"sfen": "gle/1c', b""):
        store = BookStore(tmp_path, plan)
        if not store.tree.lines:
            store.add("gle/1c1/1C1/ELG b - 1", [line])
        assert [list(lines) for lines in store.tree.lines.values()] == [[line]]
        store.close()
        assert path.read_bytes().count(b"\n") == 2 and path.read_bytes().endswith(b"\n")
        path.write_bytes(path.read_bytes() + more)
    whole = path.read_bytes()
    for other, told in ((Plan("dobutsu", 6, 1), "belongs to another plan"), (plan, "line 3 is damaged")):
        path.write_bytes(whole + b"[]\n")
        with pytest.raises(CommandLineError, match=told):
            BookStore(tmp_path, other)
        assert path.read_bytes().endswith(b"[]\n")
    game, found = Moves("dobutsu", "gle/1c1/1C1/ELG b - 1", ("b3b2",)), (ScoredLine(("b3b2",), "cp", 7, 3),)
    path = tmp_path / "a.part"
    for settings, known in ((Settings(nodes=5), {}), (Settings(nodes=5), {1: found}), (Settings(nodes=6), {})):
        analysis = AnalysisStore(path, game, settings)
        assert analysis.known == known
        analysis.keep(1, found)
        analysis.close()
        path.write_bytes(path.read_bytes() + b'{"ply":0}\n{"ply":')
        assert positions_in(path) >= 1
