"""The positions of a book in the making: what each is worth, and which is searched next.

A book is asked by one side, whose own moves come from it. So it needs that side's best moves, and answers to whatever
the other side may play: paths on which one side plays the best moves alone, the other any. Of all such paths, for
either side, the one on which the other side gives away the least is followed next; a ply counts as PLY centipawns.
Values are those of the leaves' searches, minimaxed (as in Thomas Lincke's drop-out expansion, "Strategies for the
Automatic Construction of Opening Books", 2000, but with the two sides told apart).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from kogoma.search.book.book import Book, BookMove, key_of

PLY = 8  # centipawns: what each ply from the start costs
DECIDED = 1500  # centipawns from which on a side needs no book any more
SWEEPS = 100  # over all positions, at most: values of positions that lead back to each other may never settle
MATE = 30000  # centipawns, less the plies to it


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
