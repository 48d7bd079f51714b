"""The values of Onitama's endings, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kogoma.rules.base_position import BasePosition
from kogoma.rules.variants import ONITAMA
from kogoma.search.library import tablebase_library
from kogoma.search.tablebase.onitama.tables import DRAW, LAYOUT, LONGEST, UNKNOWN, Tables


class Endings:
    """The values of all positions with few men, for five cards."""

    variant = ONITAMA

    def __init__(self, cards: Sequence[int], tables: Tables, complete: bool) -> None:
        """Use tables whose entries are computed. If they are not `complete`, because some distances do not fit, the
        positions that are not decided are not known."""
        self.cards = tuple(sorted(cards))
        self._tables, self._open = tables, DRAW if complete else UNKNOWN

    @property
    def men(self) -> int:
        """The largest number of men of a position that has a value."""
        return int(self._tables.struct[0]["men"])

    def value(self, position: BasePosition) -> int | None:
        """Return 0 if a position that has not ended is a draw, otherwise the number of plies to the end with best play:
        positive if the side to move wins, negative if it loses. Return None if the position has too many men or other
        cards. The limit on the length of a game is ignored."""
        found = tablebase_library(LAYOUT)("endings_value", self._tables.struct, position.struct)
        if found == DRAW:
            found = self._open
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
