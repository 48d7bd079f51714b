"""The answer of a tablebase to a search: the fastest win, the slowest loss, or a move that keeps the draw."""

from __future__ import annotations

import time
from typing import Any, NamedTuple, Protocol

from kogoma.rules.base_position import BasePosition
from kogoma.rules.variants import RepetitionResult, Variant
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.search import Info, ReportInfo, Result, Search, State

LONGEST_LINE = 20  # plies of a principal variation
LAST_WARNING = 3  # a move to the third occurrence of a position is avoided: the fourth would be a draw


class Values(Protocol):
    """A tablebase: the values of positions of a variant."""

    @property
    def variant(self) -> Variant:
        """The variant."""

    @property
    def tables(self) -> Any:
        """The struct with which the kernels of a search look up values, or None if they do not."""

    def value(self, position: BasePosition) -> int | None:
        """Return 0 if a position that has not ended is a draw, otherwise the number of plies to the end with best play:
        positive if the side to move wins, negative if it loses. Return None if the position has no entry. What happened
        before the position is ignored, and so is a limit on the length of a game."""


class Known(NamedTuple):
    """A move and its value for the side that plays it: 0 for a draw, otherwise plies to the end of the game, positive
    for a win. `repeats` tells that the position after it occurs for the third time in a variant with a rule about
    this."""

    move: str
    value: int
    repeats: bool

    @property
    def rank(self) -> tuple[int, bool, int]:
        """A key that sorts the best move first."""
        result = (self.value > 0) - (self.value < 0)
        return -result, self.repeats and result > 0, self.value


def known_moves(tablebase: Values, position: BasePosition, last_ply: int = 0) -> list[Known] | None:
    """Return all legal moves of a position that has not ended, the best first, or None if one of them leads to a
    position without an entry. Such a move is left out if another one wins at once. A repetition that ends the game
    counts as the draw that it is. `last_ply` is the ply after which the game is a draw; 0 means that there is no
    limit."""
    found, is_complete = [], True
    rule = position.variant.repetition_result is not RepetitionResult.NONE
    for move in position.legal_moves():
        position.push(move)
        value = _value_of_last_move(tablebase, position, last_ply)
        repeats = rule and position.times_seen >= LAST_WARNING
        position.pop()
        if value is None:
            is_complete = False
        else:
            found.append(Known(move, value, repeats))
    found.sort(key=lambda known: (known.rank, known.move))
    return found if is_complete or (found and found[0].value == 1) else None


def _value_of_last_move(tablebase: Values, position: BasePosition, last_ply: int) -> int | None:
    """Return the value of the move that led to a position, for the side that played it, or None if it is not known."""
    end = position.outcome()
    if end is not None:
        return 0 if end.winner is None else (-1 if end.winner == position.turn else 1)
    after = tablebase.value(position)
    if after and last_ply and abs(after) > last_ply - position.ply:
        return 0  # the side that loses lasts long enough
    return after if not after else (-1 - after if after > 0 else 1 - after)


def known_win(tablebase: Values, position: BasePosition, last_ply: int = 0) -> list[str] | None:
    """Return the moves of best play to the end of the game if the side to move wins, [] if it does not, and None if the
    tablebase does not know the position. `last_ply` is that of `known_moves`."""
    if position.variant != tablebase.variant or position.outcome() is not None:
        return None
    known = known_moves(tablebase, position, last_ply)
    if not known:
        return None
    return best_play(tablebase, position, last_ply) if known[0].value > 0 else []


def best_play(tablebase: Values, position: BasePosition, last_ply: int = 0, most: int | None = None) -> list[str]:
    """Return the moves of best play from a position, at most `most` of them (None: to the end of the game, or to a
    position that the tablebase does not know). The position is changed meanwhile."""
    found: list[str] = []
    while (most is None or len(found) < most) and position.outcome() is None:
        known = known_moves(tablebase, position, last_ply)
        if not known:
            break
        found.append(known[0].move)
        position.push(found[-1])
    for _ in found:
        position.pop()
    return found


def look_up(
    tablebase: Values, position: BasePosition, limits: Limits, options: SearchOptions, started: float
) -> Search | None:
    """Return the search of a position that a tablebase answers, or None if it does not know the position."""
    if position.variant != tablebase.variant or position.outcome() is not None:
        return None
    twin, last_ply = position.copy(), options.last_ply(position.variant)
    known = known_moves(tablebase, twin, last_ply)
    if known is None or not {*limits.searchmoves} <= {one.move for one in known}:
        return None  # the search of the tree refuses illegal moves
    allowed = [one for one in known if not limits.searchmoves or one.move in limits.searchmoves]
    return TablebaseSearch(tablebase, twin, allowed[: options.multipv], limits, started, last_ply)


class TablebaseSearch(Search):
    """The moves that a tablebase knows, in the form of a search that ends at once."""

    def __init__(
        self,
        tablebase: Values,
        position: BasePosition,
        known: list[Known],
        limits: Limits,
        started: float,
        last_ply: int,
    ) -> None:
        """`known` are the moves to report, the best first; at least one."""
        super().__init__(position, limits, started)
        self._tablebase, self._known, self._last_ply = tablebase, known, last_ply
        self.moves = [position.code(one.move) for one in known]

    def run(self, report: ReportInfo | None = None) -> Result:
        """Report a line for each move, and return the best one as the result."""
        lines = [[one.move, *self._line(one.move)] for one in self._known]
        for number, (one, line) in enumerate(zip(self._known, lines, strict=True), 1):
            if report is not None:
                kind, score = _score(one.value)
                ms = int((time.perf_counter() - self.started) * 1000)
                report(Info(1, len(line), number, kind, score, "", len(lines), 0, 0, ms, line, len(self.moves)))
        self.wait()
        with self._changed:
            self._state = State.ENDED
        best = lines[0]
        return Result(best[0], best[1] if len(best) > 1 else None, *_score(self._known[0].value), 1, len(lines))

    def _line(self, move: str) -> list[str]:
        """Return best play after a move."""
        self._position.push(move)
        found = best_play(self._tablebase, self._position, self._last_ply, LONGEST_LINE - 1)
        self._position.pop()
        return found


def _score(value: int) -> tuple[str, int]:
    """Return a value as the kind and the number of a score."""
    return ("mate", value) if value else ("cp", 0)
