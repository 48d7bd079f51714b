"""Positions as the fit takes them: what the mover sees, the evaluation without the table, and what came of it.

With a die, also what the evaluation's hand-written terms count, which are borrowed from a game without one. A term's
parts are seen from the mover. Each has one factor, which the fit finds together with the table: 1 leaves the term as
it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kogoma.eval.explain import TERMS, eval_library
from kogoma.eval.weights import load, records
from kogoma.lab.tune.store import Arrays, Chunk, DataError, path_of, read
from kogoma.rules.layout import position_dtype
from kogoma.rules.library import rules_library
from kogoma.rules.onitama.position import pack
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.structs import fields, new_struct
from kogoma.rules.variants import Variant
from kogoma.search.dice.values import FULL, value_of

PARTS = ("pieces", "mobility", "promotion", "king", "hanging", "hanging_to_move", "relations")
LEAST = 0.02  # of a term; what is fitted below that is left out
APART = 10  # every tenth game is kept apart
ABSENT = -1
LAMBDA = 0.5

Array = np.ndarray[Any, Any]


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


@dataclass(frozen=True)
class Positions:
    """Rows of quiet positions, each once."""

    features: Array  # (count, most) int16: what the side to move sees (`eval.relations`); ABSENT behind the last
    static_eval: Array  # (count,) int16: centipawns for the side to move, without the table
    score: Array  # (count,) int16: of the search
    result: Array  # (count,) int8: 1 won, 0 drawn, -1 lost by the side to move
    apart: Array  # (count,) bool: of a game that the fit does not learn from
    outlook: Array  # (count,) float32: with a die, expected result by the searches from here on; otherwise 0
    terms: Array  # (count, terms) int16: of `static_eval`, parts whose factors are fitted, too (PARTS)


def read_positions(variant: Variant, folder: Path, numbers: list[int], on_chunk: Callable[[int], None]) -> Positions:
    """The quiet positions of these chunks of a folder; `on_chunk` is called with each one's count. DataError, also
    where there are too few."""
    viewer, seen = _Viewer(variant), set[bytes]()
    parts = []
    for number in numbers:
        chunk = read(folder, number)
        if chunk.head["variant"] != variant.name:
            raise DataError(f"{path_of(folder, number)} holds positions of {chunk.head['variant']}")
        parts.append(viewer.rows(chunk, seen))
        on_chunk(len(chunk))
    apart = sum(int(part.apart.sum()) for part in parts)
    if not 0 < apart < len(seen):
        raise DataError(f"{folder}: {len(seen)} quiet positions are too few to learn from")
    most = max(part.features.shape[1] for part in parts)
    names = ("static_eval", "score", "result", "apart", "outlook", "terms")
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    widened = [
        np.pad(part.features, ((0, 0), (0, most - part.features.shape[1])), constant_values=ABSENT) for part in parts
    ]
    return Positions(features=np.concatenate(widened), **joined)


def outlook(arrays: Arrays) -> Array:
    """Expected results, from 0 to 1, of all rows of a chunk: each search's winning chance, leaning on those of the next
    positions and at last on the result by LAMBDA (Sutton: Learning to Predict by the Methods of Temporal Differences,
    1988). So a position learns from the throws that came, and less from those far away."""
    chance = np.array([(value_of(int(score)) / FULL + 1) / 2 for score in arrays["score"]])
    last = np.append(arrays["game"][1:] != arrays["game"][:-1], True)
    found = np.empty(len(chance), np.float32)
    for row in reversed(range(len(chance))):
        if last[row]:
            following = (arrays["result"][row] + 1) / 2
        elif arrays["side"][row + 1] == arrays["side"][row]:
            following = found[row + 1]
        else:
            following = 1 - found[row + 1]
        found[row] = (1 - LAMBDA) * chance[row] + LAMBDA * following
    return found


class _Viewer:
    """Looks at positions through the kernels that the engine uses."""

    def __init__(self, variant: Variant) -> None:
        self._variant, layout = variant, layout_of(variant)
        self._data = load(variant, relations=bool(variant.die))  # holds the table that `_weights` point to
        self._rules, self._weights = records(variant, self._data)
        self._record = new_struct(position_dtype(layout))
        self._out = np.zeros(2 * len(TERMS), np.int64)
        self._init, self._eval = rules_library(layout), eval_library(layout)

    def rows(self, chunk: Chunk, seen: set[bytes]) -> Positions:
        """The chunk's quiet positions that are not in `seen`, to which they are added."""
        arrays, record = chunk.arrays, fields(self._record)
        held = arrays["cards"] if self._variant.cards else arrays["hand"]
        kept, features, scores, terms = [], [], [], []
        for row in np.flatnonzero(arrays["quiet"]):
            board, side = arrays["board"][row], arrays["side"][row]
            name = board.tobytes() + held[row].tobytes() + side.tobytes()
            if name in seen:
                continue
            seen.add(name)
            record["board"][: len(board)] = board
            record["side"] = side
            if self._variant.cards:
                record["cards"][0] = pack([int(card) for card in held[row]])
            else:
                record["hand"][:, 1 : 1 + held.shape[2]] = held[row]
            self._init("init_position", self._rules, self._record)
            if self._variant.die:
                scores.append(self._eval("explain_terms", self._rules, self._weights, self._record, self._out))
                terms.append(parts_of(self._out, int(side)))
            else:
                scores.append(self._eval("static_eval", self._rules, self._weights, self._record))
            count = self._eval("see_board", self._rules, self._weights, self._record)
            features.append(record["feature"][:count].astype(np.int16))
            kept.append(row)
        table = np.full((len(features), max(map(len, features), default=0)), ABSENT, np.int16)
        for number, seen_features in enumerate(features):
            table[number, : len(seen_features)] = seen_features
        return Positions(
            features=table,
            static_eval=np.array(scores, np.int16),
            score=arrays["score"][kept],
            result=arrays["result"][kept],
            apart=arrays["game"][kept] % APART == 0,
            outlook=outlook(arrays)[kept] if self._variant.die else np.zeros(len(kept), np.float32),
            terms=np.array(terms, np.int16).reshape(len(kept), len(PARTS) if self._variant.die else 0),
        )
