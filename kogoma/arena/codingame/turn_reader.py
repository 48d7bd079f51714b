"""One turn of a CodinGame arena, read line by line; what is missing or garbled is named and left out.

A turn has a fixed number of lines, then a count, then that many legal actions. Where a line comes that does not belong
there, its looks decide: that of a later line means that some are missing, that of an earlier one that it is one too
many, any other that it is garbled. So the rest of the turn, the legal actions above all, is still understood.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from kogoma.arena.lines import Line, LineReader, clip

QUIET = 0.02  # seconds of silence after which a list of unknown length is over


@dataclass(frozen=True)
class Field:
    """One line of a turn: what it is called in messages, and what it looks like."""

    name: str
    pattern: re.Pattern[str]

    def fits(self, line: Line) -> bool:
        """Whether the line can be this one."""
        return self.pattern.fullmatch(line.text) is not None


COUNT = Field("the number of legal actions", re.compile(r"[0-9]{1,3}"))


def lines_of(name: str, pattern: str, count: int = 1) -> tuple[Field, ...]:
    """That many lines of one kind, numbered in their names if there are several."""
    names = [name] if count == 1 else [f"{name} {number}" for number in range(1, count + 1)]
    return tuple(Field(numbered, re.compile(pattern)) for numbered in names)


@dataclass(frozen=True)
class Form:
    """What an arena's turn consists of: the lines sent `once`, those sent at `each` turn, and what an action is."""

    once: tuple[Field, ...]
    each: tuple[Field, ...]
    action: Field


@dataclass
class RawTurn:
    """The lines of one turn, None for those that could not be had. `once` is empty but in a game's first turn."""

    at: float  # when the first line came (time.perf_counter)
    once: list[str | None] = field(default_factory=list)
    each: list[str | None] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    complete: bool = True  # nothing was amiss


class _Cut(Exception):
    """The rest of the turn won't come."""


class TurnReader:
    """Reads the turns of a game, or of several: the lines that are sent once begin a new one."""

    def __init__(self, form: Form, lines: LineReader, complain: Callable[[str], None]) -> None:
        """`complain` is told what is wrong with the input, in one line with the number of the line it is about."""
        self._form, self._lines, self._complain = form, lines, complain
        self._turn = RawTurn(0.0)
        self._until: float | None = None
        self._any = False  # a turn was read before

    def read(self, patience: Callable[[bool], float | None]) -> RawTurn | None:
        """The next turn; None at the end of input.

        Lines that are still missing `patience(first)` seconds after the first one won't come any more, if anything is
        known by then that can be played on; None waits for ever. `first` tells a game's first turn.
        """
        start = self._find_start()
        if start is None:
            return None
        first = not self._any or self._form.once[0].fits(start)
        self._any = True
        seconds = patience(first)
        self._until = None if seconds is None else start.at + seconds
        once, each = self._form.once if first else (), self._form.each
        self._turn = turn = RawTurn(start.at, [None] * len(once), [None] * len(each))
        fields = (*once, *each, COUNT)
        try:
            for index in range(len(once)):
                turn.once[index] = self._read_field(fields, index)
            for index in range(len(each)):
                turn.each[index] = self._read_field(fields, len(once) + index)
            self._read_actions(self._read_field(fields, len(fields) - 1))
        except _Cut as cut:
            self._amiss(str(cut))
        return turn

    def _find_start(self) -> Line | None:
        """Skip what is left of an earlier turn: hands, counts and actions, with which no turn begins."""
        starts = (self._form.once[0], self._form.each[0])
        others = (COUNT, self._form.action, *self._form.each)
        skipped: list[Line] = []
        while (line := self._next()) is not None:
            if any(one.fits(line) for one in starts) or not any(one.fits(line) for one in others):
                break
            skipped.append(line)
            self._lines.take()
        if skipped:
            self._unexpected(skipped[0], starts[1].name)
        if len(skipped) > 1:
            self._complain(f"lines {skipped[1].number} to {skipped[-1].number} are skipped, too")
        return line

    def _next(self, until: float | None = None) -> Line | None:
        """The next line that is not blank, as `LineReader.peek` shows it: no line of any turn is."""
        while (line := self._lines.peek(until)) is not None and not line.text:
            self._lines.take()
        return line

    def _peek(self, name: str) -> Line:
        """The next line of this turn, which should be what `name` says."""
        line = self._next(self._until)
        playable = self._turn.actions or None not in self._turn.each
        if line is None and not playable:
            line = self._next()
        if line is None:
            why = "the input ends" if self._lines.ended else "nothing more comes"
            raise _Cut(f"line {self._lines.number + 1}: {why}, but {name} is still to come")
        return line

    def _read_field(self, fields: tuple[Field, ...], index: int) -> str | None:
        """The line for one of the fields, with what looks like an earlier one passed over."""
        wanted = fields[index]
        while True:
            line = self._peek(wanted.name)
            if wanted.fits(line):
                return self._lines.take().text
            self._unexpected(line, wanted.name)
            if any(one.fits(line) for one in (*fields[index + 1 :], self._form.action)):
                return None
            self._lines.take()
            if not any(one.fits(line) for one in fields[:index]):
                return None

    def _read_actions(self, count: str | None) -> None:
        """As many as `count` says, and then those that come without a pause: all of them, if it is None."""
        wanted = 0 if count is None else int(count)
        for number in range(1, wanted + 1):
            name = f"legal action {number} of {wanted}"
            line = self._peek(name)
            if self._form.action.fits(line):
                self._turn.actions.append(line.text)
            else:
                self._unexpected(line, name)
                if self._form.each[0].fits(line):
                    return  # the next turn
            self._lines.take()
        pause = QUIET if count is None else 0.0
        while (further := self._next(time.perf_counter() + pause)) and self._form.action.fits(further):
            if count is not None:
                self._amiss(f"line {further.number}: a legal action more than the {wanted} announced")
            self._turn.actions.append(self._lines.take().text)
        if count is None and further is not None and COUNT.fits(further):
            self._turn.actions.clear()  # what came before the count was something else
            self._read_actions(self._lines.take().text)

    def _unexpected(self, line: Line, name: str) -> None:
        self._amiss(f"line {line.number}: expected {name}, not {clip(line.text)}")

    def _amiss(self, text: str) -> None:
        self._turn.complete = False
        self._complain(text)
