"""The report without a browser: reading journals, the size of the page, and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from kogoma.__main__ import main
from kogoma.lab.journals.match_journal import GameRecord, read_records
from kogoma.lab.report.charts import elo_text, histogram, ticks
from kogoma.lab.report.page import render_page
from kogoma.lab.report.replays import chosen
from kogoma.rules.variants import VARIANTS
from support import lab_records

GAMES = 104  # eight per variant


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "match.jsonl"
    lab_records.write(path, GAMES, list(VARIANTS.values()))
    return path


def games_of(records: Path) -> list[GameRecord]:
    return read_records(records).games


def test_thousand_games_stay_small(records: Path) -> None:
    games: list[GameRecord] = [record | {"game": number} for number, record in enumerate(games_of(records) * 10)]
    assert len(render_page(games, {})) < 1_300_000
    few = chosen(games, 50)
    assert len(few) == 50 and sum(bool(record["fault"]) for record in few) == 20
    assert [record["game"] for record in few] == sorted(record["game"] for record in few)
    assert "50 of 1040 games" in render_page(games, {}, max_replays=50)


def test_the_journal_of_a_killed_run_is_read(tmp_path: Path, records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = records.read_text("utf-8").splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    cut.write_text("".join(lines[:30]) + lines[5] + lines[30][:80], encoding="utf-8")
    read = read_records(cut)
    assert [record["game"] for record in read.games] == list(range(29)) and read.broken_lines == 1
    assert read.settings == lab_records.SETTINGS
    assert main(["report", str(cut)]) == 0
    out = capsys.readouterr()
    assert out.out.startswith(f"{cut.with_suffix('.html')}: 29 games") and "1 invalid line;" in out.err


def test_wrong_use_gives_a_one_line_error(tmp_path: Path, records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.txt"
    other.write_text("not a record\n")
    for code, *words in (
        (1, str(tmp_path / "none")),
        (1, str(other)),
        (2, str(records), "--first", "nobody"),
        (2, str(records), "-o", str(records)),
    ):
        assert main(["report", *map(str, words)]) == code
        out = capsys.readouterr()
        assert out.err.startswith("report: ") and out.err.count("\n") == 1 and not out.out
    assert len(games_of(records)) == GAMES


def test_a_report_of_nothing_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert main(["report", str(empty)]) == 1
    assert capsys.readouterr().err == f"report: {empty}: contains no match\n"
    assert list(tmp_path.iterdir()) == [empty]


def test_classes_and_ticks_are_round() -> None:
    assert histogram([7, 12, 13, 39], 4) == [("0", 1), ("10", 2), ("20", 0), ("30", 1)]
    assert histogram([5]) == [("5", 1)] and histogram([]) == []
    assert ticks(-33, 61, 6) == [-20, 0, 20, 40, 60]
    assert [elo_text(value) for value in (0.2, -0.4, 12.4, float("inf"), float("-inf"))] == [
        "0",
        "0",
        "+12",
        "+∞",
        "−∞",
    ]
