"""Search the positions of a game, from the end backwards, because results of later positions help with earlier ones.

The best move and the played move of a position are searched to the same depth, so that their scores can be compared. If
the played move then seems to be a mistake, both are searched again, longer (DOUBTS).
Results are kept in a journal next to the output file: a header line, then a line per position.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from kogoma.lab.analysis.judge import Known, Moves, ScoredLine, judgement
from kogoma.lab.engines.worker_search import best_lines, thread_searcher
from kogoma.lab.journals.journal import Journal
from kogoma.lab.journals.match_journal import load_line
from kogoma.rules.base_position import BasePosition
from kogoma.rules.custom.writer import definition_digest
from kogoma.rules.position import new_position
from kogoma.rules.variants import find
from kogoma.search.limits import Limits
from kogoma.search.mate.solver import MATE, MateLimits, MateSolver, refusal
from kogoma.search.searcher import Searcher
from kogoma.search.table_memory import Table
from kogoma.search.winning_chance import DOUBTS, MISTAKES

MATE_SHARE = 4  # the mate solver gets 1/MATE_SHARE of the search's time or nodes
MATE_HASH_MB = 16
FORMAT = 2  # of the journal


@dataclass(frozen=True)
class Settings:
    """The limits of each position: ms or nodes (0: no limit), number of lines, and size of the transposition table in
    MB."""

    movetime: int = 1000
    nodes: int = 0
    multipv: int = 2
    hash_mb: int = 64


@cache
def _solver(variant: str, thread: int) -> MateSolver | None:
    """Return a mate solver for a variant, or None if the variant has no mate problems. Results are cached, so that each
    `thread` keeps a solver of its own."""
    return MateSolver(Table(MATE_HASH_MB)) if refusal(find(variant)) is None else None


def examine(game: Moves, settings: Settings, known: Known, keep: Callable[[int, tuple[ScoredLine, ...]], None]) -> None:
    """Search the positions of a game that are not in `known`, the last position first. Add the lines of each one to
    `known`, and pass its ply and lines to `keep` as soon as they are found."""
    searcher = thread_searcher(game.variant, settings.hash_mb)
    searcher.new_game()
    position = new_position(game.variant, game.start)
    for move in game.moves:
        position.push(move)
    for ply in reversed(range(len(game.moves) + 1)):
        if ply not in known:
            roll = game.dice[ply] if ply < len(game.dice) else 0
            played = game.moves[ply] if ply < len(game.moves) else ""
            known[ply] = lines_of(searcher, position, settings, roll, played)
            keep(ply, known[ply])
        if ply:
            position.pop()


def lines_of(
    searcher: Searcher, position: BasePosition, settings: Settings, roll: int, played: str
) -> tuple[ScoredLine, ...]:
    """Return the best lines of a position, and the line of the move `played` if it is not "". Return () if the game has
    ended. While the move seems to be a mistake, the position is searched again, as much longer as DOUBTS says."""
    if position.outcome() is not None:
        return ()
    limits = Limits(movetime=settings.movetime or None, nodes=settings.nodes or None, dice=roll or None)

    def searched(times: int) -> list[ScoredLine]:
        """Return the lines of a search that is `times` as long."""
        longer = replace(limits, movetime=limits.movetime and times * limits.movetime)
        longer = replace(longer, nodes=limits.nodes and times * limits.nodes)
        lines = _with_played(searcher, position, longer, settings.multipv, played)
        return _with_mate(position, settings, lines)

    lines = searched(1)
    for kind, times in DOUBTS.items():
        if _severity(position.variant.name, lines, played) < MISTAKES[kind]:
            break
        lines = searched(times)
    return tuple(lines)


def _severity(variant: str, lines: list[ScoredLine], played: str) -> float:
    """Return how severe a mistake the played move is, or 0 if it has no line."""
    found = (judgement(variant, 0, 0, lines[0], line).severity for line in lines if line.moves[0] == played)
    return next(found, 0.0)


def _with_played(
    searcher: Searcher, position: BasePosition, limits: Limits, multipv: int, played: str
) -> list[ScoredLine]:
    """Return the best lines and that of the move `played`, if it is not "", searched to the depth of the best line. If
    the limits do not suffice for this depth, the best move is searched again to the depth that they allow. A move
    that ends the game has its result as its score."""
    lines = _search(searcher, position, limits, multipv)
    if not played or not lines:
        return lines
    best, depth = lines[0], lines[0].depth
    others = [line for line in lines[1:] if line.moves[0] != played]
    if (end := _end_score(position, played)) is not None:
        line = ScoredLine((played,), *end, depth)
        return [line] if best.moves[0] == played else [best, *others, line]
    if best.moves[0] == played:
        return lines
    line = next((line for line in lines if line.moves[0] == played and line.depth == depth), best)
    if line is best:
        alone = _search(searcher, position, replace(limits, depth=depth, searchmoves=(played,)), 1)
        if not alone:
            return [best, *others]
        line = alone[0]
    if line.depth < depth and best.kind != "mate":
        limits = Limits(depth=line.depth, dice=limits.dice, searchmoves=best.moves[:1])
        best = _search(searcher, position, limits, 1)[0]
    return [best, *others, line]


def _end_score(position: BasePosition, move: str) -> tuple[str, int] | None:
    """If a move ends the game, return the result as a score for the side that makes it. Otherwise return None."""
    position.push(move)
    end, side = position.outcome(), position.turn
    position.pop()
    if end is None:
        return None
    return ("cp", 0) if end.winner is None else ("mate", 1 if end.winner != side else -1)


def _with_mate(position: BasePosition, settings: Settings, lines: list[ScoredLine]) -> list[ScoredLine]:
    """Return the lines of the search. If the mate solver finds a mate and the search found none or a longer one, put
    the solver's mate first."""
    solver = _solver(position.variant.name, threading.get_ident())
    if solver is None:
        return lines
    time, nodes = settings.movetime // MATE_SHARE, settings.nodes // MATE_SHARE
    answer = solver.solve(position, MateLimits(time or None, nodes or None, shortest=True, checks_only=True))
    known = lines[0].value if lines and lines[0].kind == "mate" and lines[0].value > 0 else None
    if answer.verdict != MATE or (known is not None and known <= answer.plies):
        return lines
    mate = ScoredLine(tuple(answer.moves), "mate", answer.plies, answer.plies)
    return [mate, *(line for line in lines if line.moves[0] != mate.moves[0])]


