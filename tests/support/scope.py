"""The amount of work that the tests do: less by default, all of it with `--all`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import pytest

Value = TypeVar("Value")

_whole = False  # set once, by tests/conftest.py
_reduced = False  # whether a call has returned less than with --all


def set_whole(whole: bool) -> None:
    """Store whether the tests were started with --all."""
    global _whole
    _whole = whole


def forget_reductions() -> None:
    """Forget that an earlier test did less than with --all. After that, `is_reduced` describes only the current
    test."""
    global _reduced
    _reduced = False


def is_reduced() -> bool:
    """Return whether the current test has done less than it does with --all."""
    return _reduced


def part(values: Sequence[Value], step: int) -> Sequence[Value]:
    """Return all values if --all was given, otherwise every `step`-th value."""
    global _reduced
    _reduced |= not _whole
    return values if _whole else values[::step]


def count(whole: int, few: int) -> int:
    """Return `whole` if --all was given, otherwise `few`."""
    global _reduced
    _reduced |= not _whole
    return whole if _whole else few


def mostly_long(values: Iterable[Any], *kept: Any) -> list[Any]:
    """Return the values as the parameters of test cases. Each case is marked `long` unless its value is in `kept`. A
    tuple in `values` holds several parameters of one case."""
    parameters = []
    for value in values:
        several = value if isinstance(value, tuple) else (value,)
        parameters.append(pytest.param(*several, marks=() if value in kept else pytest.mark.long))
    return parameters
