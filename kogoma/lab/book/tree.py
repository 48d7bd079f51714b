"""The positions of a book in the making: what each is worth, and which is searched next.

A book is asked by one side, whose own moves come from it. So it needs that side's best moves, and answers to whatever
the other side may play: paths on which one side plays the best moves alone, the other any. Of all such paths, for
either side, the one on which the other side gives away the least is followed next; a ply counts as PLY centipawns.
Values are those of the leaves' searches, minimaxed (as in Thomas Lincke's drop-out expansion, "Strategies for the
Automatic Construction of Opening Books", 2000, but with the two sides told apart).

As a file it is a head, then a line for every position that was searched, complete or not there. Of two lines for a
position the later one counts.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kogoma.lab.journals.journal import Journal
from kogoma.lab.match.flags import WordsError
from kogoma.rules.custom.writer import identity
from kogoma.rules.variants import find
from kogoma.search.book.book import Book, BookMove, key_of

PLY = 8  # centipawns: what each ply from the start costs
DECIDED = 1500  # centipawns from which on a side needs no book any more
SWEEPS = 100  # over all positions, at most: values of positions that lead back to each other may never settle
MATE = 30000  # centipawns, less the plies to it
NAME = "positions.jsonl"
FORMAT = 1


@dataclass(frozen=True)
class Line:
    """What a search found of a move: centipawns for the mover, the depth, and the SFEN that the move leads to; "" where
    the game ends there."""

    move: str
    score: int
    depth: int
    child: str


class Tree:
    """Positions by their key, each with its lines, and what they are worth to their movers."""

    def __init__(self, start: str) -> None:
        self.start = start
        self.lines: dict[str, list[Line]] = {}
        self.values: dict[str, int] = {}
        self._sfens = {key_of(start): start}

    def add(self, sfen: str, lines: Iterable[Line]) -> None:
        """File what a search has found in a position. `minimax` brings the values up to date."""
        key = key_of(sfen)
        self._sfens.setdefault(key, sfen)
        self.lines[key] = list(lines)

    def worth(self, line: Line) -> int:
        """What a move is worth to its mover: by the position that it leads to, if that has been searched, otherwise by
        its own search."""
        value = self.values.get(key_of(line.child)) if line.child else None
        return line.score if value is None else -value

    def minimax(self) -> None:
        """Bring all values up to date."""
        self.values = {key: max((line.score for line in lines), default=0) for key, lines in self.lines.items()}
        order = list(reversed(self.lines))  # what was added last lies deepest, mostly
        for _ in range(SWEEPS):
            changed = False
            for key in order:
                value = max((self.worth(line) for line in self.lines[key]), default=0)
                changed |= value != self.values[key]
                self.values[key] = value
            if not changed:
                return

    def next(self, busy: Iterable[str]) -> str | None:
        """The SFEN to search next, none of the keys in `busy`; None where nothing is left."""
        taken = set(busy)
        if not self.lines:
            return None if key_of(self.start) in taken else self.start
        found = [leaf for side in "bw" if (leaf := self._cheapest(side, taken)) is not None]
        return min(found)[1] if found else None

    def _cheapest(self, side: str, taken: set[str]) -> tuple[int, str] | None:
        """(what it costs, SFEN) of the nearest position that was not searched, where `side` plays the best moves."""
        heap, seen = [(0, self.start)], set[str]()
        while heap:
            cost, sfen = heapq.heappop(heap)
            key = key_of(sfen)
            if key in seen:
                continue
            seen.add(key)
            if key not in self.lines:
                if key not in taken:
                    return cost, sfen
                continue
            moves = sorted(((self.worth(line), line) for line in self.lines[key]), key=lambda pair: -pair[0])
            own = sfen.split()[1] == side
            for worth, line in moves[:1] if own else moves:
                if line.child and abs(worth) < DECIDED:
                    heapq.heappush(heap, (cost + PLY + moves[0][0] - worth, line.child))
        return None

    def deepest(self) -> list[str]:
        """The moves that are best for both sides, as far as positions have been searched; a circle ends them."""
        moves, sfen, seen = list[str](), self.start, set[str]()
        while sfen and (key := key_of(sfen)) in self.lines and key not in seen and self.lines[key]:
            seen.add(key)
            best = max(self.lines[key], key=self.worth)
            moves.append(best.move)
            sfen = best.child
        return moves

    def book(self) -> Book:
        """The positions whose best move has been followed further, with all moves that have been. A move that looks
        good only because nobody has looked behind it would be worse than a search of one's own."""
        book = Book()
        for key, lines in self.lines.items():
            followed = [one for one in lines if self._is_followed(one)]
            if followed and max(map(self.worth, followed)) >= max(map(self.worth, lines)):
                moves = [BookMove(one.move, self._reply(one), self.worth(one), one.depth) for one in followed]
                book.set(self._sfens[key], moves)
        return book

    def _is_followed(self, line: Line) -> bool:
        return not line.child or key_of(line.child) in self.lines

    def _reply(self, line: Line) -> str:
        replies = self.lines.get(key_of(line.child), []) if line.child else []
        return max(replies, key=self.worth).move if replies else ""


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
