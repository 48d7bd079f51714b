"""A book in the making as a file: a head, then a line for every position that was searched, complete or not there. Of
two lines for a position the later one counts."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kogoma.lab.book.tree import Line, Tree
from kogoma.lab.match.words import WordsError
from kogoma.lab.records.journal import Journal
from kogoma.rules.own.writer import identity
from kogoma.rules.variants import find
from kogoma.search.book.book import key_of

NAME = "positions.jsonl"
FORMAT = 1


@dataclass(frozen=True)
class Plan:
    """What a book is made of: searches of `nodes` nodes with `lines` lines, from the variant's start."""

    variant: str
    nodes: int = 1_000_000
    lines: int = 4


class Store:
    """The journal in a folder. WordsError for a folder that belongs to another plan, or can't be read; OSError where it
    can't be written."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        variant = find(plan.variant)
        self.tree = Tree(variant.start)
        self._head = {"kogoma_book": FORMAT, **asdict(plan), **identity(variant)}
        self._journal = Journal(folder / NAME)
        if not self._journal.read(self._take):
            self._journal.add(self._head)
        self.tree.minimax()

    def add(self, sfen: str, lines: list[Line]) -> None:
        """Keep a position: first in the file, then in the tree."""
        self._journal.add({"sfen": sfen, "lines": [[one.move, one.score, one.depth, one.child] for one in lines]})
        self.tree.add(sfen, lines)
        self.tree.minimax()

    def link(self, before: str, move: str, sfen: str) -> None:
        """Keep a move between two searched positions that the first one's search has not named."""
        lines, answers = self.tree.lines[key_of(before)], self.tree.lines[key_of(sfen)]
        if answers and all(one.move != move for one in lines):
            best = max(answers, key=lambda one: one.score)
            self.add(before, [*lines, Line(move, -best.score, best.depth, sfen)])

    def close(self) -> None:
        """Close the file."""
        self._journal.close()

    def _take(self, number: int, line: bytes) -> bool:
        path = self._journal.path
        try:
            entry = json.loads(line)
            if number > 1:
                self.tree.add(entry["sfen"], [Line(*one) for one in entry["lines"]])
        except (ValueError, LookupError, TypeError):
            raise WordsError(f"{path}: line {number} is damaged; delete it to go on without it") from None
        if number == 1 and entry != self._head:
            raise WordsError(f"{path} belongs to another plan: {_plain(entry)}; name another --folder")
        return True


def _plain(entry: Any) -> str:
    return ", ".join(f"{name} {value}" for name, value in entry.items()) if isinstance(entry, dict) else "unreadable"