def _search(searcher: Searcher, position: BasePosition, limits: Limits, multipv: int) -> list[ScoredLine]:
    found = best_lines(searcher, position, limits, multipv)
    return [ScoredLine(tuple(info.pv), info.score_kind, info.score, info.depth) for info in found]


class Store:
    """The journal of a game's positions. An existing file is discarded if its game, settings or variant definition
    differ. Raises OSError if it cannot be read or written."""

    def __init__(self, path: Path, game: Moves, settings: Settings) -> None:
        self.known: Known = {}
        text = json.dumps([asdict(game), asdict(settings), definition_digest(find(game.variant))], sort_keys=True)
        self._head = {"kogoma_analysis": FORMAT, "of": hashlib.sha256(text.encode()).hexdigest()}
        self._journal = Journal(path)
        if not self._journal.read(self._take):
            self._journal.add(self._head)

    def keep(self, ply: int, lines: tuple[ScoredLine, ...]) -> None:
        """Add the lines of the position at `ply` to the journal."""
        self._journal.add({"ply": ply, "lines": [[one.moves, one.kind, one.value, one.depth] for one in lines]})

    def close(self) -> None:
        """Close the journal's file."""
        self._journal.close()

    def _take(self, number: int, line: bytes) -> bool:
        """Read a line of the journal into `known`. Return False, which stops the reading, if the line is invalid, or if
        it is the first line and belongs to another game."""
        try:
            entry = load_line(line)
            if number == 1:
                return bool(entry == self._head)
            self.known[int(entry["ply"])] = tuple(map(_line_of, entry["lines"]))
        except (ValueError, LookupError, TypeError, OverflowError):
            return False
        return True


def _line_of(given: Any) -> ScoredLine:
    """Return a line of the search from a journal. Raises ValueError or TypeError if it is invalid."""
    moves, kind, value, depth = given
    if not isinstance(moves, list) or kind not in ("cp", "mate"):
        raise ValueError("not a line of a search")
    return ScoredLine(tuple(map(str, moves)), kind, int(value), int(depth))


def positions_in(path: Path) -> int:
    """Return the number of positions in a journal, which is 0 if the journal does not exist."""
    return max(path.read_bytes().count(b"\n") - 1, 0) if path.exists() else 0
