"""The worker of a tuning build, whose margins can change between searches."""

from __future__ import annotations

from kogoma.rules.variants import Variant
from kogoma.search.margins.values import Margins, given_margins, tuning
from kogoma.search.table import Table
from kogoma.search.worker import AlphaBetaWorker


class TuningWorker(AlphaBetaWorker):
    """It begins with the margins of the file that KOGOMA_MARGINS names; MarginsError if they can't be read."""

    def __init__(self, variant: Variant, table: Table) -> None:
        self._margins = given_margins()
        super().__init__(variant, table)

    def forget(self) -> None:
        """As new, but with the same margins."""
        self.use(self._margins)
        super().forget()
        self.state["margin"] = tuple(self._margins)

    def use(self, margins: Margins) -> None:
        """Search by these from the next `forget` on."""
        self._margins = margins
        self.window, self.reduction_scale = margins.window, margins.reduction / 10


def worker_kind() -> type[AlphaBetaWorker]:
    """The class of alpha-beta's workers."""
    return TuningWorker if tuning() else AlphaBetaWorker
