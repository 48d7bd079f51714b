"""The standings of a match, and their display: a live table in a terminal, otherwise lines at intervals."""

from __future__ import annotations

import math
import textwrap
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kogoma.console.lines import counted
from kogoma.console.terminal import terminal_width
from kogoma.escapes import printable, terminal
from kogoma.japanese import message, width
from kogoma.lab.journals.match_journal import FaultRecord, GameRecord, fault_line
from kogoma.lab.match.pgn import finished_text
from kogoma.lab.match.play import GameJob
from kogoma.lab.match.schedule import Schedule
from kogoma.lab.match.settings import Settings
from kogoma.lab.stats.early_stopping import corrected_text
from kogoma.lab.stats.sprt import Stopping
from kogoma.lab.stats.statistics import Copies, EngineStats, Estimate, PairTally, Summary, count

if TYPE_CHECKING:
    from rich.console import RenderableType

HEADS = "engine, games, + = -, score, Elo, 95%, kn/s, depth, latency, faults"
MAX_FAULTS, LOG_LINES = 20, 3  # number of faults shown, and number of log lines of each
STANDINGS = 20  # how often standings are shown in a match if no interval is set
REFRESH = 0.2  # seconds


class Standing:
    """Counts the games of a match, without copies of earlier games."""

    def __init__(self, settings: Settings, schedule: Schedule) -> None:
        self.settings, self.total = settings, len(schedule)
        self.names = [spec.name for spec in settings.engines]
        self.summary = Summary(engines={name: EngineStats(name) for name in self.names})
        self.openings = len(schedule.openings)
        cycle = self.openings * settings.repeat * len(schedule.encounters)
        self.stopping = Stopping(settings.sprt, self.names[0], settings.repeat, cycle)
        self.copies = 0
        self._copies = Copies()
        self._tallies = {name: PairTally(name) for name in self.names}
        self._started = time.monotonic()
        self._resumed_games = 0  # games of earlier runs

    def begin(self) -> None:
        """Start to measure the time for `games_per_minute`. Games added before this call were played in an earlier
        run."""
        self._started, self._resumed_games = time.monotonic(), self.games

    def add(self, record: GameRecord) -> None:
        """Count a finished game. A game that repeats an earlier one is counted only in `copies`."""
        self.stopping.add(record)
        if self._copies.has(record):
            self.copies += 1
            return
        count(self.summary, record)
        for name in {record["black"], record["white"]}:
            self._tallies[name].add(record)

    def is_over(self) -> bool:
        """Return whether the match should stop before its last game: the SPRT has a verdict, or games only repeat
        earlier ones."""
        return self.stopping.is_decided() or self.stopping.is_exhausted()

    def exhausted_text(self) -> str:
        """Return a message if the match cannot continue because games only repeat earlier ones, otherwise ""."""
        if self.stopping.is_decided() or not self.stopping.is_exhausted():
            return ""
        return (
            f"the games from all openings ({self.openings}) repeat earlier ones: use more openings, or limits under "
            "which games vary (times, not nodes)"
        )

    @property
    def games(self) -> int:
        """The number of finished games, including those that repeat earlier games."""
        return self.summary.games + self.copies

    def games_per_minute(self) -> float:
        """Return the number of games per minute since the match was started or resumed."""
        return 60 * (self.games - self._resumed_games) / max(time.monotonic() - self._started, 1e-3)

    def estimate(self, name: str | None = None) -> Estimate | None:
        """Return the rating difference between an engine (None: the first one) and its opponents, or None before the
        engine's first game."""
        return self._tallies[name or self.names[0]].estimate()

    def luck_text(self, name: str | None = None) -> str:
        """Return the luck-adjusted score of an engine (None: the first one) as text, or "" if the luck of its games is
        not known."""
        tally = self._tallies[name or self.names[0]]
        plain, adjusted = tally.estimate(), tally.adjusted_estimate()
        if plain is None or adjusted is None:
            return ""
        return f"luck-adjusted {score_text(adjusted)} instead of {score_text(plain)}: {adjusted}"

    def sprt_text(self) -> str:
        """Return the SPRT and its state as text, or "" if the match has no SPRT."""
        state, test = self.stopping.state, self.settings.sprt
        if state is None or test is None:
            return ""
        corrected = corrected_text(test, self.stopping.counts())
        return f"{test}: {state}" + f"; {corrected}" * bool(corrected)

    def line(self) -> str:
        """Return the standings as one line of text."""
        if len(self.names) > 2:
            leader = max(self.names, key=lambda name: self.summary.engines[name].results.points)
            results = self.summary.engines[leader].results
            return f"{counted(self.games, 'game')}: {leader} leads with {results.points:g} of {results.games}"
        results = self.summary.engines[self.names[0]].results
        words = [f"{counted(self.games, 'game')}: {self.names[0]} {results}", str(self.estimate() or "")]
        words += [self.luck_text(), str(self.stopping.state or "")]
        return ", ".join(word for word in words if word)

    def score_text(self, record: GameRecord) -> str:
        """Return fastchess's line with the score of the two engines of a game: `Score of one vs two: 3 - 1 - 0 [0.750]
        4`, with wins, losses and draws."""
        one, other = sorted((record["black"], record["white"]), key=self.names.index)
        results = self.summary.cross_table[(one, other)]
        counts = f"{results.wins} - {results.losses} - {results.draws}"
        return f"Score of {one} vs {other}: {counts} [{results.score:.3f}] {results.games}"

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield a row of texts for each engine, with the columns HEADS. More than two engines are sorted, best score
        first."""
        engines = list(self.summary.engines.values())
        if len(engines) > 2:
            engines.sort(key=lambda engine: -engine.results.score if engine.results.games else 1)
        for engine in engines:
            results, estimate = engine.results, self.estimate(engine.name)
            yield (
                engine.name,
                str(results.games),
                f"{results.wins} {results.draws} {results.losses}",
                f"{results.score:.1%}" if results.games else "",
                f"{estimate.elo:+.1f}" if estimate else "",
                f"{estimate.low:+.1f} {estimate.high:+.1f}" if estimate else "",
                f"{engine.nodes_per_second / 1000:,.0f}" if not math.isnan(engine.nodes_per_second) else "",
                f"{engine.depth:.1f}" if not math.isnan(engine.depth) else "",
                f"{engine.latency:.1f}" if not math.isnan(engine.latency) else "",
                str(engine.faults.total() or ""),
            )

    def __str__(self) -> str:
        """Return the standings as several lines of text, whose table has headings in the user's language."""
        summary = self.summary
        if not self.games:
            return "no games"
        lines = [
            f"{counted(self.games, 'game')} of {self.settings.variant.name}, {self.games_per_minute():.1f} a minute"
        ]
        lines += table_lines([heads(), *self.rows()], terminal_width())
        if len(self.names) == 2:
            first, estimate = summary.engines[self.names[0]], self.estimate()
            lines.append(f"{first.name} as Black {first.as_black}, as White {first.as_white}; {estimate}")
            pairs = self._tallies[first.name].pairs
            lines.append(f"pairs with 0, 1/2, 1, 3/2, 2 points: {' '.join(map(str, pairs))}")
        for name in self.names[: 1 if len(self.names) == 2 else None]:
            if text := self.luck_text(name):
                lines.append(f"{name}: {text}")
        if self.stopping.state is not None:
            lines.append(self.sprt_text())
        if self.copies:
            copies = "repeats an earlier one and is" if self.copies == 1 else "repeat earlier ones and are"
            lines.append(f"{counted(self.copies, 'game')} {copies} not counted")
        lines.append(f"Black {summary.black}; {sum(summary.lengths) / summary.games:.1f} plies on average")
        lines.append("ends: " + ", ".join(f"{number} {reason}" for reason, number in summary.reasons.most_common()))
        for engine in summary.engines.values():
            if engine.faults:
                counts = ", ".join(f"{number} {kind}" for kind, number in engine.faults.most_common())
                lines.append(f"faults of {engine.name}: {counts}")
        return "\n".join(lines)


