"""A small relative of Dobutsu with its tablebase: it is solved within a second."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from kogoma.rules.custom.reader import read_variant
from kogoma.search.tablebase.dobutsu.solve import solve
from kogoma.search.tablebase.dobutsu.values import write_values

# Dobutsu with lions and chicks only.
CHICKS = 'name = "chicks"\nlike = "dobutsu"\nstart = "1l1/1c1/1C1/1L1 b - 1"\n'
GAME = read_variant(CHICKS.encode())


@cache
def small_values() -> Any:
    """Return the values of the game."""
    with tempfile.TemporaryDirectory() as folder:
        return solve(GAME, Path(folder, "work"), 2, lambda plies, count: None)


def write_game(folder: Path) -> None:
    """Write the game's definition and its tablebase into a folder."""
    (folder / "chicks.toml").write_text(CHICKS)
    write_values(folder / "chicks.tablebase", GAME, small_values())
