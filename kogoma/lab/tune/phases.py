"""The three phases of tuning the evaluation: data, fit, match. An interrupted phase resumes, a
finished one is skipped."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kogoma.console.lines import counted
from kogoma.eval.weights import OVERRIDE, folder_of
from kogoma.lab.match.workers import open_workers
from kogoma.lab.tune.acceptance_match import Verdict, play_acceptance_match, settings_of
from kogoma.lab.tune.fit import Recipe as FitRecipe
from kogoma.lab.tune.fit import fit
from kogoma.lab.tune.plan import DATA_SHARE, Plan
from kogoma.lab.tune.positions import read_positions
from kogoma.lab.tune.progress import duration, progress, say
from kogoma.lab.tune.selfplay import (
    Recipe,
    engine_digest,
    generate,
    head_of,
    json_digest,
    measure,
    terms_digest,
    weights_digest,
)
from kogoma.lab.tune.store import DataError, check_chunks, compare, path_of, read_head
from kogoma.lab.tune.weight_files import contents, install, is_installed, provenance_in, write_weights
from kogoma.rules.custom.writer import GAME_FILE
from kogoma.rules.variants import Variant, find
from kogoma.search.library import warmup

CANDIDATE = "candidate"  # subfolder of the data folder for new weights
# Fields of a chunk's head that must be the same for all chunks in a folder, whichever engine version made them.
SHARED_FIELDS = ("format", "variant", GAME_FILE, "seed", "nodes", "positions")


@dataclass
class Tuning:
    """A tuning run of the evaluation, with its plan and folder. `date` (ISO) is written to the network; None means the
    day of the newest chunk."""

    plan: Plan
    folder: Path
    concurrency: int | None = None
    cluster: str | None = None
    date: str | None = None

    @property
    def variant(self) -> Variant:
        """The variant to tune."""
        return find(self.plan.variant)

    @property
    def recipe(self) -> Recipe:
        """The settings with which the chunks are made."""
        return Recipe(self.variant, self.plan.seed, self.plan.nodes)

    @property
    def candidate(self) -> Path:
        """The folder in which the fit writes the new weights."""
        return self.folder / CANDIDATE

    @property
    def output(self) -> Path:
        """The folder to which accepted weights are written."""
        return Path(self.plan.output) if self.plan.output else folder_of(self.variant)

    def make_data(self, planned: bool, share: float = DATA_SHARE) -> None:
        """Print the expected cost and make the missing chunks. If `planned` is false, first set the numbers of
        positions and games so that they fit into the plan's hours; `share` is the part of this time for the data.
        Raises DataError for a bad file, TooFewOpenings if the variant has too few openings, WorkError if a worker
        fails."""
        recipe = self.recipe
        missing, there = self._find_chunks() if planned else ([0], {})
        if missing:
            if self.cluster is None:
                warmup(say, self.variant)  # so that not every worker process compiles
            with open_workers(self.cluster, self.concurrency) as workers:
                pace = measure(recipe, workers)
                if not planned:
                    self.plan = self.plan.in_hours(pace, workers.concurrency, recipe.positions, share)
                    missing, there = self._find_chunks()
                todo, done = len(missing) * recipe.positions, sum(head["count"] for head in there.values())
                self.plan.save(self.folder)
                say(self.plan.cost(pace, workers.concurrency, todo, done + todo, self.folder))
                for number, head in there.items() if missing else ():
                    compare(head, head_of(recipe), f"use another folder: {path_of(self.folder, number)}")
                with progress(done + todo, done) as shown:
                    generate(recipe, self.folder, missing, workers, shown.add)
        else:
            self.plan.save(self.folder)
        say(f"{self.folder}: {counted(self.plan.chunks(recipe.positions), 'chunk')}, complete")

    def _find_chunks(self) -> tuple[list[int], dict[int, dict[str, Any]]]:
        """Return the numbers of the missing chunks, and a dict from the numbers of the existing chunks to their
        heads."""
        head, chunks = head_of(self.recipe), self.plan.chunks(self.recipe.positions)
        lasting = {name: head[name] for name in SHARED_FIELDS if name in head}
        there = check_chunks(self.folder, lasting, chunks, lambda text: say(f"{text}; it is made again"))
        return [number for number in range(chunks) if number not in there], there

    def make_fit(self, numbers: list[int] | None = None, again: bool = False) -> bool:
        """Fit a network to the chunks `numbers`, by default to all chunks of the plan. Return False if no network has a
        lower divergence than the old weights, otherwise True. A finished fit is reused unless `again` is true.
        Raises DataError if chunks are missing or damaged, or if a file cannot be written."""
        if numbers is None:
            numbers = list(range(self.plan.chunks(self.recipe.positions)))
        provenance = self._provenance(numbers)
        found = provenance_in(self.candidate, self.variant)
        if found is not None and provenance.items() <= found.items() and not again:
            say(f"{self.candidate}: fitted, divergence {found['before']} before, {found['after']} after")
            return True
        with progress(provenance["positions"], 0) as shown:
            positions = read_positions(self.variant, self.folder, numbers, self.plan.all_terms, shown.add)
        started = time.monotonic()
        fitted = fit(self.variant, positions, self.plan, self.plan.seed, say)
        told: dict[str, Any] = {"scale": round(fitted.scale)}
        told |= {name: round(getattr(fitted, name), 5) for name in ("before", "after", "rounded")}
        learnt = {"quiet": len(positions.index), "best_epoch": fitted.epochs, **told}
        after = f"{told['after']} after, {told['rounded']} with rounded weights"
        say(f"divergence {told['before']} before, {after}; {duration(time.monotonic() - started)}")
        if not fitted.epochs:
            say("no network has a lower divergence: the old weights stay")
            return False
        paths = write_weights(self.candidate, self.variant, fitted, {**provenance, **learnt})
        say(f"written: {', '.join(map(str, paths))}")
        return True

    def _provenance(self, numbers: list[int]) -> dict[str, Any]:
        """Return a description of all that the fit depends on, for the head of the network. If the description
        changes, a new fit is needed."""
        heads = [read_head(self.folder, number) for number in numbers]
        if not heads:
            raise DataError(f"{self.folder} contains no positions from self-play; make them with --only data")
        newest = max(path_of(self.folder, number).stat().st_mtime for number in numbers)
        return {
            "variant": self.variant.name,
            "seed": self.plan.seed,
            **{setting.name: getattr(self.plan, setting.name) for setting in fields(FitRecipe)},
            "positions": sum(head["count"] for head in heads),
            "nodes": heads[0]["nodes"],
            "data": json_digest(heads),
            "terms": terms_digest(self.variant),
            **({"refined": weights_digest(self.variant)} if self.plan.refine else {}),
            "engine": engine_digest(),
            "date": self.date or datetime.fromtimestamp(newest, UTC).date().isoformat(),
        }

    def play_match(self) -> Verdict | None:
        """Play the new weights against the old ones, and install them if they are stronger. Return the verdict, or None
        if the match was interrupted. Raises DataError if there are no new weights. Also raises what
        `play_acceptance_match` raises."""
        if provenance_in(self.candidate, self.variant) is None:
            raise DataError(
                f"{self.candidate} has no complete weights of {self.variant.name}; make them with --only fit"
            )
        if is_installed(self.candidate, self.output, self.variant):
            return Verdict(True, f"{self.output} has the new weights already")
        concurrency = self.concurrency if self.cluster else self.concurrency or os.cpu_count() or 1
        candidate, files = (OVERRIDE, str(self.candidate.resolve())), contents(self.candidate, self.variant)
        settings = settings_of(self.plan, candidate, files, self.folder, concurrency, self.cluster)
        verdict = play_acceptance_match(settings)
        if verdict is not None and verdict.stronger:
            paths = install(self.candidate, self.output, self.variant)
            return Verdict(True, f"{verdict.reason}: written to {', '.join(map(str, paths))}")
        return verdict
