"""The model of a game record: moves with times, die rolls and comments, variations, and the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kogoma.japanese import record_errors
from kogoma.lab.journals.match_journal import GameRecord
from kogoma.lab.kifu.errors import GameError as GameError
from kogoma.lab.kifu.errors import wrapped
from kogoma.lab.kifu.grammar import WrittenEnd
from kogoma.rules.onitama.position import OnitamaPosition
from kogoma.rules.outcome import Outcome
from kogoma.rules.position import Position, new_position
from kogoma.rules.variants import Variant

MOST_STEPS = 100_000  # moves of a record, including variations


class Note(NamedTuple):
    """A part of a text that a reader did not keep as it is: a line that says nothing known ("ignored"), an end word
    that no table has ("unknown_end"), or characters that could not be decoded ("undecodable")."""

    kind: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {record_errors()[self.kind][0].format(text=repr(self.text[:40]))}"


def note_lines(notes: Iterable[Note]) -> list[str]:
    """Return one line for each kind of note: the first note of the kind, and the number of others."""
    kinds: dict[str, list[Note]] = {}
    for note in notes:
        kinds.setdefault(note.kind, []).append(note)
    return [f"{first}" + f" (and {len(others)} more)" * bool(others) for first, *others in kinds.values()]


@dataclass
class Step:
    """A move in USI notation. `time_ms` is the time that it took, or None if unknown; `dice` is the die roll;
    `variations` are alternatives to this move."""

    usi: str
    comment: str = ""
    time_ms: float | None = None
    dice: int | None = None
    variations: list[Line] = field(default_factory=list)


@dataclass
class End:
    """The end of a line. The reason of `outcome` is one that the rules or the lab use, or `resign`, `time`, `impasse`,
    `default`, `no_mate`, `interrupted` for a game without a result, or `unknown`; `text` is then the end word of the
    record, if no table has it."""

    outcome: Outcome
    text: str = ""
    comment: str = ""
    time_ms: float | None = None
    variations: list[Line] = field(default_factory=list)


@dataclass
class Line:
    """A sequence of moves, and the end if known."""

    steps: list[Step] = field(default_factory=list)
    end: End | None = None

    @property
    def entries(self) -> list[Step | End]:
        """The moves, followed by the end if it is known."""
        return [*self.steps, self.end] if self.end else [*self.steps]


@dataclass
class Game:
    """A game record, in which every move is legal. `start` is an SFEN, `comment` precedes the first move, `label` is a
    number or name of the game, and `headers` holds all other information under KIF's names (棋戦 ...). `source` is
    the journal line that it was read from. `trouble` is the first error of the record, or None; the game holds what
    precedes it. `notes` tell what was read but not kept."""

    variant: Variant
    start: str
    main: Line = field(default_factory=Line)
    black: str = ""
    white: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    comment: str = ""
    label: str = ""
    source: GameRecord | None = None
    trouble: GameError | None = None
    notes: list[Note] = field(default_factory=list)

    @classmethod
    def played(cls, variant: Variant | str, moves: Iterable[str], start: str | None = None) -> Game:
        """Return the game in which `moves` are played from the SFEN `start`, by default the variant's start position.
        If the rules then end the game, the end is recorded too. Raises ValueError for an invalid position or an illegal
        move."""
        recorder = Recorder(variant, start)
        for usi in moves:
            recorder.play(usi)
        if outcome := recorder.position.outcome():
            recorder.finish(outcome)
        return recorder.game

    @property
    def error(self) -> str:
        """The first error of the record as text, which names line and column, or ""."""
        return str(self.trouble or "")

    @property
    def moves(self) -> list[str]:
        """The moves of the main line, in USI notation."""
        return [step.usi for step in self.main.steps]

    @property
    def outcome(self) -> Outcome | None:
        """The recorded outcome of the main line, or None if its end is not recorded."""
        return self.main.end.outcome if self.main.end else None

    def lines(self) -> Iterator[tuple[int, Line]]:
        """Yield (number of plies before the line, line) for the main line and all variations. They are in KIF's order,
        in which each variation branches off the line written before it."""
        waiting = [(0, self.main)]
        while waiting:
            plies, line = waiting.pop()
            yield plies, line
            for number, step in enumerate(line.entries, plies):
                waiting += [(number, other) for other in reversed(step.variations)]


class Recorder:
    """Builds a game record move by move, checked by the rules. `position` is the current position."""

    def __init__(self, variant: Variant | str, start: str | None = None) -> None:
        """Start to record a game of a variant from the SFEN `start`, by default the variant's start position. Raises
        ValueError if the SFEN is invalid."""
        self.position: Position | OnitamaPosition = new_position(variant, start)
        self.game = Game(self.position.variant, self.position.sfen())
        self.line = self.game.main
        self.at: Step | End | None = None  # the last move or end; None before a line's first move
        self._said = False  # whether `at` has a comment
        self._ahead: list[str] = []  # comment lines before the first move of a variation
        self._path: list[list[Line]] = []  # for each ply of the line: the variations of its move
        self._first: list[Line] | None = None  # in a variation: the list of variations that contains this one
        self._count = 0

    def play(self, usi: str, time_ms: float | None = None) -> None:
        """Add a move to the current line (the main line or a variation). Raises ValueError, and changes nothing, if the
        move is illegal or the line has ended."""
        if self.line.end:
            raise GameError.of("after-end")
        self._counted()
        self.position.push(usi)
        step = Step(self.position.moves[-1], time_ms=time_ms)
        if self._first is not None and not self.line.steps:
            self._first.append(self.line)
        self._path.append(self._siblings(step))
        self.line.steps.append(step)
        self._reach(step)

    def finish(self, outcome: Outcome, time_ms: float | None = None, text: str = "") -> bool:
        """Record `outcome` as the end of the current line (the main line or a variation); `text` is an end word that no
        table has. Return False for an end in place of a variation's first move, which cannot be recorded. Raises
        ValueError if the line already has an end."""
        if self.line.end:
            raise GameError.of("ended-twice")
        if self._first is not None and not self.line.steps:
            return False
        self.line.end = End(outcome, text, time_ms=time_ms)
        self._reach(self.line.end)
        return True

    def amend(self, told: WrittenEnd | None) -> bool:
        """Replace the outcome and the word of the line's end by those of a remark. Return whether there are both."""
        if not told or not self.line.end:
            return False
        self.line.end.outcome, self.line.end.text = told.outcome, told.text
        return True

    def say(self, line: str) -> None:
        """Add a line of text to the comment on the last move or end. If there is no move yet, add it to the comment
        before the first move."""
        if self.at is not None:
            self.at.comment = f"{self.at.comment}\n{line}" if self._said else line
        elif self.line is self.game.main:
            self.game.comment = f"{self.game.comment}\n{line}" if self._said else line
        else:
            self._ahead.append(line)
        self._said = True

    def branch(self, plies: int) -> None:
        """Start a variation that replaces the moves of the current line after the first `plies` plies of the game.
        Raises ValueError if the current line is shorter."""
        if not 0 <= plies <= len(self._path):
            raise GameError.of("short-line-before", n=plies + 1, count=len(self._path))
        self._counted()
        if plies == len(self._path) and not self.line.end:
            return  # there is no move to replace, so the line continues
        siblings = self._path[plies] if plies < len(self._path) else self._siblings(self.line.end)
        while len(self._path) > plies:
            self.position.pop()
            self._path.pop()
        self.line, self._first, self.at = Line(), siblings, None
        self._said = False

    def _reach(self, what: Step | End) -> None:
        what.comment = "\n".join(self._ahead)
        self.at, self._said = what, bool(self._ahead)
        self._ahead.clear()

    def _siblings(self, what: Step | End | None) -> list[Line]:
        if self.line.steps or self._first is None:
            assert what is not None
            return what.variations
        return self._first

    def _counted(self) -> None:
        self._count += 1
        if self._count > MOST_STEPS:
            raise GameError.of("many-moves", n=MOST_STEPS)


