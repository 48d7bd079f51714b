"""A reader of CodinGame turns that reports and skips missing or garbled lines.

A turn is a fixed number of lines, a count, and that many legal actions. The format of an
unexpected line decides what it means. If a later field has this format, lines are missing. If an earlier field has it,
the line is superfluous. Any other line is garbled, or superfluous if no line of its format is missing. So the rest of
the turn, above all the legal actions, can still be read.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from kogoma.console.lines import InputLine, LineReader, clip

QUIET = 0.02  # seconds without input that end a list of unknown length
FIRST_TURN = 750  # ms: arenas allow 1000, but Python's start is not measured


@dataclass(frozen=True)
class Field:
    """One line of a turn: its name in messages, and the pattern that it matches."""

    name: str
    pattern: re.Pattern[str]

    def fits(self, line: InputLine) -> bool:
        """Return whether the line matches the pattern."""
        return self.pattern.fullmatch(line.text) is not None


COUNT = Field("the number of legal actions", re.compile(r"[0-9]{1,3}"))


def lines_of(name: str, pattern: str, count: int = 1) -> tuple[Field, ...]:
    """Return `count` fields with the same pattern, with numbered names if there are several."""
    names = [name] if count == 1 else [f"{name} {number}" for number in range(1, count + 1)]
    return tuple(Field(numbered, re.compile(pattern)) for numbered in names)


@dataclass(frozen=True)
class Form:
    """The format of an arena's turns: the lines sent `once` per game, the lines of `each` turn, and a legal action."""

    once: tuple[Field, ...]
    each: tuple[Field, ...]
    action: Field


@dataclass
class RawTurn:
    """The lines of one turn, None for unreadable ones. `once` is empty except in a game's first turn."""

    at: float  # arrival time of the first line (time.perf_counter)
    once: list[str | None] = field(default_factory=list)
    each: list[str | None] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    complete: bool = True  # no line was missing, superfluous or garbled


@dataclass(frozen=True)
class Turn:
    """A parsed turn; a field is None if its lines could not be read. `player` is 0 or 1, `sfen` the position without
    the move number, `dice` the die roll. `last` is the opponent's last move in USI notation, None at the start or if
    the arena does not send it. `actions` maps the referee's legal moves in USI notation to the referee's notation."""

    player: int | None
    sfen: str | None
    last: str | None
    dice: int | None
    actions: dict[str, str]


@dataclass(frozen=True)
class Arena:
    """One game of CodinGame: the variant's name, the times in ms per turn and for the first turn, and the format of its
    turns. `read` parses a turn for a player: 0, 1, or None if unknown. `to_action` converts a player's USI move to the
    arena's notation."""

    variant: str
    clock: int
    form: Form
    read: Callable[[RawTurn, int | None], Turn]
    to_action: Callable[[str, int], str]
    dice: bool = False
    one_start: bool = True  # every game begins with the variant's start position
    first: int = FIRST_TURN

    def time(self, first: bool) -> int:
        """Return the time limit in ms for the answer to a turn. `first` is true for the game's first turn."""
        return self.first if first else self.clock


class _Cut(Exception):
    """The rest of the turn is missing."""


