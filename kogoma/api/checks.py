"""Checks of arguments, with messages that name the argument."""

from __future__ import annotations

from dataclasses import fields

from kogoma.lab.engines.options import Spin
from kogoma.search.limits import Limits
from kogoma.usi_engine.options import OPTIONS

# Smallest valid values of limits; 0 for the limits that are not listed.
AT_LEAST = {"depth": 1, "nodes": 1, "movetime": 1, "movestogo": 1, "dice": 1}
MOST = 10**12  # largest valid value of a limit


def check_number(name: str, value: object, least: int, most: int) -> None:
    """Raise TypeError unless `value` is a whole number, and ValueError unless it is from `least` to `most`."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number, not {value!r:.40}")
    if not least <= value <= most:
        bound = f"at least {least}" if value < least else f"at most {most}"
        raise ValueError(f"{name} must be {bound}, not {value}")


def check_option(option: str, name: str, value: object) -> None:
    """Raise TypeError or ValueError, as `check_number` does, if `value` is not valid for the USI option `option`.
    `name` is the name of the value in the message."""
    bounds = OPTIONS[option]
    assert isinstance(bounds, Spin)
    check_number(name, value, bounds.least, bounds.most)


def check_limits(limits: Limits) -> None:
    """Raise TypeError or ValueError if the limits are invalid. The message names the limit."""
    if not isinstance(limits, Limits):
        raise TypeError(f"limits must be Limits, not {limits!r:.40}")
    if limits.infinite or limits.ponder:
        raise ValueError(
            "infinite and ponder are only for the USI protocol: to search until `stop`, call `analyse` without limits"
        )
    moves: object = limits.searchmoves
    if not isinstance(moves, tuple | list) or not all(isinstance(move, str) for move in moves):
        raise TypeError(f"searchmoves must be moves in a tuple or list, not {moves!r:.40}")
    for field in fields(limits):
        value = getattr(limits, field.name)
        if value is not None and field.name not in ("infinite", "ponder", "searchmoves"):
            check_number(field.name, value, AT_LEAST.get(field.name, 0), 6 if field.name == "dice" else MOST)


def check_end(limits: Limits, turn: int) -> None:
    """Check limits as `check_limits` does. Also raise ValueError if none of them ends a search for the side `turn`."""
    check_limits(limits)
    if not (limits.depth or limits.nodes or limits.movetime or limits.has_clock(turn)):
        raise ValueError("a search needs a limit: depth, nodes, movetime or the clock of the side to move")
