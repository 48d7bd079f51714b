"""The evaluation's table on its way into an exported file; `arena.export.host.relation_table` takes it out again."""

from __future__ import annotations

import lzma
from typing import Any

import numpy as np

from kogoma.arena.export.targets import Game
from kogoma.eval.relation_table import Features, split_bytes
from kogoma.eval.weights import loaded, tuned

# Neighbouring numbers tell little of one another: what came before is no context for a byte.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 0, "pb": 0}]
NUMBER = 2  # bytes


def packed_tables(game: Game) -> bytes:
    """The table, compressed; b"" where the game has none, or goes without."""
    table = loaded(game.variant).get("table") if game.with_tables else None
    return b"" if table is None else lzma.compress(split_bytes(table), check=lzma.CHECK_CRC32, filters=FILTERS)


def feature_count(game: Game) -> int:
    """How many features the table is for."""
    return Features(game.variant).count


def table_places(game: Game) -> dict[str, int]:
    """Return the place of each table of the weights among the bytes of `arena.export.host.relation_table.unfolded`, by
    field; empty if there is none."""
    return {"pair_table": NUMBER} if packed_tables(game) else {}


def table_bytes(game: Game) -> int:
    """How many bytes these are, 0 where there is no table."""
    return NUMBER * (1 + feature_count(game) ** 2) if packed_tables(game) else 0


def placed_weights(game: Game) -> np.ndarray[Any, Any]:
    """The weights with a place instead of this process's address, or as if there were no table."""
    weights = tuned(game.variant)[1].copy()
    weights["pair_table"] = 0
    for name, place in table_places(game).items():
        weights[name] = place
    return weights
