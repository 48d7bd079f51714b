"""The engine of this installation, as a bot needs it."""

from __future__ import annotations

from collections.abc import Callable

from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.variants import find
from kogoma.search.library import warmup
from kogoma.search.limits import ClockOptions, Limits, SearchOptions
from kogoma.search.search import Result
from kogoma.search.searcher import Searcher


class InstalledEngine:
    """The engine of one variant: an `Engine` of `arena.codingame.bot`."""

    def __init__(self, variant: str, hash_mb: int, report: Callable[[str], None]) -> None:
        """Load the engine, and compile it (about a minute) if necessary. `report` is called with each step."""
        self._variant = find(variant)
        warmup(report, self._variant)
        self._searcher = Searcher(hash_mb, variant=self._variant)

    def position(self, sfen: str | None = None) -> BasePosition:
        """Return the start position, or the position of an SFEN. Raises ValueError for an invalid SFEN."""
        return new_position(self._variant, sfen)

    def search(
        self,
        position: BasePosition,
        moves: tuple[str, ...],
        roll: int | None,
        movetime: int,
        margin: float,
        since: float,
    ) -> Result:
        """Search until `movetime` - `margin` ms after `since`: see `arena.codingame.bot.Engine`."""
        limits = Limits(movetime=movetime, searchmoves=moves, dice=roll)
        options = SearchOptions(clock=ClockOptions(network_delay=round(margin)))
        return self._searcher.search(position, limits, options, started=since)

    def new_game(self) -> None:
        """Forget what earlier searches have found."""
        self._searcher.new_game()
