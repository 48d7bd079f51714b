"""The course of a tuning, as a file: what it is to be, then a line for each iteration. None is ever done again.

A line has the outcomes of the iteration's pairs and the values after it. The values of now, in whole numbers, stand in
`margins.json`, too, for engines. RANGES says how far each may be tuned.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kogoma.lab.records.journal import Journal, first_line
from kogoma.lab.tune.margins.ascent import Ascent, Axis
from kogoma.lab.tune.origin import engine_digest, weights_digest
from kogoma.lab.tune.store import DataError
from kogoma.rules.own.identity import identity
from kogoma.rules.variants import find
from kogoma.search.margins.values import MARGINS, Margins

NAME, MARGINS_FILE = "course.jsonl", "margins.json"
FORMAT = 1
PAIRS = 2  # of games in an iteration, each with a perturbation of its own
GAMES = 2 * PAIRS
# Name: least, most, and the step by which two players differ from the middle: large enough to be felt in a game, small
# enough that what lies between is about straight.
RANGES: dict[str, tuple[int, int, int]] = {
    "window": (10, 300, 15),
    "razoring": (100, 2000, 100),
    "reverse_futility": (40, 800, 40),
    "improving": (1, 600, 40),
    "null_margin": (1, 1000, 60),
    "null_divisor": (100, 3000, 100),
    "late_moves": (1, 20, 1),
    "futility": (20, 1000, 50),
    "futility_ply": (40, 800, 40),
    "history_pruning": (500, 12000, 700),
    "see_quiet": (5, 400, 20),
    "see_tactical": (20, 800, 40),
    "singular": (1, 20, 1),
    "reduction": (120, 320, 15),
    "reduction_base": (1, 1536, 150),
    "history_reduction": (1500, 30000, 1500),
    "history_bonus": (4, 100, 5),
    "delta": (50, 1200, 60),
}


@dataclass(frozen=True)
class SearchPlan:
    """All that the outcome follows from; `hours` is what `games` was chosen for, 0 if for none. `nodes` are of a move
    in the `games` of the climb, `match_nodes` of one in the SPRT with bounds `elo0` and `elo1` that follows."""

    variant: str
    seed: int = 1
    nodes: int = 5000
    games: int = 20_000
    match_nodes: int = 5000
    elo0: float = 0.0
    elo1: float = 10.0
    hours: float = 0.0

    @property
    def iterations(self) -> int:
        """Whole ones."""
        return -(-self.games // GAMES)

    def ascent(self) -> Ascent:
        """The climb."""
        return Ascent(axes_from(), self.iterations * PAIRS, f"spsa {self.variant} {self.seed}")


class Course:
    """A course in a folder, begun or gone on with. DataError."""

    def __init__(self, plan: SearchPlan, folder: Path) -> None:
        self.plan, self._folder, self.ascent = plan, folder, plan.ascent()
        self.values = [float(axis.start) for axis in self.ascent.axes]
        self.done = 0  # iterations
        path = folder / NAME
        head, lines = _head(plan), list[dict[str, Any]]()

        def take(number: int, line: bytes) -> bool:
            lines.append(_parsed(path, line))
            if number == 1:
                _compare(lines[0], head, path)
            return True

        try:
            with Journal(path) as journal:
                if not journal.read(take):
                    journal.add(head)
            if len(lines) > 1:
                self.done, self.values = lines[-1]["iteration"], lines[-1]["values"]
            if self.done != max(len(lines) - 1, 0) or len(self.values) != len(self.ascent.axes):
                raise DataError(f"{path} is damaged: lines are missing")
            self._keep_margins()
        except OSError as error:
            raise DataError(f"cannot write {path}: {error.strerror}") from None
        except (KeyError, TypeError):
            raise DataError(f"{path} is damaged: its last line is no iteration") from None

    @property
    def margins(self) -> Margins:
        """Those of now, in whole numbers."""
        return Margins(*(round(value) for value in self.values))

    @property
    def margins_path(self) -> Path:
        """The file of those, for KOGOMA_MARGINS."""
        return self._folder / MARGINS_FILE

    def pairs(self) -> range:
        """The numbers of the next iteration's pairs."""
        return range(self.done * PAIRS, (self.done + 1) * PAIRS)

    def sides(self, pair: int) -> tuple[Margins, Margins]:
        """Who play each other in a pair of the next iteration."""
        first, second = self.ascent.sides(self.values, pair)
        return Margins(*first), Margins(*second)

    def add(self, outcomes: list[float]) -> None:
        """The next iteration, with an outcome for each pair. DataError."""
        values = self.values
        for pair, outcome in zip(self.pairs(), outcomes, strict=True):
            values = self.ascent.moved(values, pair, outcome)
        line = {"iteration": self.done + 1, "outcomes": outcomes, "values": values}
        try:
            with Journal(self._folder / NAME) as journal:
                journal.add(line)
            self.values, self.done = values, self.done + 1
            self._keep_margins()
        except OSError as error:
            raise DataError(f"cannot write in {self._folder}: {error.strerror}") from None

    def _keep_margins(self) -> None:
        unfinished = self.margins_path.with_suffix(".part")
        unfinished.write_text(json.dumps(self.margins._asdict(), indent=2) + "\n", encoding="utf-8")
        unfinished.replace(self.margins_path)

    def table(self) -> str:
        """What has become of each margin, for people."""
        lines = [f"{'margin':<18}{'before':>8}{'now':>8}{'steps':>8}"]
        for axis, value, now in zip(self.ascent.axes, self.values, self.margins):
            lines.append(f"{axis.name:<18}{axis.start:>8}{now:>8}{(value - axis.start) / axis.step:>+8.2f}")
        return "\n".join(lines)


def load_plan(folder: Path) -> SearchPlan | None:
    """The plan of the course in a folder; None if there is none. DataError."""
    path = folder / NAME
    try:
        line = first_line(path)
        return None if line is None else SearchPlan(**_parsed(path, line)["plan"])
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from None
    except (KeyError, TypeError):
        raise DataError(f"{path} is damaged: its first line is no plan") from None


def _head(plan: SearchPlan) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "plan": asdict(plan),
        **identity(find(plan.variant)),
        "axes": [list(asdict(axis).values()) for axis in plan.ascent().axes],
        "engine": engine_digest(),
        "weights": weights_digest(find(plan.variant)),
    }


def _compare(found: dict[str, Any], wanted: dict[str, Any], path: Path) -> None:
    for name, value in wanted.items():
        if found.get(name) != value:
            raise DataError(f"{path} was begun with another {name}: another folder begins anew")


def _parsed(path: Path, line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise DataError(f"{path} is damaged: a line is no JSON object")
    return found


def axes_from(start: Margins = MARGINS) -> tuple[Axis, ...]:
    """One for each margin, in their order."""
    return tuple(Axis(name, value, *RANGES[name]) for name, value in start._asdict().items())
