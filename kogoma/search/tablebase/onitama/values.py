"""The values of Onitama's endings: computed for five cards, and kept in memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from kogoma.rules.base_position import BasePosition
from kogoma.rules.onitama.position import OnitamaPosition
from kogoma.rules.variants import ONITAMA
from kogoma.search.endings.tables import LAYOUT, LONGEST, STOPPED, UNKNOWN, new_tables
from kogoma.search.library import tablebase_library

MEN = 4  # most men of the endings that are computed in seconds


class Endings:
    """The values of all positions with few men, for five cards."""

    variant = ONITAMA

    def __init__(self, cards: Sequence[int], men: int) -> None:
        """Prepare the values of positions with at most `men` men (2 to 5). They are not known until `solve` has
        computed them. Raises MemoryError."""
        tablebase_library(LAYOUT).load()
        self.cards, self.men = tuple(sorted(cards)), men
        self._tables = new_tables(cards, men)

    def solve(self) -> bool:
        """Compute the values. Return whether this was not stopped meanwhile. The GIL is released at the beginning and
        taken back at the end."""
        return tablebase_library(LAYOUT)("endings_solve", self._tables.struct) != STOPPED

    def stop(self) -> None:
        """End `solve`, which runs on another thread, or will run: it returns in less than a second."""
        self._tables.struct[0]["stopped"] = 1

    @property
    def tables(self) -> Any:
        """The struct with which the kernels of a search look up values. It is valid as long as this object exists."""
        return self._tables.struct

    @property
    def size(self) -> int:
        """The size of the values in bytes."""
        return int(self._tables.values.nbytes)

    def value(self, position: BasePosition) -> int | None:
        """Return 0 if a position that has not ended is a draw, otherwise the number of plies to the end with best play:
        positive if the side to move wins, negative if it loses. Return None if the position has too many men or other
        cards. The limit on the length of a game is ignored."""
        found = tablebase_library(LAYOUT)("endings_value", self._tables.struct, position.addresses[1])
        if found == UNKNOWN:
            return None
        return found if found % 2 else -found

    def counts(self) -> list[int]:
        """Return how many positions have each number of plies to the end, from 0 (no end) to the largest."""
        fields = self._tables.struct[0]
        entries = self._tables.values.reshape(-1, int(fields["stride"]))[:, : int(fields["boards"])]
        found = np.bincount(entries.ravel(), minlength=LONGEST + 1)
        decided: list[int] = np.trim_zeros(found[: LONGEST + 1], "b").tolist()
        return [int(found[LONGEST + 1 :].sum()), *decided[1:]]


def value_of_ending(position: OnitamaPosition) -> int | None:
    """Return what `Endings.value` returns for a position with at most MEN men, and None for others. The first call for
    five cards computes their endings, which takes seconds; they are kept until a call for other cards. Raises
    MemoryError."""
    men = sum(letter.isalpha() for letter in position.sfen().split()[0])
    return None if men > MEN else _solved(tuple(sorted(position.cards))).value(position)


@lru_cache(1)
def _solved(cards: tuple[int, ...]) -> Endings:
    endings = Endings(cards, MEN)
    endings.solve()
    return endings
