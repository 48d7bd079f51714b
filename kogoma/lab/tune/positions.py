"""Positions as input of the fit: features of both views, static evaluations, and the games they are from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kogoma.eval.explain import eval_library
from kogoma.eval.game import game_struct
from kogoma.eval.weights import load
from kogoma.lab.tune.store import Chunk, DataError, path_of, read
from kogoma.lab.tune.targets import Played
from kogoma.rules.layout import FEATURES, position_dtype
from kogoma.rules.library import rules_library
from kogoma.rules.onitama.notation import pack
from kogoma.rules.rules_struct import layout_of, rules_struct
from kogoma.rules.structs import fields, new_struct
from kogoma.rules.variants import Variant

HELD_OUT = 10  # every tenth game is held out
ABSENT = -1

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Positions:
    """Distinct quiet positions, one per row, and all positions of their games."""

    features: Array  # (count, 2, n) int16: features as the side to move and its opponent see them, then ABSENT
    static_eval: Array  # (count,) int16: centipawns for the side to move, without the network
    held_out: Array  # (count,) bool: from a held-out game
    index: Array  # (count,) int64: the index of the position in `played`
    played: Played


def read_positions(
    variant: Variant, folder: Path, numbers: list[int], all_terms: bool, on_chunk: Callable[[int], None]
) -> Positions:
    """Return the quiet positions of the chunks `numbers` in a folder, without repetitions. If `all_terms` is false, the
    static evaluations contain only the running score and the tempo. `on_chunk` is called after each chunk with the
    number of its positions. Raises DataError if a chunk cannot be read or there are too few positions for a fit."""
    reader, seen = _FeatureReader(variant, all_terms), set[bytes]()
    parts = []
    for number in numbers:
        chunk = read(folder, number)
        if chunk.head["variant"] != variant.name:
            raise DataError(f"{path_of(folder, number)} has positions of another variant: {chunk.head['variant']}")
        parts.append(reader.read_chunk(chunk, seen))
        on_chunk(len(chunk))
    held_out = sum(int(part.held_out.sum()) for part in parts)
    if not 0 < held_out < len(seen):
        raise DataError(f"{folder}: {len(seen)} quiet positions are too few for a fit")
    most = max(part.features.shape[2] for part in parts)
    widened = [
        np.pad(part.features, ((0, 0), (0, 0), (0, most - part.features.shape[2])), constant_values=ABSENT)
        for part in parts
    ]
    starts = np.cumsum([0] + [len(part.played.side) for part in parts])
    return Positions(
        features=np.concatenate(widened),
        static_eval=np.concatenate([part.static_eval for part in parts]),
        held_out=np.concatenate([part.held_out for part in parts]),
        index=np.concatenate([part.index + start for part, start in zip(parts, starts)]),
        played=Played(*map(np.concatenate, zip(*(part.played for part in parts)))),
    )


class _FeatureReader:
    """Computes features and evaluations of positions with the engine's kernels."""

    def __init__(self, variant: Variant, all_terms: bool) -> None:
        self._variant, layout = variant, layout_of(variant)
        data = {**load(variant, network=False), "all_terms": all_terms}
        self._rules, self._game = rules_struct(variant), game_struct(variant, data)
        self._position = new_struct(position_dtype(layout))
        self._out = np.zeros(2 * FEATURES, np.int64)
        self._init, self._eval = rules_library(layout), eval_library(layout)

    def read_chunk(self, chunk: Chunk, seen: set[bytes]) -> Positions:
        """Return the chunk's quiet positions that are not in `seen`, and add them to `seen`. `seen` identifies a
        position by the bytes of its board, its hands or cards, and the side to move."""
        arrays, position = chunk.arrays, fields(self._position)
        held = arrays["cards"] if self._variant.cards else arrays["hand"]
        rows, features, scores = [], [], []
        for row in np.flatnonzero(arrays["quiet"]):
            board, side = arrays["board"][row], arrays["side"][row]
            name = board.tobytes() + held[row].tobytes() + side.tobytes()
            if name in seen:
                continue
            seen.add(name)
            position["board"][: len(board)] = board
            position["side"], position["game_ply"] = side, arrays["ply"][row]
            if self._variant.cards:
                position["cards"][0] = pack([int(card) for card in held[row]])
            else:
                position["hand"][:, 1 : 1 + held.shape[2]] = held[row]
            self._init("init_position", self._rules, self._position)
            scores.append(self._eval("static_eval", self._game, self._position))
            count = self._eval("list_features_of", self._game, self._position, self._out)
            features.append(self._out.reshape(2, FEATURES)[:: -1 if side else 1, :count].astype(np.int16))
            rows.append(row)
        table = np.full((len(features), 2, max((one.shape[1] for one in features), default=0)), ABSENT, np.int16)
        for number, seen_features in enumerate(features):
            table[number, :, : seen_features.shape[1]] = seen_features
        return Positions(
            features=table,
            static_eval=np.array(scores, np.int16),
            held_out=arrays["game"][rows] % HELD_OUT == 0,
            index=np.array(rows, np.int64),
            played=Played(
                arrays["side"],
                arrays["score"],
                arrays["result"],
                last=np.append(arrays["game"][1:] != arrays["game"][:-1], True),
            ),
        )
