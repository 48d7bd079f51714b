"""When a match may stop before its last game: once its SPRT has a verdict."""

from __future__ import annotations

from kogoma.lab.records.record import GameRecord
from kogoma.lab.stats.sprt import Sprt, State
from kogoma.lab.stats.statistics import PairTally


class Stopping:
    """Asks the test after every pair, in the order of the games' numbers: in the order in which they end, short games
    would count first, and the match would not stop at the same game every time."""

    def __init__(self, test: Sprt | None, first: str, repeat: int) -> None:
        self._test, self._repeat = test, repeat
        self._tally = PairTally(first)
        self._waiting: dict[int, GameRecord] = {}
        self._next = 0  # number of the first game that is not counted yet
        self.state: State | None = None if test is None else test.state(self._counts())

    def add(self, record: GameRecord) -> None:
        """Count a game that has ended."""
        if self._test is None or self.decided():
            return
        self._waiting[record["game"]] = record
        while self._next in self._waiting and not self.decided():
            self._tally.add(self._waiting.pop(self._next))
            self._next += 1
            if self._next % self._repeat == 0:
                self.state = self._test.state(self._counts())

    def decided(self) -> bool:
        """True once there is a verdict."""
        return self.state is not None and self.state.verdict is not None

    def _counts(self) -> tuple[int, ...]:
        return self._tally.pairs if self._repeat == 2 else self._tally.singles
