"""Lines of a records file: what is no record is told with its line and field, by the report and by --resume."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab.records.reader import read_records
from lab.records.record import GameRecord, RecordError, Score, game_record, load_line
from lab.records.writer import RecordWriter, read_head

GAME: dict[str, Any] = {
    **{"game": 0, "pair": 0, "variant": "minishogi", "start": "rbsgk/4p/5/P4/KGSBR b - 1", "book": []},
    **{"black": "a", "white": "b", "seed": 5, "moves": ["2e3d"], "time_ms": [1.5], "scores": [["cp", 7, 3, 100]]},
    **{"winner": 0, "reason": "crash", "fault": {"engine": "b", "kind": "crash", "detail": "x", "log": ["> go"]}},
    **{"clock": "nodes=100", "seconds": 0.1},
}
WRONG = [
    ('{"game":79,"pair"', "not JSON, or cut off"),
    ("[1, 2]", "not a JSON object"),
    (json.dumps({name: value for name, value in GAME.items() if name != "winner"}), "no field 'winner'"),
    (json.dumps(GAME | {"winner": 2}), "'winner' cannot be 2"),
    (json.dumps(GAME | {"game": True}), "'game' cannot be True"),
    (json.dumps(GAME | {"moves": "2e3d"}), "'moves' cannot be '2e3d'"),
    (json.dumps(GAME | {"moves": ["2e3d", 4]}), "'moves' cannot hold 4"),
    (json.dumps(GAME | {"scores": [["cp", 1]]}), "'scores' cannot hold ['cp', 1]"),
    (json.dumps(GAME | {"fault": "crash"}), "'fault' cannot be 'crash'"),
    (json.dumps(GAME | {"fault": {"engine": "b", "kind": "crash"}}), "no field 'detail'"),
]


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def add_game(path: Path, settings: dict[str, Any], record: GameRecord, resume: bool = False) -> list[GameRecord]:
    """The games that were in the file already."""
    known: list[GameRecord] = []
    with RecordWriter(path, settings, resume, known.append) as writer:
        assert writer.add(record) is (record["game"] not in {game["game"] for game in known})
    return known


@pytest.mark.parametrize(("line", "told"), WRONG)
def test_a_broken_line_is_told(line: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(RecordError) as error:
        game_record(load_line(line))
    assert str(error.value) == told
    path = write(tmp_path / "m.jsonl", '{"kogoma_match": 1, "settings": {"games": 2}}', json.dumps(GAME), line)
    found = read_records(path)
    assert (len(found.games), found.broken_lines, found.first_error) == (1, 1, f"line 3: {told}")
    with pytest.raises(RecordError) as error:
        RecordWriter(path, {"games": 2}, True, lambda record: None)
    assert str(error.value) == f"{path}, line 3: no record of a game: {told}"


def test_a_file_without_any_record_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "letter.txt", "Dear reader,")
    with pytest.raises(RecordError, match="holds no records: line 1: not JSON"):
        read_records(path)
    with pytest.raises(RecordError, match="holds no match: line 1: not JSON"):
        read_head(path)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path, record = tmp_path / "m.jsonl", game_record(GAME)
    assert record["scores"] == [Score("cp", 7, 3, 100)]
    assert add_game(path, {"games": 2}, record) == []
    assert json.loads(path.read_text().splitlines()[1]) == GAME
    assert list(json.loads(path.read_text().splitlines()[1])) == list(GAME)
    assert add_game(path, {"games": 2}, record, resume=True) == [record]
    assert (read_head(path), read_records(path).games) == ({"games": 2}, [record])


def test_fields_a_game_can_do_without() -> None:
    needed = {name: GAME[name] for name in "game pair variant start black white moves winner reason".split()}
    record = game_record(needed)
    assert (record["book"], record["scores"], record["fault"], "dice" in record) == ([], [], None, False)
