"""Type aliases of the evaluation's kernels. `native.types` says why mypy sees `Any`."""

from __future__ import annotations

from typing import Any, TypeAlias

Weights: TypeAlias = Any
"""The struct of a variant's evaluation weights (`eval.weights.weights_dtype`)."""

Score: TypeAlias = Any
"""A score in centipawns as int64, positive if the side to move is better unless a docstring names another side."""