class GameReader:
    """The base class of readers. A reader reads one game, which starts on line `first` of the text.

    `line` and `column` tell which part of the text is being read. An error belongs to that place."""

    def __init__(self, variant: Variant, first: int) -> None:
        self.first, self.line, self.column = first, first, 1
        self.trouble: GameError | None = None  # the first error
        self.header = Game(variant, variant.start)  # names, label and headers
        self.recorder: Recorder | None = None  # None until the start is known
        self.ahead: list[str] = []  # comment lines before the start is known

    def game(self) -> Game:
        """Return the game as far as it could be read."""
        game, header = self.recorder.game if self.recorder else self.header, self.header
        game.black, game.white, game.headers = header.black, header.white, header.headers
        game.label, game.trouble, game.notes = header.label, self.trouble, header.notes
        return game

    @property
    def started(self) -> Recorder:
        """The recorder. Raises GameError if the start is not known yet."""
        if self.recorder is None:
            raise GameError.of("early-move")
        return self.recorder

    def note(self, kind: str, text: str) -> None:
        """Note a part of the line that is not kept as it is."""
        self.header.notes.append(Note(kind, self.line, text))

    def attempt(self, line: int, column: int, act: Callable[..., None], *arguments: Any) -> None:
        """Call a function that handles the text at a place. If it raises ValueError, the reader has an error; after
        that, nothing is done."""
        if self.trouble:
            return
        self.line, self.column = line, column
        try:
            act(*arguments)
        except ValueError as error:
            self.trouble = wrapped(error).at(self.line, self.column)

    def finish(self, end: WrittenEnd, word: str, ms: float | None = None) -> None:
        """Record the end of the current line, which is `word` in the text, and note what is not kept as it is."""
        if not self.started.finish(end.outcome, ms, end.text):
            self.note("ignored", word)
        elif end.text:
            self.note("unknown_end", word)

    def begin(self, variant: Variant, start: str) -> None:
        """Begin to record moves from the SFEN `start`. Raises ValueError if it is invalid."""
        self.recorder = Recorder(variant, start)
        for line in self.ahead:
            self.recorder.say(line)


def one_line(text: str) -> str:
    """Return a text in which line breaks and control characters are replaced by spaces."""
    return "".join(" " if ord(letter) < 32 or letter in "\x7f\x85\u2028\u2029" else letter for letter in text).strip()


def comment_lines(text: str) -> list[str]:
    """Split a comment into lines, and replace characters that files cannot store. An empty comment has no lines."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd").split("\n")
    return lines if text else []
