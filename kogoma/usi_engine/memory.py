"""The engine's memory between searches: the transposition table, the search threads, and the loaded libraries."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import TYPE_CHECKING

from kogoma.rules.variants import Variant
from kogoma.search.limits import Limits, SearchOptions
from kogoma.usi_engine.loading import Build, build_quietly, keep_waiting
from kogoma.usi_engine.output import Output
from kogoma.usi_engine.parse import UsiError
from kogoma.usi_engine.settings import Settings

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition
    from kogoma.search.search import Search
    from kogoma.search.searcher import Searcher
    from kogoma.search.table_memory import Table


class Memory:
    """The searcher, with its table and threads, and the libraries. The first `load` creates the searcher; before it,
    changes of options have nothing to change here."""

    def __init__(self, output: Output, settings: Settings, quit_seen: threading.Event) -> None:
        """If `quit_seen` is set during `load`, the process ends."""
        self._output, self._settings, self._quit_seen = output, settings, quit_seen
        self._searcher: Searcher | None = None
        self._loaded: set[Variant] = set()
        self._mate_builds: dict[str, Build] = {}  # by layout
        self._loaded_at = 0.0

    def load(self, variant: Variant) -> Searcher:
        """Build or load the libraries and the weights that a variant needs, and return the searcher."""
        if self._searcher is None or variant not in self._loaded:
            keep_waiting(partial(self._load, variant), self._output, self._quit_seen)
            self.fit_threads()
            self._loaded.add(variant)
            self.mate_build(variant)
            self._loaded_at = time.perf_counter()
        assert self._searcher is not None
        return self._searcher

    def _load(self, variant: Variant) -> None:
        from kogoma.eval.game import default_game
        from kogoma.search.library import warmup
        from kogoma.search.searcher import Searcher

        hash_mb, network = self._settings["USI_Hash"], self._settings.network
        if self._searcher is None:
            try:
                self._searcher = Searcher(hash_mb=hash_mb, variant=variant, network=network)
            except MemoryError:
                self._output.error(f"not enough memory for USI_Hash {hash_mb}: it is set to 1")
                self._searcher = Searcher(hash_mb=1, variant=variant, network=network)
        warmup(self._output.note, variant)
        default_game(variant, network)  # load the weights now, not in the first search
        self._searcher.wait()

    def prepare(self, variant: Variant) -> None:
        """Prepare the searcher for a variant, so that the first search does not spend thinking time on it."""
        searcher = self.load(variant)
        searcher.set_variant(variant)
        searcher.wait()

    def start(self, position: BasePosition, limits: Limits, options: SearchOptions, read_at: float) -> Search:
        """Return a search of the position, ready to run. `read_at` is the time at which the `go` was read."""
        return self.load(position.variant).start(position, limits, options, self.clock_start(read_at))

    def clock_start(self, read_at: float) -> float:
        """Return the time at which the clock of a search starts. `read_at` is the time at which the `go` was read. The
        time for a first build is not thinking time."""
        return max(read_at, self._loaded_at)

    def lend(self, variant: Variant) -> Table:
        """Return the transposition table, for the mate solver."""
        return self.load(variant).lend()

    def mate_build(self, variant: Variant) -> Build | None:
        """Return the build of the variant's mate solver, and start it if necessary. Return None if the solver is built
        already or the variant has none."""
        from kogoma.rules.rules_struct import layout_of
        from kogoma.search.library import mate_library

        layout = layout_of(variant)
        if variant.die or mate_library(layout).is_built(self._output.note):
            return None
        build = self._mate_builds.get(layout)
        if build is None or build.ended.is_set():  # it has ended without a library: it failed
            build = self._mate_builds[layout] = Build(partial(build_quietly, mate_library(layout)))
        return build

    def clear(self) -> None:
        """Forget everything that earlier searches found."""
        if self._searcher is not None:
            self._searcher.new_game()

    def fit_threads(self) -> None:
        """Apply the options that determine the number of threads."""
        if self._searcher is not None:
            self._searcher.set_threads(self._settings.threads)

    def resize(self, before: int) -> None:
        """Apply USI_Hash; `before` is its old value. Raises UsiError if there is not enough memory."""
        hash_mb = self._settings["USI_Hash"]
        if self._searcher is not None and hash_mb != before:
            try:
                self._searcher.resize(hash_mb)
            except MemoryError:
                raise UsiError(f"not enough memory for USI_Hash {hash_mb}: it stays {before}") from None

    def change_evaluation(self, before: str) -> None:
        """Apply Evaluation; `before` is its old value. Raises UsiError if the network cannot be read."""
        if self._searcher is None or self._settings["Evaluation"] == before:
            return
        from kogoma.eval.network_file import WeightsError

        try:
            self._searcher.use_network(self._settings.network)
        except WeightsError as error:
            raise UsiError(f"{error}; Evaluation stays {before}") from None
        self._loaded.clear()  # the networks of the other variants have not been loaded yet
