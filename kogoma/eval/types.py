"""Type aliases of the evaluation's kernels; for mypy they are `Any` (see `native.types`)."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

Weights: TypeAlias = Annotated[Any, "struct"]
"""The struct of a variant's evaluation weights (`eval.weights.weights_dtype`)."""

Game: TypeAlias = Annotated[Any, "struct"]
"""The read-only struct of a variant's rules and evaluation weights (`eval.game.game_dtype`)."""
