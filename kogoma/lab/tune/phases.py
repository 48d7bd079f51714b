"""The three phases of a tuning: positions, the fit, the match of new weights against old ones. Each goes on where it
was, and one that is done is not done again."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kogoma.eval.weights import OVERRIDE, folder_of
from kogoma.lab.match.workers import at_work
from kogoma.lab.tune.acceptance_match import Verdict, hold, settings_of
from kogoma.lab.tune.fit import fit
from kogoma.lab.tune.plan import DATA_SHARE, Plan
from kogoma.lab.tune.positions import read_positions
from kogoma.lab.tune.progress import duration, progress, say
from kogoma.lab.tune.selfplay import Recipe, engine_digest, generate, head_of, measure, terms_digest, text_digest
from kogoma.lab.tune.store import DataError, check, compare, path_of, read_head
from kogoma.lab.tune.weight_files import contents, install, is_installed, provenance_in, write_weights
from kogoma.rules.custom.writer import GAME_FILE
from kogoma.rules.variants import Variant, find
from kogoma.search.library import warmup

CANDIDATE = "candidate"  # the folder, inside that of the data, of new weights until they are accepted
LASTING = ("format", "variant", GAME_FILE, "seed", "nodes", "positions")  # of a chunk's head, whatever engine made it


@dataclass
class Tuning:
    """A tuning in a folder: what it is to be, and how it is done. `date` (ISO) stands in the table; None: the day of
    the newest chunk."""

    plan: Plan
    folder: Path
    concurrency: int | None = None
    cluster: str | None = None
    date: str | None = None

    @property
    def variant(self) -> Variant:
        """The game."""
        return find(self.plan.variant)

    @property
    def recipe(self) -> Recipe:
        """How chunks are made."""
        return Recipe(self.variant, self.plan.seed, self.plan.nodes)

    @property
    def candidate(self) -> Path:
        """The folder of new weights."""
        return self.folder / CANDIDATE

    @property
    def output(self) -> Path:
        """Where accepted weights go."""
        return Path(self.plan.output) if self.plan.output else folder_of(self.variant)

    def make_data(self, planned: bool, share: float = DATA_SHARE) -> None:
        """Play the chunks that are not there, after saying what the tuning will cost. Unless it is `planned`, how much
        that is follows from its hours, of which data get a `share`. DataError; TooFewOpenings; WorkError."""
        recipe = self.recipe
        missing, there = self._look() if planned else ([0], {})
        if missing:
            if self.cluster is None:
                warmup(say, self.variant)  # else every process would compile
            with at_work(self.cluster, self.concurrency) as workers:
                pace = measure(recipe, workers)
                if not planned:
                    self.plan = self.plan.in_hours(pace, workers.concurrency, recipe.positions, share)
                    missing, there = self._look()
                todo, done = len(missing) * recipe.positions, sum(head["count"] for head in there.values())
                self.plan.save(self.folder)
                say(self.plan.cost(pace, workers.concurrency, todo, done + todo, self.folder))
                for number, head in there.items() if missing else ():
                    compare(head, head_of(recipe), f"{path_of(self.folder, number)} (another folder begins anew): it")
                with progress(done + todo, done) as shown:
                    generate(recipe, self.folder, missing, workers, shown.add)
        else:
            self.plan.save(self.folder)
        say(f"{self.folder}: {self.plan.chunks(recipe.positions)} chunks, complete")

    def _look(self) -> tuple[list[int], dict[int, dict[str, Any]]]:
        """(numbers of the chunks that are missing, heads of those that are there)."""
        head, chunks = head_of(self.recipe), self.plan.chunks(self.recipe.positions)
        lasting = {name: head[name] for name in LASTING if name in head}
        there = check(self.folder, lasting, chunks, lambda text: say(f"{text}; it is made anew"))
        return [number for number in range(chunks) if number not in there], there

    def make_fit(self, numbers: list[int] | None = None, again: bool = False) -> bool:
        """Fit a table to these chunks, or to the plan's, unless that is done already and not wanted `again`; False if
        it is no better than the evaluation without one. DataError."""
        if numbers is None:
            numbers = list(range(self.plan.chunks(self.recipe.positions)))
        provenance = self._provenance(numbers)
        found = provenance_in(self.candidate, self.variant)
        if found is not None and provenance.items() <= found.items() and not again:
            say(f"{self.candidate}: fitted, divergence {found['before']} before, {found['after']} after")
            return True
        with progress(provenance["positions"], 0) as shown:
            positions = read_positions(self.variant, self.folder, numbers, shown.add)
        started = time.monotonic()
        fitted = fit(self.variant, positions, self.plan.seed, say)
        told = {"scale": round(fitted.scale), "before": round(fitted.before, 5), "after": round(fitted.after, 5)}
        learnt = {"quiet": len(positions.score), "epochs": fitted.epochs, **told}
        say(f"divergence {told['before']} before, {told['after']} after; {duration(time.monotonic() - started)}")
        if not fitted.epochs:
            say("no table does better: the weights of now stay")
            return False
        paths = write_weights(self.candidate, self.variant, fitted, {**provenance, **learnt})
        say(f"written: {', '.join(map(str, paths))}")
        return True

    def _provenance(self, numbers: list[int]) -> dict[str, Any]:
        """What a table follows from: it is fitted anew if any of it is another."""
        heads = [read_head(self.folder, number) for number in numbers]
        if not heads:
            raise DataError(f"{self.folder}: there are no chunks in it")
        return {
            "variant": self.variant.name,
            "seed": self.plan.seed,
            "positions": sum(head["count"] for head in heads),
            "nodes": heads[0]["nodes"],
            "data": text_digest(heads),
            "terms": terms_digest(self.variant),
            "engine": engine_digest(),
            "date": self.date or _day(max(path_of(self.folder, number).stat().st_mtime for number in numbers)),
        }

    def hold_match(self) -> Verdict | None:
        """Play the new weights against the old ones, and install them if they are stronger; None after an
        interruption. DataError, and what `lab.match.command.play` raises."""
        if provenance_in(self.candidate, self.variant) is None:
            raise DataError(f"{self.candidate} holds no whole weights of {self.variant.name}: --only fit makes them")
        if is_installed(self.candidate, self.output, self.variant):
            return Verdict(True, f"{self.output} holds the new weights already")
        concurrency = self.concurrency if self.cluster else self.concurrency or os.cpu_count() or 1
        verdict = hold(
            settings_of(
                self.plan,
                (OVERRIDE, str(self.candidate.resolve())),
                contents(self.candidate, self.variant),
                self.folder,
                concurrency,
                self.cluster,
            )
        )
        if verdict is not None and verdict.stronger:
            paths = install(self.candidate, self.output, self.variant)
            return Verdict(True, f"{verdict.reason}: written to {', '.join(map(str, paths))}")
        return verdict


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
