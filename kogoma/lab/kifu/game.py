"""A game as a record holds it: moves with times, throws and comments, what might have been played, the end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kogoma.lab.journals.match_journal import GameRecord
from kogoma.rules.onitama.position import OnitamaPosition
from kogoma.rules.outcome import Outcome
from kogoma.rules.position import Position, new_position
from kogoma.rules.variants import Variant

MOST_STEPS = 100_000  # moves of one record, those of its variations included


class GameError(ValueError):
    """A record that can't be read or written; the text is one line. `game` is what could be read before that."""

    def __init__(self, text: str, game: Game | None = None) -> None:
        super().__init__(text)
        self.game = game


@dataclass
class Step:
    """A move in USI notation. `time_ms` is what it took, None where that is not told; `dice` the throw that it was made
    for. `variations` are what might have been played in its place."""

    usi: str
    comment: str = ""
    time_ms: float | None = None
    dice: int | None = None
    variations: list[Line] = field(default_factory=list)


@dataclass
class End:
    """Why a line goes no further. Reasons are those of the rules and the lab, `resign`, `time`, `impasse`, `default`,
    `no_mate`, and `interrupted` for a game without a result."""

    outcome: Outcome
    comment: str = ""
    time_ms: float | None = None
    variations: list[Line] = field(default_factory=list)


@dataclass
class Line:
    """Moves in a row, and the end if one is told."""

    steps: list[Step] = field(default_factory=list)
    end: End | None = None

    @property
    def entries(self) -> list[Step | End]:
        """The moves, and then the end if there is one."""
        return [*self.steps, self.end] if self.end else [*self.steps]


@dataclass
class Game:
    """A record of a game, every move of which is legal.

    `start` is an SFEN, `comment` what is said before the first move, `label` a number or name of the game; `headers`
    hold all else that is told of it, by the names that KIF has for it (棋戦, 開始日時, 持ち時間 ...). `source` is the
    line of the lab's records that it was read from. `error` says in a line, "" for nothing, what was wrong with the
    record: what stands in the game is the part before.
    """

    variant: Variant
    start: str
    main: Line = field(default_factory=Line)
    black: str = ""
    white: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    comment: str = ""
    label: str = ""
    source: GameRecord | None = None
    error: str = ""

    @classmethod
    def played(cls, variant: Variant | str, moves: Iterable[str], start: str | None = None) -> Game:
        """The game of these moves from the variant's start, or from an SFEN, with its end where the rules know one;
        ValueError for what is no position or no legal move."""
        recorder = Recorder(variant, start)
        for usi in moves:
            recorder.play(usi)
        if outcome := recorder.position.outcome():
            recorder.finish(outcome)
        return recorder.game

    @property
    def moves(self) -> list[str]:
        """The moves that were played, in USI notation."""
        return [step.usi for step in self.main.steps]

    @property
    def outcome(self) -> Outcome | None:
        """How the record says that the game ended; None where it does not."""
        return self.main.end.outcome if self.main.end else None

    def lines(self) -> Iterator[tuple[int, Line]]:
        """Every line with the number of plies before it: the main line, then the variations in the order of KIF, in
        which each leaves the line that was written before it at an earlier ply."""
        waiting = [(0, self.main)]
        while waiting:
            plies, line = waiting.pop()
            yield plies, line
            for number, step in enumerate(line.entries, plies):
                waiting += [(number, other) for other in reversed(step.variations)]


class Recorder:
    """Makes a game move by move, each checked by the rules. `position` is where it stands."""

    def __init__(self, variant: Variant | str, start: str | None = None) -> None:
        """ValueError for an SFEN that is none."""
        self.position: Position | OnitamaPosition = new_position(variant, start)
        self.game = Game(self.position.variant, self.position.sfen())
        self.line = self.game.main
        self.at: Step | End | None = None  # what was told last, None before a line's first move
        self._said = False  # whether `at` has a comment
        self._ahead: list[str] = []  # comment lines before the first move of a variation
        self._path: list[list[Line]] = []  # for each ply played, where its alternatives go
        self._first: list[Line] | None = None  # the same for the first ply of a variation
        self._count = 0

    def play(self, usi: str, time_ms: float | None = None) -> None:
        """The next move; ValueError, and nothing changed, if it is not legal, or the line has ended."""
        if self.line.end:
            raise ValueError("a move after the end of the game")
        self._counted()
        self.position.push(usi)
        step = Step(usi, time_ms=time_ms)
        self._path.append(self._siblings(step))
        self.line.steps.append(step)
        self._reach(step)

    def finish(self, outcome: Outcome, time_ms: float | None = None) -> None:
        """The end of the line; ValueError if it has one."""
        if self.line.end:
            raise ValueError("a second end of the game")
        self.line.end = End(outcome, time_ms=time_ms)
        self._reach(self.line.end)

    def say(self, line: str) -> None:
        """One more line of the comment on what was told last."""
        if self.at is not None:
            self.at.comment = f"{self.at.comment}\n{line}" if self._said else line
        elif self.line is self.game.main:
            self.game.comment = f"{self.game.comment}\n{line}" if self._said else line
        else:
            self._ahead.append(line)
        self._said = True

    def branch(self, plies: int) -> None:
        """Leave the line after so many plies: what follows is a variation. ValueError if it has not so many."""
        if not 0 <= plies <= len(self._path):
            raise ValueError(f"a variation from move {plies + 1} of a line of {len(self._path)} moves")
        self._counted()
        if plies == len(self._path) and not self.line.end:
            return  # nothing stands there: the line goes on
        siblings = self._path[plies] if plies < len(self._path) else self._siblings(self.line.end)
        while len(self._path) > plies:
            self.position.pop()
            self._path.pop()
        self.line, self._first, self.at = Line(), siblings, None
        self._said = False
        siblings.append(self.line)

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
            raise ValueError(f"a record of more than {MOST_STEPS} moves")


class GameReader(ABC):
    """What has been read of one game of a text, whose first line is number `first`."""

    def __init__(self, variant: Variant, first: int) -> None:
        self.first, self.error = first, ""
        self.known = False  # whether any line of a record was met
        self.header = Game(variant, variant.start)  # has the names, the label and the headers
        self.recorder: Recorder | None = None  # once the start is known
        self._ahead: list[str] = []  # comment lines before that

    def game(self) -> Game:
        """The game as far as it could be read."""
        game, header = self.recorder.game if self.recorder else self.header, self.header
        game.black, game.white, game.headers = header.black, header.white, header.headers
        game.label, game.error = header.label, self.error
        return game

    def read(self, number: int, line: str) -> None:
        """One line; after an error the rest of the game is passed over."""
        if self.error:
            return
        try:
            self._take(number, line)
        except ValueError as error:
            self.error = f"line {number}: {error}"

    @abstractmethod
    def _take(self, number: int, line: str) -> None:
        """One line that is not blank. ValueError."""

    def _start(self, variant: Variant, start: str) -> None:
        """Moves can follow, from this SFEN. ValueError."""
        self.recorder = Recorder(variant, start)
        for line in self._ahead:
            self.recorder.say(line)

    def _say(self, line: str) -> None:
        """One more line of a comment."""
        if self.recorder is None:
            self._ahead.append(line)
        else:
            self.recorder.say(line)


def one_line(text: str) -> str:
    """A text without what would begin a new line in a file."""
    return "".join(" " if ord(letter) < 32 or letter in "\x7f\x85\u2028\u2029" else letter for letter in text).strip()


def comment_lines(text: str) -> list[str]:
    """A comment as lines that a file can hold; none for no comment."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd").split("\n")
    return lines if text else []