def score_text(estimate: Estimate) -> str:
    """Return a score with half the width of its 95% interval: `56.8% +-1.3`."""
    return f"{estimate.score:.1%} +-{50 * (estimate.score_high - estimate.score_low):.1f}"


def heads() -> tuple[str, ...]:
    """Return the headings of the columns in the user's language."""
    return tuple(message(HEADS).split(", "))


def table_lines(rows: Sequence[tuple[str, ...]], columns: int) -> list[str]:
    """Return the lines of a text table whose first row contains the headings. If the table is wider than `columns`,
    each of the other rows is a paragraph instead, in which a heading is before each cell."""
    lines = list(_columns(rows))
    if max(map(width, lines)) <= columns:
        return lines
    paragraphs = []
    for row in rows[1:]:
        cells = ", ".join(f"{head} {cell}" for head, cell in zip(rows[0][1:], row[1:]) if cell)
        paragraphs += textwrap.wrap(f"{row[0]}: {cells}", columns, subsequent_indent="  ")
    return paragraphs


def _columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield each row as a line of text. The first column is left-aligned, and the others are right-aligned."""
    widths = [max(width(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        blanks = [" " * (most - width(cell)) for cell, most in zip(row, widths)]
        cells = [row[0] + blanks[0], *(blank + cell for cell, blank in zip(row[1:], blanks[1:]))]
        yield "  ".join(cells).rstrip()


class Progress:
    """Progress as lines on standard output. A context manager."""

    def __init__(self, standing: Standing) -> None:
        self.standing = standing
        total = standing.total
        self._every = standing.settings.rating_interval or max(1, min(total // STANDINGS, 500))
        self._faults = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *what: object) -> None:
        """Do nothing: printed lines need no cleaning up."""

    def begin_game(self, job: GameJob) -> None:
        """Print that a game has started."""
        names = f"{job.black.name} vs {job.white.name}"
        self.show_line(f"Started game {job.number + 1} of {self.standing.total} ({names})")

    def update(self, record: GameRecord) -> None:
        """Print how a game that has been added to the standings has ended, and at intervals the standings."""
        self._show_end(record)
        if fault := record["fault"]:
            self._faults += 1
            if self._faults <= MAX_FAULTS:
                self.show_line(fault_text(record["game"], fault))
            if self._faults == MAX_FAULTS:
                self.show_line(message("further faults are only written to the journal"))
        if self._every and self.standing.games % self._every == 0:
            self.show_standing()

    def _show_end(self, record: GameRecord) -> None:
        """Print the result of a game, and at intervals the score."""
        self.show_line(finished_text(record))
        interval = self.standing.settings.score_interval
        if interval and self.standing.games % interval == 0:
            self.show_line(self.standing.score_text(record))

    def show_standing(self) -> None:
        """Print the standings as one line."""
        self.show_line(message(self.standing.line()))

    def show_line(self, text: str) -> None:
        """Print a line of text."""
        print(text, flush=True)


class LiveProgress(Progress):
    """Progress as a changing table and a bar. Raises ImportError without rich."""

    def __init__(self, standing: Standing) -> None:
        super().__init__(standing)
        self._every = standing.settings.rating_interval  # by default never: the table shows the standings
        from rich.console import Console
        from rich.live import Live
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = [MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()]
        endless = standing.settings.sprt is not None and standing.total > 100_000
        self._bar = Bar(BarColumn(), *(columns[1:2] if endless else columns))
        self._task = self._bar.add_task("", total=None if endless else standing.total, completed=standing.games)
        self._live = Live(console=Console(file=terminal()), refresh_per_second=4, transient=True)
        self._drawn = 0.0

    def __enter__(self) -> Progress:
        self._draw()
        self._live.start()
        return self

    def __exit__(self, *what: object) -> None:
        self._live.stop()

    def begin_game(self, job: GameJob) -> None:
        """Do nothing: the table is enough."""

    def update(self, record: GameRecord) -> None:
        """Update the display after a game that has been added to the standings."""
        super().update(record)
        self._bar.update(self._task, completed=self.standing.games)
        if time.monotonic() >= self._drawn + REFRESH:
            self._draw()

    def _show_end(self, record: GameRecord) -> None:
        """Do nothing: the table is enough."""

    def show_line(self, text: str) -> None:
        """Print a line of text above the table."""
        self._live.console.print(printable(text), markup=False, highlight=False)

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
            title=f"{standing.settings.variant.name}, {counted(standing.games, 'game')}",
            title_justify="left",
            box=SIMPLE_HEAD,
            pad_edge=False,
            padding=(0, 1, 0, 0),
        )
        for number, head in enumerate(heads()):
            table.add_column(head, justify="right" if number else "left", no_wrap=True)
        for row in standing.rows():
            table.add_row(*(Text(printable(cell)) for cell in row))
        texts = []
        if len(standing.names) == 2 and (estimate := standing.estimate()):
            texts.append(f"LOS {estimate.los:.1%}, normalised Elo {estimate.normalised:+.1f}")
            texts.append(standing.luck_text())
        texts.append(standing.sprt_text())
        texts.append(f"{standing.games_per_minute():.1f} games a minute; Ctrl-C ends the match, and all games are kept")
        narrow = table_lines([heads(), *standing.rows()], self._live.console.width)
        is_wide = len(narrow) == len(standing.names) + 1 and narrow[0].startswith(f"{heads()[0]} ")
        shown = table if is_wide else Text(printable("\n".join([str(table.title), *narrow])))
        return Group(shown, *(Text(printable(message(text))) for text in texts if text), self._bar)


def fault_text(game: int, fault: FaultRecord) -> str:
    """Return a text about the fault in a game, with the last lines of the engine's log."""
    return "\n".join([f"game {game}: {fault_line(fault)}", *(f"    {line}" for line in fault["log"][-LOG_LINES:])])
