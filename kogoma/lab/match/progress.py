"""What is shown while a match goes on: a live table in a terminal, elsewhere a line now and then."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

from kogoma.lab.match.standing import HEADS, Standing
from kogoma.lab.records.record import FaultRecord, GameRecord

if TYPE_CHECKING:
    from rich.console import RenderableType

MAX_FAULTS, LOG_LINES = 20, 3  # faults shown at most, and lines of the log of each
STANDINGS = 20  # shown in a match, if no interval is asked for
REFRESH = 0.2  # seconds


class Progress:
    """Lines on standard output. A context manager."""

    def __init__(self, standing: Standing) -> None:
        self.standing = standing
        total = standing.total
        self._every = standing.settings.rating_interval or max(1, min(total // STANDINGS, 500))
        self._faults = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing more is shown."""

    def update(self, record: GameRecord) -> None:
        """Show what a game brought, after it was added to the standing."""
        if fault := record["fault"]:
            self._faults += 1
            if self._faults <= MAX_FAULTS:
                self.show_line(fault_text(record["game"], fault))
            if self._faults == MAX_FAULTS:
                self.show_line("further faults are in the records")
        if self.standing.games % self._every == 0:
            self.show_standing()

    def show_standing(self) -> None:
        """Show how the match stands."""
        self.show_line(self.standing.line())

    def show_line(self, text: str) -> None:
        """Show a line that stays."""
        print(text, flush=True)


class LiveProgress(Progress):
    """A table that changes, and a bar. ImportError without rich."""

    def __init__(self, standing: Standing) -> None:
        super().__init__(standing)
        from rich.live import Live
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = [MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()]
        endless = standing.settings.sprt is not None and standing.total > 100_000
        self._bar = Bar(BarColumn(), *(columns[1:2] if endless else columns))
        self._task = self._bar.add_task("", total=None if endless else standing.total, completed=standing.games)
        self._live = Live(refresh_per_second=4, transient=True)
        self._drawn = 0.0

    def __enter__(self) -> Progress:
        self._draw()
        self._live.start()
        return self

    def __exit__(self, *what: Any) -> None:
        self._live.stop()

    def update(self, record: GameRecord) -> None:
        """Show what a game brought, after it was added to the standing."""
        super().update(record)
        self._bar.update(self._task, completed=self.standing.games)
        if time.monotonic() >= self._drawn + REFRESH:
            self._draw()

    def show_standing(self) -> None:
        """The table shows it; lines only where they are asked for."""
        if self.standing.settings.rating_interval:
            super().show_standing()

    def show_line(self, text: str) -> None:
        """Show a line above the table."""
        self._live.console.print(text, markup=False, highlight=False)

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        self._live.update(self._picture())

    def _picture(self) -> RenderableType:
        from rich.box import SIMPLE_HEAD
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        standing = self.standing
        table = Table(
            title=f"{standing.settings.variant.name}, {standing.games} games",
            title_justify="left",
            box=SIMPLE_HEAD,
            pad_edge=False,
            padding=(0, 1, 0, 0),
        )
        for head in HEADS:
            table.add_column(head, justify="left" if head == "engine" else "right", no_wrap=True)
        for row in standing.rows():
            table.add_row(*(Text(cell) for cell in row))
        texts = []
        if len(standing.names) == 2 and (estimate := standing.estimate()):
            texts.append(f"LOS {estimate.los:.1%}, normalised Elo {estimate.normalised:+.1f}")
        texts.append(standing.sprt_text())
        texts.append(f"{standing.games_per_minute():.1f} games a minute; Ctrl-C ends the match, and all games are kept")
        return Group(table, *(Text(text) for text in texts if text), self._bar)


def fault_text(game: int, fault: FaultRecord) -> str:
    """The fault in the game of that number, with the last lines of its log."""
    head = f"game {game}: {fault['engine']}: {fault['kind']}: {fault['detail']}"
    return "\n".join([head, *(f"    {line}" for line in fault["log"][-LOG_LINES:])])
