"""Errors of game records: what is wrong, and where."""

from __future__ import annotations

from typing import Any, Self

from kogoma.escapes import printable
from kogoma.japanese import RECORDS, match, record_errors


class GameError(ValueError):
    """A game record that cannot be read or written; the message is one line.

    `code` names the kind of error, such as `illegal-move`: a key of web/page/game_records/record_errors.js, or "" if no
    entry of that table fits. `line` and `column` tell where the offending text is, in lines and characters from 1; they
    are None if that is unknown. `game` is the Game with what was read before the error, or None."""

    def __init__(self, text: str, game: Any = None, *, code: str | None = None) -> None:
        """`text` is the message without the place. If `code` is not given, `text` determines it."""
        super().__init__(printable(text))
        found = match(RECORDS, text) if code is None else None
        self.code = found[0].code if found else code or ""
        self.game = game
        self.line: int | None = None
        self.column: int | None = None

    @classmethod
    def of(cls, code: str, **values: object) -> Self:
        """Return the error with a code of the table. `values` replace the placeholders; `text` is a part of a file,
        which is quoted and cut."""
        if "text" in values:
            values["text"] = repr(str(values["text"])[:40])
        return cls(record_errors()[code][0].format(**values), code=code)

    @property
    def text(self) -> str:
        """The message without the place."""
        return str(self.args[0])

    def at(self, line: int | None, column: int | None = None) -> Self:
        """Set the place of the error, and return the error."""
        self.line, self.column = line, column
        return self

    def __str__(self) -> str:
        column = f", column {self.column}" if self.column else ""
        return f"line {self.line}{column}: {self.text}" if self.line else self.text


def wrapped(error: ValueError, context: str = "", **values: object) -> GameError:
    """Return a new GameError for an error of the rules or of a record, with its code. `context` is the code of a
    message that contains the error's message, and `values` replace its other placeholders."""
    told = error if isinstance(error, GameError) else GameError(str(error))
    text = record_errors()[context][0].format(message=told.text, **values) if context else told.text
    return GameError(text, code=told.code)
