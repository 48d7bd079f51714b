"""The evaluation's tables on their way into an exported file; `arena.export.host.tables` takes them out again."""

from __future__ import annotations

import lzma
from typing import Any

import numpy as np

from arena.export.games import Game
from eval.tables import Features, split_bytes
from eval.weights import loaded, tuned

# Neighbouring numbers tell little of one another: what came before is no context for a byte.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 0, "pb": 0}]
NUMBER = 2  # bytes


def packed_tables(game: Game) -> bytes:
    """Both tables, compressed; b"" where the game has none, or goes without."""
    tables = loaded(game.variant).get("tables") if game.with_tables else None
    return b"" if tables is None else lzma.compress(split_bytes(tables), check=lzma.CHECK_CRC32, filters=FILTERS)


def feature_count(game: Game) -> int:
    """How many features the tables are for."""
    return Features(game.variant).count


def table_places(game: Game) -> dict[str, int]:
    """Field of the weights -> place of its table among the bytes of both; empty where there are none."""
    return {"pair_table": 0, "king_table": NUMBER * feature_count(game) ** 2} if packed_tables(game) else {}


def table_bytes(game: Game) -> int:
    """How many bytes both tables need, 0 where there are none."""
    count, features = feature_count(game), Features(game.variant)
    return NUMBER * count * (count + features.kings) if packed_tables(game) else 0


def placed_weights(game: Game) -> np.ndarray[Any, Any]:
    """The weights with places instead of this process's addresses, or as if there were no tables."""
    weights = tuned(game.variant)[1].copy()
    weights["king_table"] = weights["pair_table"] = 0
    for name, place in table_places(game).items():
        weights[name] = place
    return weights
