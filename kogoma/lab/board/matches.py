"""The files of matches that the command line named, for the page to open: by number, never by a path."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kogoma.lab.records.match_file import read_records
from kogoma.lab.report.replays import MAX_REPLAYS, chosen, replay


class Matches:
    """Files of records. They are read when they are asked for: a match may still be under way."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = [path.resolve() for path in paths]
        self.names = _names(self._paths)

    def check(self) -> None:
        """RecordError or OSError for the first one that can't be read."""
        for path in self._paths:
            read_records(path)

    def read(self, number: int) -> bytes:
        """The games of a file as JSON, at most MAX_REPLAYS of them; RecordError, OSError."""
        found = read_records(self._paths[number])
        games = [_game(replay(record)) for record in chosen(found.games, MAX_REPLAYS)]
        whole = {"games": games, "of": len(found.games)}
        return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode()


def _game(game: dict[str, Any]) -> dict[str, Any]:
    """As the report's page has it, but with all its fields."""
    book = game.get("book", "").split()
    return {
        "number": game["n"],
        "variant": game["v"],
        "start": game["start"],
        "moves": book + game.get("moves", "").split(),
        "book": len(book),
        "dice": [int(throw) for throw in game.get("dice", "")],
        "black": game["black"],
        "white": game["white"],
        "winner": game["winner"],
        "reason": game["reason"],
        "fault": game.get("fault", ""),
        "scores": game.get("scores", []),
        "ms": game.get("ms", []),
    }


def _names(paths: Sequence[Path]) -> list[str]:
    """The files' names, with their folders where two are the same."""
    names = [path.name for path in paths]
    return [path.name if names.count(path.name) == 1 else f"{path.parent.name}/{path.name}" for path in paths]
