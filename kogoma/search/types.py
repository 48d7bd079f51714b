"""Type aliases of the search's kernels. `native.types` says why mypy sees `Any`."""

from __future__ import annotations

from typing import Any, TypeAlias

Thread: TypeAlias = Any
"""The struct that one search thread works on (`search.thread.thread_dtype`)."""

MateState: TypeAlias = Any
"""The struct that the mate solver works on (`search.mate.state`)."""

Value: TypeAlias = Any
"""A winning chance of the dice search as int64 (`search.dice.values`), positive if the side to move is better."""