class TurnReader:
    """A reader of the turns of one or more games. The lines that are sent once per game mark the start of a new
    game."""

    def __init__(self, form: Form, lines: LineReader, complain: Callable[[str], None]) -> None:
        """Prepare to read turns in the format `form`. For each error in the input, `complain` is called with a one-line
        message that contains the line's number."""
        self._form, self._lines, self._complain = form, lines, complain
        self._turn = RawTurn(0.0)
        self._until: float | None = None
        self._has_read = False  # whether a turn has been read
        self._garbled = 0  # number of garbled lines before the turn

    def read(self, patience: Callable[[bool], float | None]) -> RawTurn | None:
        """Return the next turn; None at the end of input. `patience(first)` is the time limit in seconds after the
        turn's first line, or None for no limit; `first` is true for a game's first turn. After this time, the reader
        stops waiting for missing lines, provided that the lines so far suffice to find a move."""
        start = self._find_start()
        if start is None:
            return None
        first = not self._has_read or self._form.once[0].fits(start)
        self._has_read = True
        seconds = patience(first)
        self._until = None if seconds is None else start.at + seconds
        once, each = self._form.once if first else (), self._form.each
        self._turn = turn = RawTurn(start.at, [None] * len(once), [None] * len(each), complete=not self._garbled)
        fields = (*once, *each, COUNT)
        try:
            self._read_fields(fields, 0, turn.once)
            self._read_fields(fields, len(once), turn.each)
            count: list[str | None] = [None]
            self._read_fields(fields, len(fields) - 1, count)
            self._read_actions(count[0])
        except _Cut as cut:
            self._report_error(str(cut))
        return turn

    def _find_start(self) -> InputLine | None:
        """Skip the remaining lines of an earlier turn, and count the garbled lines after them in `_garbled`. Return the
        first line of the next turn without consuming it, None at the end of input."""
        starts = (self._form.once[0], self._form.each[0])
        others = (COUNT, self._form.action, *self._form.each)
        skipped: list[InputLine] = []
        self._garbled = 0
        while (line := self._next()) is not None and not any(one.fits(line) for one in starts):
            garbled = not any(one.fits(line) for one in others)
            if self._garbled and not garbled:
                break
            self._garbled += garbled
            skipped.append(self._lines.take())
        if skipped:
            self._unexpected(skipped[0], starts[self._has_read].name)
        if len(skipped) > 1:
            self._complain(f"lines {skipped[1].number} to {skipped[-1].number} are skipped")
        return line

    def _next(self, until: float | None = None) -> InputLine | None:
        """Return the next non-blank line without consuming it. Return None at the end of input, or if no line arrives
        by `until` (time.perf_counter)."""
        while (line := self._lines.peek(until)) is not None and not line.text:
            self._lines.take()
        return line

    def _peek(self, name: str) -> InputLine:
        """Return the next line of this turn without consuming it. If no more lines arrive, raise _Cut with a message
        that calls the expected line `name`."""
        line = self._next(self._until)
        playable = self._turn.actions or None not in self._turn.each
        if line is None and not playable:
            line = self._next()
        if line is None:
            why = "the input ends" if self._lines.ended else "no more lines arrive"
            raise _Cut(f"line {self._lines.number + 1}: {why}, but {name} is missing")
        return line

    def _read_fields(self, fields: tuple[Field, ...], start: int, texts: list[str | None]) -> None:
        """Consume the lines of `fields` from index `start` on, and write them into `texts`, one line per field."""
        index = 0
        while index < len(texts):
            pattern, end = fields[start + index].pattern, index + 1
            while end < len(texts) and fields[start + end].pattern == pattern:
                end += 1
            texts[index:end] = self._read_group(fields, start + index, end - index)
            index = end

    def _read_group(self, fields: tuple[Field, ...], index: int, size: int) -> list[str | None]:
        """Consume and return the lines of `size` fields with the same pattern. If there is one line per field only when
        garbled lines are counted, None stands for each garbled line. If there are too few or too many lines, all are
        None, because it is unknown which line belongs to which field."""
        wanted, later = fields[index], (*fields[index + size :], self._form.action)
        found: list[str | None] = [None] * self._garbled
        self._garbled = 0
        while True:
            valid = [text for text in found if text is not None]
            name = fields[index + min(len(found), size - 1)].name
            if len(valid) < size:
                line = self._peek(name)
            elif len(later) == 1:
                return list(valid[:size])
            elif (further := self._next(self._until)) is None:
                # Without the line that ends this group, legal actions look like its lines.
                self._turn.actions += [text for text in valid[size:] if self._form.action.pattern.fullmatch(text)]
                return list(valid[:size])
            else:
                line = further
            full = len(found) >= size
            if wanted.fits(line) and not (full and later[0].fits(line)):
                if full and len(valid) >= size:
                    self._unexpected(line, later[0].name)
                found.append(self._lines.take().text)
                continue
            if len(valid) >= size:
                break
            if any(one.fits(line) for one in later):
                if not full:
                    self._unexpected(line, name)
                break
            self._unexpected(line, name)
            if not any(one.fits(line) for one in fields[:index]):
                found.append(None)
            self._lines.take()
        if len(valid) == size or (len(valid) > size and len(set(valid)) == 1):
            return list(valid[:size])
        return found if len(found) == size else [None] * size

    def _read_actions(self, count: str | None) -> None:
        """Read `count` actions, and surplus actions that follow without a pause. If `count` is None, read actions until
        a pause of QUIET seconds."""
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
                self._report_error(f"line {further.number}: more legal actions than the {wanted} announced")
            self._turn.actions.append(self._lines.take().text)
        if count is None and further is not None and COUNT.fits(further):
            self._turn.actions.clear()  # the lines before the count were not actions
            self._read_actions(self._lines.take().text)

    def _unexpected(self, line: InputLine, name: str) -> None:
        self._report_error(f"line {line.number}: expected {name}, not {clip(line.text)}")

    def _report_error(self, text: str) -> None:
        self._turn.complete = False
        self._complain(text)
