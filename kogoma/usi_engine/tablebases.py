"""The tablebase during play: chosen by options, opened when a variant that has one is loaded, or computed for the cards
of a game of Onitama."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kogoma.output_file import error_text
from kogoma.rules.variants import Variant
from kogoma.search.limits import Limits
from kogoma.usi_engine.onitama_endings import LEAST_MEN, Computation
from kogoma.usi_engine.output import Output
from kogoma.usi_engine.settings import Settings

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition
    from kogoma.search.tablebase.dobutsu.values import Tablebase
    from kogoma.search.tablebase.root import Values


class Tablebases:
    """The tablebase that the options select for the present variant, if there is one, and Onitama's endings with the
    present cards."""

    def __init__(self, output: Output, settings: Settings) -> None:
        self._output, self._settings = output, settings
        self._loaded_for: tuple[bool, str, Variant] | None = None  # UseTablebase, the folder, the variant
        self._tablebase: Tablebase | None = None
        self._computation: Computation | None = None
        self._is_announced = False  # that the endings are computed, or cannot be

    def load(self, variant: Variant) -> Tablebase | None:
        """Return the variant's tablebase, or None. If its file cannot be used, report this once and play without
        it."""
        from kogoma.search.tablebase.dobutsu.values import Tablebase, TablebaseError, find_file

        uses, path = self._settings["UseTablebase"], self._settings.tablebase_path
        if (uses, path, variant) != self._loaded_for:
            self._loaded_for, self._tablebase = (uses, path, variant), None
            file = find_file(path, variant, self._output.note) if uses else None
            if file is not None:
                try:
                    self._tablebase = Tablebase.open(file, variant)
                    self._output.note(f"the tablebase {file} answers")
                except (TablebaseError, OSError) as error:
                    self._output.error(f"{error_text(error)}; played without a tablebase")
        return self._tablebase

    def prepare(self, position: BasePosition) -> None:
        """Start to compute the endings of a position of Onitama, unless this has been done for its cards. Endings of
        other cards are forgotten."""
        from kogoma.rules.onitama.position import OnitamaPosition

        men = self._men
        if men < LEAST_MEN or not isinstance(position, OnitamaPosition):
            self.cancel()
            return
        cards, now = tuple(sorted(position.cards)), self._computation
        if now is None or (now.cards, now.men) != (cards, men):
            self.cancel()
            self._computation, self._is_announced = Computation(cards, men, now), False

    @property
    def _men(self) -> int:
        """The largest number of men for which the options want endings."""
        return int(self._settings["TablebaseMen"]) if self._settings["UseTablebase"] else 0

    def fit_options(self) -> None:
        """Apply UseTablebase and TablebaseMen: forget endings that they do not want, and end their computation."""
        if self._computation is not None and self._computation.men != self._men:
            self.cancel()

    def cancel(self) -> None:
        """End the computation of endings, and forget them."""
        if self._computation is not None:
            self._computation.cancel()
            self._computation = None

    def answering(self, position: BasePosition, limits: Limits) -> Values | None:
        """Return the tablebase that answers a search, or None. A search that is limited by nodes or depth does not use
        endings that are computed in the background, because its result must not depend on the time."""
        if position.variant.cards and (limits.nodes is not None or limits.depth is not None):
            return None
        self.prepare(position)
        if self._computation is None:
            return self.load(position.variant)
        failure, endings = self._computation.failure, self._computation.endings
        if not self._is_announced and (failure or endings):
            self._is_announced = True
            if failure is not None:
                self._output.error(f"the endings: {error_text(failure)}; played without a tablebase")
            else:
                self._output.note(f"endings with at most {self._computation.men} men are answered from the tablebase")
        return endings
