"""What the hand-written terms of the evaluation count in a game with a die, which borrows them from one without.

A term's parts are seen from the mover. Each has one factor, which the fit (`lab.tune.fit`) finds together with the
table: 1 leaves the term as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.eval.explain import TERMS

PARTS = ("pieces", "mobility", "promotion", "king", "hanging", "hanging_to_move", "relations")
LEAST = 0.02  # of a term; what is fitted below that is left out


def parts_of(out: Any, side: int) -> list[int]:
    """Centipawns of each of PARTS for the mover; `out` is what `explain_terms` wrote, `side` who is to move."""
    terms = {name: (int(out[2 * i]), int(out[2 * i + 1])) for i, name in enumerate(TERMS)}
    found = []
    for name in PARTS:
        own, other = (terms[name.removesuffix("_to_move")][whose] for whose in (side, 1 - side))
        found.append({"hanging": -other, "hanging_to_move": own}.get(name, own - other))
    return found


def scaled(data: dict[str, Any], factors: dict[str, float]) -> dict[str, Any]:
    """Weights, as `eval.weights.load` gives them, with each part times its factor."""
    new = dict(data)
    for part, names in {
        "pieces": ("value", "hand", "square"),
        "mobility": ("mobility",),
        "promotion": ("promotion_threat",),
        "hanging": ("hanging",),
        "hanging_to_move": ("hanging_to_move",),
    }.items():
        for name in names:
            new[name] = _times(data[name], factors[part])
    # The king's danger is squared, divided and limited.
    king = factors["king"]
    if king < LEAST:
        new["danger_limit"] = 0
    else:
        new["danger_divisor"] = max(1, round(data["danger_divisor"] / king))
        new["danger_limit"] = round(data["danger_limit"] * king)
    return new


def _times(weights: Any, factor: float) -> Any:
    """Every number in lists and dicts, multiplied."""
    if isinstance(weights, dict):
        return {name: _times(weight, factor) for name, weight in weights.items()}
    if isinstance(weights, list):
        return [_times(weight, factor) for weight in weights]
    return int(np.rint(weights * factor))
