"""The network as data of an exported file, which `arena.export.native_code` unpacks."""

from __future__ import annotations

import lzma
from typing import Any

import numpy as np

from kogoma.arena.export.targets import Game
from kogoma.eval.network_file import split_bytes
from kogoma.eval.weights import cached_weights

# Neighbouring numbers are not correlated, so LZMA's context bits would not help.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 0, "pb": 0}]


def network_rows(game: Game) -> np.ndarray[Any, np.dtype[np.int16]] | None:
    """Return the rows of the game's network (`eval.network_file.Layers`), or None if the game has none or is exported
    without it."""
    layers = cached_weights(game.variant).get("layers") if game.with_network else None
    return None if layers is None else layers.rows


def packed_network(game: Game) -> bytes:
    """Return the compressed rows of the game's network, or b"" if it has none or is exported without it."""
    rows = network_rows(game)
    return b"" if rows is None else lzma.compress(split_bytes(rows), check=lzma.CHECK_CRC32, filters=FILTERS)
