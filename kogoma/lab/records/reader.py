"""Reads a file of records: the match's settings, and its games in the order in which they ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kogoma.lab.records.record import HEAD, GameRecord, RecordError, game_record, load_line, settings_of


@dataclass
class RecordFile:
    """What a file holds: settings, games (each number once), and how many lines are neither, with what is wrong with
    the first of them."""

    settings: dict[str, Any] = field(default_factory=dict)
    games: list[GameRecord] = field(default_factory=list)
    broken_lines: int = 0
    first_error: str = ""


def read_records(path: str | Path) -> RecordFile:
    """Read a records file. Broken lines, as a killed runner leaves one, are counted and passed over; of two games of
    one number the first counts. RecordError if nothing in the file is a record; OSError."""
    found, numbers = RecordFile(), set[int]()
    with open(path, encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                entry = load_line(line)
                if HEAD in entry:
                    found.settings = found.settings or settings_of(entry)
                elif (game := game_record(entry))["game"] not in numbers:
                    numbers.add(game["game"])
                    found.games.append(game)
            except RecordError as error:
                found.broken_lines += 1
                found.first_error = found.first_error or f"line {number}: {error}"
    if found.broken_lines and not found.games and not found.settings:
        raise RecordError(f"{path} holds no records: {found.first_error}")
    return found
