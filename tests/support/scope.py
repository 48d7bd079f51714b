"""The amount of work of tests: less by default, all of it with `--all`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import pytest

Value = TypeVar("Value")

_whole = False  # set once, by tests/conftest.py
_reduced = False  # whether a call has returned less than with --all


def set_whole(whole: bool) -> None:
    """Set whether --all was given."""
    global _whole
    _whole = whole


def forget_reductions() -> None:
    """Start to notice whether the next test does less than with --all."""
    global _reduced
    _reduced = False


def is_reduced() -> bool:
    """Return whether the current test has done less than with --all."""
    return _reduced


def part(values: Sequence[Value], step: int) -> Sequence[Value]:
    """Return all values with --all, otherwise every `step`-th of them."""
    global _reduced
    _reduced |= not _whole
    return values if _whole else values[::step]


def count(whole: int, few: int) -> int:
    """Return the number `whole` with --all, otherwise `few`."""
    global _reduced
    _reduced |= not _whole
    return whole if _whole else few


def mostly_long(values: Iterable[Any], *kept: Any) -> list[Any]:
    """Return parameters for a test, all of them marked `long` except those in `kept`. A tuple is a case with several
    parameters."""
    parameters = []
    for value in values:
        several = value if isinstance(value, tuple) else (value,)
        parameters.append(pytest.param(*several, marks=() if value in kept else pytest.mark.long))
    return parameters
