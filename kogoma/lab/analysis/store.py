"""What an analysis has found so far, as a file beside its result: a head, then a line a position."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from kogoma.lab.analysis.examine import Known, Line, Moves, Settings
from kogoma.lab.records.journal import Journal
from kogoma.rules.own.writer import identity
from kogoma.rules.variants import find

FORMAT = 1


class Store:
    """The journal of a game's positions; one that belongs to another game or to other settings, or whose game's own
    file has changed, is begun anew. OSError."""

    def __init__(self, path: Path, game: Moves, settings: Settings) -> None:
        self.known: Known = {}
        text = json.dumps([asdict(game), asdict(settings), identity(find(game.variant))], sort_keys=True)
        self._head = {"kogoma_analysis": FORMAT, "of": hashlib.sha256(text.encode()).hexdigest()}
        self._journal = Journal(path)
        if not self._journal.read(self._take):
            self._journal.add(self._head)

    def keep(self, ply: int, lines: tuple[Line, ...]) -> None:
        """Add a position."""
        self._journal.add({"ply": ply, "lines": [[one.moves, one.kind, one.value, one.depth] for one in lines]})

    def close(self) -> None:
        """Close the file."""
        self._journal.close()

    def _take(self, number: int, line: bytes) -> bool:
        """Read a line into `known`; False for another's head, and for what makes no sense."""
        try:
            entry = json.loads(line)
            if number == 1:
                return bool(entry == self._head)
            self.known[int(entry["ply"])] = tuple(Line(tuple(one[0]), *one[1:]) for one in entry["lines"])
        except (ValueError, LookupError, TypeError):
            return False
        return True


def positions_in(path: Path) -> int:
    """How many positions a file holds."""
    return max(path.read_bytes().count(b"\n") - 1, 0) if path.exists() else 0
