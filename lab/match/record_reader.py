"""A file of records, read: JSON lines, the settings first, then a game a line as they ended."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NEEDED = ("game", "pair", "variant", "start", "black", "white", "moves", "winner", "reason")
DEFAULTS: dict[str, Any] = {"book": [], "dice": [], "time_ms": [], "scores": [], "fault": None, "clock": ""}


@dataclass
class RecordFile:
    """What a file holds: the match's settings and its games, each number once, in the order in which they ended."""

    settings: dict[str, Any] = field(default_factory=dict)
    games: list[dict[str, Any]] = field(default_factory=list)
    broken_lines: int = 0


def read_records(path: str | Path) -> RecordFile:
    """Read a records file. A line that was not written to its end, as a killed runner leaves it, is counted and passed
    over, and of two games of one number the first counts. ValueError if nothing in the file is a record; OSError."""
    found, numbers = RecordFile(), set[int]()
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
            except ValueError:
                entry = None
            if isinstance(entry, dict) and "kogoma_match" in entry:
                found.settings = found.settings or dict(entry.get("settings") or {})
            elif isinstance(entry, dict) and all(name in entry for name in NEEDED):
                if entry["game"] not in numbers:
                    numbers.add(entry["game"])
                    found.games.append(DEFAULTS | entry)
            else:
                found.broken_lines += 1
    if found.broken_lines and not found.games and not found.settings:
        raise ValueError(f"{path}: no line of it is a match's settings or a game's record")
    return found
