"""The game tree of a book in the making: values of positions, and the choice of the next position to search.

A player with a book needs its own best moves, and answers to all moves of the opponent. So the tree is expanded along
lines in which one side plays only best moves. The end of the line with the lowest cost is searched next: the cost is
the centipawns that the opponent's moves lose, plus PLY per ply. Values come from the searches of the leaves by
minimax (as in Thomas Lincke's drop-out expansion, "Strategies for the Automatic Construction of Opening Books", 2000,
but separately for the two sides).

The journal has a header line, then a line for every searched position. A later line for a position replaces an earlier
one.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kogoma.console.arguments import CommandLineError
from kogoma.lab.journals.journal import Journal
from kogoma.lab.journals.match_journal import load_line
from kogoma.rules.custom.writer import definition_digest
from kogoma.rules.variants import find
from kogoma.search.book.book import Book, BookMove, key_of

PLY = 8  # centipawns: cost per ply from the start
DECIDED = 1500  # centipawns; positions with a higher score are not expanded
MAX_SWEEPS = 100  # over all positions: in cycles, values may never converge
MATE = 30000  # score of a mate in centipawns, from which its plies are subtracted
NAME = "positions.jsonl"
FORMAT = 1


@dataclass(frozen=True)
class SearchedMove:
    """A move with its search score in centipawns for the side to move, its depth, and the SFEN after it. `child` is ""
    if the move ends the game."""

    move: str
    score: int
    depth: int
    child: str


class Tree:
    """Searched positions by their keys, with their lines and their values for the side to move."""

    def __init__(self, start: str) -> None:
        self.start = start
        self.lines: dict[str, list[SearchedMove]] = {}
        self.values: dict[str, int] = {}
        self._sfens = {key_of(start): start}

    def add(self, sfen: str, lines: Iterable[SearchedMove]) -> None:
        """Add a searched position with its lines. Call `minimax` afterwards to update the values."""
        key = key_of(sfen)
        self._sfens.setdefault(key, sfen)
        self.lines[key] = list(lines)

    def worth(self, line: SearchedMove) -> int:
        """Return a move's value in centipawns for the side that plays it. If the position after the move was searched,
        this is the value of that position with the sign changed; otherwise it is the search score of the move."""
        value = self.values.get(key_of(line.child)) if line.child else None
        return line.score if value is None else -value

    def minimax(self) -> None:
        """Update the values of all positions from the search scores of the leaves."""
        self.values = {key: max((line.score for line in lines), default=0) for key, lines in self.lines.items()}
        order = list(reversed(self.lines))  # positions added later are mostly deeper
        for _ in range(MAX_SWEEPS):
            changed = False
            for key in order:
                value = max((self.worth(line) for line in self.lines[key]), default=0)
                changed |= value != self.values[key]
                self.values[key] = value
            if not changed:
                return

    def next(self, busy: Iterable[str]) -> str | None:
        """Return the SFEN to search next, or None if no position is left to search. Positions with a key in `busy` are
        skipped."""
        taken = set(busy)
        if not self.lines:
            return None if key_of(self.start) in taken else self.start
        found = [leaf for side in "bw" if (leaf := self._cheapest(side, taken)) is not None]
        return min(found)[1] if found else None

    def _cheapest(self, side: str, taken: set[str]) -> tuple[int, str] | None:
        """Return (cost, SFEN) of the cheapest unsearched position that is reached if `side` plays only best moves, or
        None. Each ply costs PLY plus the centipawns that its move loses compared with the best move. Positions with a
        key in `taken` are skipped."""
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

    def main_line(self) -> list[str]:
        """Return the line of best moves for both sides, up to an unsearched or repeated position."""
        moves, sfen, seen = list[str](), self.start, set[str]()
        while sfen and (key := key_of(sfen)) in self.lines and key not in seen and self.lines[key]:
            seen.add(key)
            best = max(self.lines[key], key=self.worth)
            moves.append(best.move)
            sfen = best.child
        return moves

    def book(self) -> Book:
        """Return the finished book. It has only moves that lead to a searched position or end the game, because the
        scores of other moves are less reliable. It has only positions whose best move is such a move."""
        book = Book()
        for key, lines in self.lines.items():
            followed = [one for one in lines if not one.child or key_of(one.child) in self.lines]
            if followed and max(map(self.worth, followed)) >= max(map(self.worth, lines)):
                moves = [BookMove(one.move, self._reply(one), self.worth(one), one.depth) for one in followed]
                book.set(self._sfens[key], moves)
        return book

    def _reply(self, line: SearchedMove) -> str:
        replies = self.lines.get(key_of(line.child), []) if line.child else []
        return max(replies, key=self.worth).move if replies else ""


@dataclass(frozen=True)
class Plan:
    """The settings of the searches: `nodes` nodes and `lines` moves per position."""

    variant: str
    nodes: int = 1_000_000
    lines: int = 4


class Store:
    """A tree with its journal in a folder. Raises CommandLineError if the journal is damaged or has another plan,
    OSError if it cannot be written."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        variant = find(plan.variant)
        self.tree = Tree(variant.start)
        self._head = {"kogoma_book": FORMAT, **asdict(plan), **definition_digest(variant)}
        self._journal = Journal(folder / NAME)
        if not self._journal.read(self._take):
            self._journal.add(self._head)
        self.tree.minimax()

    def add(self, sfen: str, lines: list[SearchedMove]) -> None:
        """Add a searched position to the journal and to the tree, and update the values."""
        self._journal.add({"sfen": sfen, "lines": [[one.move, one.score, one.depth, one.child] for one in lines]})
        self.tree.add(sfen, lines)
        self.tree.minimax()

    def link(self, before: str, move: str, sfen: str) -> None:
        """Add a move that leads from one searched position to another, unless the search of `before` returned it."""
        lines, answers = self.tree.lines[key_of(before)], self.tree.lines[key_of(sfen)]
        if answers and all(one.move != move for one in lines):
            best = max(answers, key=lambda one: one.score)
            self.add(before, [*lines, SearchedMove(move, -best.score, best.depth, sfen)])

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    def _take(self, number: int, line: bytes) -> bool:
        path = self._journal.path
        try:
            entry = load_line(line)
            if number > 1:
                self.tree.add(str(entry["sfen"]), map(_line_of, entry["lines"]))
        except (ValueError, LookupError, TypeError, OverflowError):
            raise CommandLineError(
                f"{path}: line {number} is damaged; delete the line to continue without it"
            ) from None
        if number == 1 and entry != self._head:
            raise CommandLineError(f"{path} belongs to another plan: {_plain(entry)}; name another --folder")
        return True


def _line_of(given: Any) -> SearchedMove:
    """Return a move from a journal. Raises ValueError or TypeError if it is invalid."""
    move, score, depth, child = given
    if not isinstance(move, str) or not isinstance(child, str):
        raise ValueError("not a move")
    return SearchedMove(move, int(score), int(depth), child)


def _plain(entry: Any) -> str:
    return ", ".join(f"{name} {value}" for name, value in entry.items()) if isinstance(entry, dict) else "unreadable"
