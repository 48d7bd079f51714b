"""What a tuning is to be, kept in its folder, and what it will cost."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from kogoma.lab.journals.journal import replace_file, told_as
from kogoma.lab.match.flags import WordsError
from kogoma.lab.tune.progress import duration
from kogoma.lab.tune.selfplay import Pace
from kogoma.lab.tune.store import DataError

NAME = "plan.json"
DATA_SHARE = 0.6  # of the time that is given, for positions
BYTES = 20  # of a position in a file, about
FIT_START, FIT_POSITION = 8.0, 1e-4  # seconds that a fit takes, about: to begin with, and for each position
MORE_PLIES = 10  # of a game than it gives positions: the opening, and the end once it is decided
MOVE = 0.002  # seconds a move beside the search


@dataclass(frozen=True)
class BasePlan:
    """What every tuning has: `nodes` of a search, and `match_nodes` of one in the match at its end, whose SPRT has the
    bounds `elo0` and `elo1`; `hours` is what its numbers were chosen for, 0 if for none."""

    variant: str
    seed: int = 1
    nodes: int = 5000
    games: int = 20_000
    match_nodes: int = 5000
    elo0: float = 0.0
    elo1: float = 10.0
    hours: float = 0.0


@dataclass(frozen=True)
class Plan(BasePlan):
    """All that the outcome follows from: `nodes` are of a search for data, `games` of the match at most; `hours`
    may have chosen `positions` and `games`. `output`: the folder for the weights, "" for that of the checkout."""

    nodes: int = 2000
    games: int = 1000
    positions: int = 1_000_000
    output: str = ""

    def chunks(self, size: int) -> int:
        """How many chunks of so many positions there have to be."""
        return -(-self.positions // size)

    def data_seconds(self, pace: Pace, concurrency: int, missing: int) -> float:
        """How long so many positions take."""
        return missing * pace.seconds / concurrency

    def fit_seconds(self) -> float:
        """How long the fit takes."""
        return FIT_START + FIT_POSITION * self.positions

    def game_seconds(self, pace: Pace) -> float:
        """How long a game of the match takes a worker."""
        return (pace.game + MORE_PLIES) * (pace.seconds * self.match_nodes / self.nodes + MOVE)

    def in_hours(self, pace: Pace, concurrency: int, chunk: int, data_share: float) -> Plan:
        """The plan with as many positions, in whole chunks of so many, and as many games, but no more than it has, as
        `hours` allow."""
        seconds = 3600 * self.hours
        chunks = max(1, int(data_share * seconds * concurrency / pace.seconds / chunk))
        plan = replace(self, positions=chunks * chunk)
        if data_share == 1:
            return plan
        left = seconds - plan.data_seconds(pace, concurrency, plan.positions) - plan.fit_seconds()
        pairs = max(1, int(left * concurrency / plan.game_seconds(pace) / 2))
        return replace(plan, games=min(2 * pairs, self.games))

    def cost(self, pace: Pace, concurrency: int, missing: int, wanted: int, folder: Path) -> str:
        """What it will cost, for people; of `wanted` positions so many are `missing`."""
        data = duration(self.data_seconds(pace, concurrency, missing))
        match = duration(self.games * self.game_seconds(pace) / concurrency)
        told = f"{self.variant}, seed {self.seed}, {self.nodes:,} nodes: {self.positions:,} positions"
        if self.hours:
            told += f"; chosen for {self.hours:g} h here: --positions {self.positions} --games {self.games} repeats it"
        return (
            f"{told}\n"
            f"data: {missing:,} positions more, about {data}, {wanted * BYTES / 1e6:,.1f} MB in {folder}\n"
            f"fit: about {duration(self.fit_seconds())}\n"
            f"match: at most {self.games:,} games at {self.match_nodes:,} nodes, about {match}"
        )

    def save(self, folder: Path) -> None:
        """Keep it in a folder; DataError."""
        path = folder / NAME
        with told_as(DataError, f"write {path}"):
            replace_file(path, (json.dumps(asdict(self), indent=2) + "\n").encode())


DEFAULT = Plan("")
AnyPlan = TypeVar("AnyPlan", bound=BasePlan)


def load_plan(folder: Path) -> Plan | None:
    """The plan that a folder's tuning was begun with; None if there is none. DataError."""
    path = folder / NAME
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        found = None
    types = {name: type(value) for name, value in asdict(DEFAULT).items()}
    if not isinstance(found, dict) or {name: type(value) for name, value in found.items()} != types:
        raise DataError(f"{path} is damaged; without it the tuning begins anew with the chunks that are there")
    return Plan(**found)


def planned(given: argparse.Namespace, folder: Path, there: AnyPlan | None, new: AnyPlan) -> AnyPlan:
    """The plan of a command line: what it does not give is as in the plan that is `there`, if it resumes that, and
    otherwise as in the `new` one. WordsError."""
    if given.resume and there is None:
        raise WordsError(f"{folder}: there is nothing to resume")
    if there is not None and there.variant != given.variant.name:
        raise WordsError(f"{folder} belongs to {there.variant}")
    names = [field.name for field in fields(new) if field.name not in ("variant", "output")]
    chosen: dict[str, Any] = {name: value for name in names if (value := getattr(given, name)) is not None}
    plan = replace(there if given.resume and there is not None else new, **chosen)
    if not plan.elo0 < plan.elo1:
        raise WordsError(f"--elo0 must be below --elo1, not {plan.elo0:g} and {plan.elo1:g}")
    return plan
