"""Searched positions of a variant, kept in a file of JSON lines so that an interrupted benchmark can go on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kogoma.lab.journals.journal import Journal
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.search import Info
from kogoma.search.searcher import Searcher


class SearchedPositions:
    """The positions after some moves from a start position, each with what a search of it found."""

    def __init__(self, path: Path, variant: Variant, limits: Limits, hash_mb: int) -> None:
        self._variant, self._limits = variant, limits
        self._searcher = Searcher(hash_mb, variant=variant)
        self._found: dict[tuple[str, ...], dict[str, Any]] = {}
        self._journal = Journal(path)
        self._journal.read(self._take)

    def _take(self, number: int, line: bytes) -> bool:
        entry = json.loads(line)
        self._found[tuple(entry["moves"])] = entry
        return True

    def after(self, moves: Sequence[str]) -> BasePosition:
        """Return the position after some moves."""
        position = new_position(self._variant)
        for move in moves:
            position.push(move)
        return position

    def search(self, moves: tuple[str, ...]) -> dict[str, Any]:
        """Return what a search of the position after some moves found: `kind` and `score` as in `Result`, from the
        point of view of the side that made the last move; `depth`, `nodes`, and the move `best`."""
        if moves not in self._found:
            self._searcher.new_game()
            result = self._searcher.search(self.after(moves), self._limits)
            entry = {"moves": moves, "kind": result.score_kind, "score": -result.score}
            entry |= {"depth": result.depth, "nodes": result.nodes, "best": result.best}
            self._journal.add(entry)
            self._found[moves] = entry
        return self._found[moves]

    def best(self, moves: Sequence[str], limits: Limits, count: int) -> list[str]:
        """Return the best moves after some moves, by another search of several lines."""
        return [line.pv[0] for line in best_lines(self._searcher, self.after(moves), limits, count)]


def best_lines(searcher: Searcher, position: BasePosition, limits: Limits, count: int) -> list[Info]:
    """Return the last report of each of the `count` best lines of a position, the best first."""
    lines: dict[int, Info] = {}
    searcher.new_game()
    searcher.search(position, limits, SearchOptions(multipv=count), lambda info: lines.update({info.multipv: info}))
    return [lines[number] for number in sorted(lines)]
