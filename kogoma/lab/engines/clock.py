"""Time controls as text, and the clock of one player.

The notation is that of cutechess-cli (https://github.com/cutechess/cutechess/blob/master/docs/cutechess-cli.6.md), with
byoyomi added.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FORM = re.compile(r"(?:(\d{1,4})/)?(?:(\d{1,5}):)?(\d{1,7}(?:\.\d{1,3})?)((?:\+\d{1,7}(?:\.\d{1,3})?b?)*)", re.ASCII)
_NUMBERS = {"nodes": "nodes", "depth": "depth"}
_OPENBENCH = {"N": "nodes", "D": "depth", "MT": "move_ms"}
_SECONDS = {"st": "move_ms", "first": "first_ms"}


@dataclass(frozen=True)
class TimeControl:
    """The limits of an engine's thinking; 0 means no limit. Times are in ms.

    `base_ms` is for `moves` moves (0: for the whole game), and `increment_ms` is added after each move. When the base
    time is used up, `byoyomi_ms` is the time for each move. Alternatively, `move_ms` is the time for each move, and
    `first_ms` is that for the first move. `nodes` and `depth` are limits that are sent to the engine.

    >>> TimeControl.parse("40/1:30+0.6").base_ms
    90000
    >>> str(TimeControl.parse("0+0.1b nodes=500"))
    '0+0.1b nodes=500'
    """

    base_ms: int = 0
    increment_ms: int = 0
    byoyomi_ms: int = 0
    moves: int = 0
    move_ms: int = 0
    first_ms: int = 0
    nodes: int = 0
    depth: int = 0

    @property
    def timed(self) -> bool:
        """Whether the player has a clock for the whole game: base time, increment or byoyomi."""
        return bool(self.base_ms or self.increment_ms or self.byoyomi_ms)

    @property
    def limited(self) -> bool:
        """Whether anything limits the thinking: a clock, time per move, nodes or depth."""
        return bool(self.timed or self.move_ms or self.nodes or self.depth)

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Parse the words of a time control: cutechess's `tc` (`moves/minutes:seconds+increment`, optionally with
        `+byoyomib`, or `inf`), OpenBench's (`N=` nodes, `D=` depth, `MT=` ms for each move), `st=` and `first=` in
        seconds, `nodes=` and `depth=`. Raises ValueError if a word is invalid, or if words exclude each other."""
        fields: dict[str, int] = {}
        for word in text.split():
            word = word.removeprefix("tc=")
            name, equals, value = word.partition("=")
            if equals and (number := _NUMBERS.get(name) or _OPENBENCH.get(name.upper())):
                if not re.fullmatch(r"[0-9]{1,15}", value):
                    raise ValueError(f"{name} needs a whole number, not {value[:20]!r}")
                fields[number] = int(value)
            elif equals and name in _SECONDS:
                fields[_SECONDS[name]] = _milliseconds(value, word)
            elif not equals:
                fields.update(_parse_tc(word))
            else:
                raise ValueError(f"not a time control: {word[:40]!r}")
        control = cls(**fields)
        if control.timed and control.move_ms:
            raise ValueError(f"a clock and a time for each move exclude each other: {text[:60]!r}")
        return control

    def __str__(self) -> str:
        words = []
        if self.timed:
            words.append(f"{self.moves}/" * bool(self.moves) + _seconds(self.base_ms))
            words[0] += f"+{_seconds(self.increment_ms)}" * bool(self.increment_ms)
            words[0] += f"+{_seconds(self.byoyomi_ms)}b" * bool(self.byoyomi_ms)
        words += [f"{word}={_seconds(getattr(self, name))}" for word, name in _SECONDS.items() if getattr(self, name)]
        words += [f"{word}={getattr(self, name)}" for word, name in _NUMBERS.items() if getattr(self, name)]
        return " ".join(words) or "inf"


def _parse_tc(text: str) -> dict[str, int]:
    if text == "inf":
        return {}
    found = _FORM.fullmatch(text)
    if not found:
        raise ValueError(
            f"not a time control: {text[:40]!r}; expected [moves/][minutes:]seconds[+increment][+byoyomib]"
        )
    moves, minutes, seconds, additions = found.groups()
    fields = {"moves": int(moves or 0), "base_ms": int(minutes or 0) * 60_000 + _milliseconds(seconds, text)}
    for addition in additions.split("+")[1:]:
        name = "byoyomi_ms" if addition.endswith("b") else "increment_ms"
        if name in fields:
            raise ValueError(f"not a time control: {text[:40]!r}; {name.removesuffix('_ms')} is given twice")
        fields[name] = _milliseconds(addition.removesuffix("b"), text)
    if not any(fields[name] for name in fields if name != "moves"):
        raise ValueError(f"not a time control: {text[:40]!r} allows no time")
    return fields


def _milliseconds(text: str, whole: str) -> int:
    if not re.fullmatch(r"[0-9]{1,7}(\.[0-9]{1,3})?", text):
        raise ValueError(f"not a number of seconds: {whole[:40]!r}")
    return round(float(text) * 1000)


def _seconds(ms: int) -> str:
    return f"{ms / 1000:.3f}".rstrip("0").rstrip(".")


class Clock:
    """The clock of one player in one game."""

    def __init__(self, control: TimeControl, margin_ms: float = 0) -> None:
        """`margin_ms` is the time by which a move may exceed its limit without losing the game."""
        self.control, self.margin_ms = control, margin_ms
        self.remaining_ms = float(control.base_ms or control.increment_ms)
        self.moves = 0  # moves made by this player

    def allowed_ms(self) -> float | None:
        """Return the time limit of the next move in ms, without the margin, or None if there is no limit."""
        control = self.control
        if control.first_ms and not self.moves:
            return control.first_ms
        if control.move_ms:
            return control.move_ms
        return self.remaining_ms + control.byoyomi_ms if control.timed else None

    def spend(self, ms: float) -> bool:
        """Count a move that took `ms`, and return True. If it took longer than the limit and the margin, count nothing
        and return False."""
        allowed, control = self.allowed_ms(), self.control
        if allowed is not None and ms > allowed + self.margin_ms:
            return False
        self.moves += 1
        if control.timed:
            self.remaining_ms = max(0.0, self.remaining_ms - ms) + control.increment_ms
            if control.moves and self.moves % control.moves == 0:
                self.remaining_ms += control.base_ms
        return True

    def moves_to_go(self) -> int:
        """Return the number of moves until `base_ms` is added again. It is 0 if the time is for the whole game."""
        return self.control.moves - self.moves % self.control.moves if self.control.moves else 0
