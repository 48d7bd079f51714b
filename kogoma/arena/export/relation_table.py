"""The relation table as data of an exported file, which `arena.export.host.relation_table` unpacks."""

from __future__ import annotations

import lzma
from typing import Any

import numpy as np

from kogoma.arena.export.targets import Game
from kogoma.eval.relation_table import Features, split_bytes
from kogoma.eval.weights import cached_weights, tuned

# Neighbouring numbers are not correlated, so LZMA's context bits would not help.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 0, "pb": 0}]
NUMBER = 2  # bytes per number of the table


def packed_tables(game: Game) -> bytes:
    """Return the compressed relation table, or b"" if the game has none or is exported without it."""
    table = cached_weights(game.variant).get("table") if game.with_tables else None
    return b"" if table is None else lzma.compress(split_bytes(table), check=lzma.CHECK_CRC32, filters=FILTERS)


def feature_count(game: Game) -> int:
    """Return the number of features of the game's relation table."""
    return Features(game.variant).count


def table_places(game: Game) -> dict[str, int]:
    """Return the offset in bytes at which the relation table begins in the result of `unpack_table`, as a dict. Its key
    is the name of the weights field for the table's address. The dict is empty if the file has no relation table."""
    return {"pair_table": NUMBER} if packed_tables(game) else {}


def table_bytes(game: Game) -> int:
    """Return the size in bytes of the result of `unpack_table`, or 0 if the file has no relation table."""
    return NUMBER * (1 + feature_count(game) ** 2) if packed_tables(game) else 0


def placed_weights(game: Game) -> np.ndarray[Any, Any]:
    """Return the weights struct with the offset from `table_places` as the address of the relation table, or 0 if the
    file has no table."""
    weights = tuned(game.variant)[1].copy()
    weights["pair_table"] = 0
    for name, place in table_places(game).items():
        weights[name] = place
    return weights
