"""What an analysis has found so far, as a file beside its result: a head, then a line a position."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lab.analysis.examine import Known, Line, Moves, Settings

FORMAT = 1


class Store:
    """The file; what a killed process left unfinished at its end is cut off, and a file that belongs to another game or
    to other settings is begun anew. OSError."""

    def __init__(self, path: Path, game: Moves, settings: Settings) -> None:
        self.known: Known = {}
        self._path = path
        text = json.dumps([asdict(game), asdict(settings)], sort_keys=True)
        self._head = {"kogoma_analysis": FORMAT, "of": hashlib.sha256(text.encode()).hexdigest()}
        end = self._read() if path.exists() else 0
        self._file = open(path, "ab")  # noqa: SIM115
        self._file.truncate(end)
        if end == 0:
            self.known.clear()
            self._write(self._head)

    def keep(self, ply: int, lines: tuple[Line, ...]) -> None:
        """Add a position."""
        self._write({"ply": ply, "lines": [[one.moves, one.kind, one.value, one.depth] for one in lines]})

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, entry: dict[str, Any]) -> None:
        self._file.write(json.dumps(entry, separators=(",", ":")).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _read(self) -> int:
        """Fill `known`; where the last good line ends, 0 if the file is another's."""
        end = 0
        with open(self._path, "rb") as file:
            for number, line in enumerate(file):
                try:
                    entry = json.loads(line)
                    if number == 0 and entry != self._head:
                        return 0
                    if number:
                        lines = [Line(tuple(one[0]), *one[1:]) for one in entry["lines"]]
                        self.known[int(entry["ply"])] = tuple(lines)
                except (ValueError, KeyError, TypeError):
                    return end
                if not line.endswith(b"\n"):
                    return end
                end += len(line)
        return end


def positions_in(path: Path) -> int:
    """How many positions a file holds."""
    return max(path.read_bytes().count(b"\n") - 1, 0) if path.exists() else 0
