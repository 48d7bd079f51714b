"""What the default run leaves to `--all`: parameters of a test, and a part of what a test looks at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import pytest

Value = TypeVar("Value")

_whole = False  # set once, by tests/conftest.py


def set_whole(whole: bool) -> None:
    """Say whether --all was given."""
    global _whole
    _whole = whole


def part(values: Sequence[Value], step: int) -> Sequence[Value]:
    """Return every `step`-th of the values; all of them with --all."""
    return values if _whole else values[::step]


def count(whole: int, few: int) -> int:
    """Return a count of things to do: `few`; `whole` with --all."""
    return whole if _whole else few


def mostly_long(values: Iterable[Any], *kept: Any) -> list[Any]:
    """Return parameters for a test, all but those of `kept` marked `long`. A tuple is several parameters."""
    parameters = []
    for value in values:
        several = value if isinstance(value, tuple) else (value,)
        parameters.append(pytest.param(*several, marks=() if value in kept else pytest.mark.long))
    return parameters
