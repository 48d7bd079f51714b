"""The plan of a tuning run, its file, and the estimate of its cost."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from kogoma.console.arguments import CommandLineError
from kogoma.lab.journals.journal import raising
from kogoma.lab.tune.fit import Recipe
from kogoma.lab.tune.progress import duration
from kogoma.lab.tune.selfplay import Pace
from kogoma.lab.tune.store import DataError
from kogoma.output_file import reason, write_file

NAME = "plan.json"
DATA_SHARE = 0.6  # share of `--hours` for self-play
BYTES = 20  # approximate size of a position in a chunk
FIT_START, FIT_POSITION = 8.0, 1e-4  # approximate seconds of a fit: constant part, part per position
MORE_PLIES = 10  # a match game has so many plies more: those of the opening and of decided positions
MOVE_OVERHEAD = 0.002  # seconds per move outside the search


@dataclass(frozen=True)
class BasePlan:
    """The options that all tuning runs have: nodes per search in the games, nodes per search in the acceptance match,
    and the bounds of the match's SPRT. If `hours` is not 0, the numbers of games and positions were computed from
    it."""

    variant: str
    seed: int = 1
    nodes: int = 5000
    games: int = 20_000
    match_nodes: int = 5000
    elo0: float = 0.0
    elo1: float = 10.0
    hours: float = 0.0


@dataclass(frozen=True)
class Plan(Recipe, BasePlan):
    """The plan for tuning the evaluation. `nodes` is the number per search of self-play, and `games` is the maximum
    number of games in the acceptance match. `output` is the folder for accepted weights, or "" for the engine's own
    folder."""

    nodes: int = 2000
    games: int = 1000
    positions: int = 1_000_000
    output: str = ""

    def chunks(self, size: int) -> int:
        """Return the number of chunks of `size` positions that the plan needs."""
        return -(-self.positions // size)

    def data_seconds(self, pace: Pace, concurrency: int, missing: int) -> float:
        """Return the seconds that `concurrency` workers need to make `missing` positions."""
        return missing * pace.seconds / concurrency

    def fit_seconds(self) -> float:
        """Return the approximate seconds of the fit."""
        return FIT_START + FIT_POSITION * self.positions

    def game_seconds(self, pace: Pace) -> float:
        """Return the seconds that a worker needs for one game of the acceptance match."""
        return (pace.game + MORE_PLIES) * (pace.seconds * self.match_nodes / self.nodes + MOVE_OVERHEAD)

    def in_hours(self, pace: Pace, concurrency: int, chunk: int, data_share: float) -> Plan:
        """Return the plan with as many positions and games as fit in its `hours`. `chunk` is the number of positions in
        a chunk, and `data_share` is the part of the time for self-play. The number of games is never increased; with a
        `data_share` of 1 it stays the same."""
        seconds = 3600 * self.hours
        chunks = max(1, int(data_share * seconds * concurrency / pace.seconds / chunk))
        plan = replace(self, positions=chunks * chunk)
        if data_share == 1:
            return plan
        left = seconds - plan.data_seconds(pace, concurrency, plan.positions) - plan.fit_seconds()
        pairs = max(1, int(left * concurrency / plan.game_seconds(pace) / 2))
        return replace(plan, games=min(2 * pairs, self.games))

    def cost(self, pace: Pace, concurrency: int, missing: int, wanted: int, folder: Path) -> str:
        """Return a text with the expected time and disk space. `wanted` is the number of all positions, and `missing`
        is the number of those that are not made yet."""
        data = duration(self.data_seconds(pace, concurrency, missing))
        match = duration(self.games * self.game_seconds(pace) / concurrency)
        told = f"{self.variant}, seed {self.seed}, {self.nodes:,} nodes: {self.positions:,} positions"
        if self.hours:
            told += f"; set for {self.hours:g} h; repeat with --positions {self.positions} --games {self.games}"
        return (
            f"{told}\n"
            f"data: {missing:,} more positions, about {data}, {wanted * BYTES / 1e6:,.1f} MB in {folder}\n"
            f"fit: about {duration(self.fit_seconds())}\n"
            f"match: at most {self.games:,} games at {self.match_nodes:,} nodes, about {match}"
        )

    def save(self, folder: Path) -> None:
        """Write the plan to its file in a folder. Raises DataError if the file cannot be written."""
        path = folder / NAME
        with raising(DataError, f"write {path}"):
            write_file(path, (json.dumps(asdict(self), indent=2) + "\n").encode())


DEFAULT = Plan("")
AnyPlan = TypeVar("AnyPlan", bound=BasePlan)


def load_plan(folder: Path) -> Plan | None:
    """Return the saved plan of a folder, or None if it has none. Raises DataError if the plan cannot be read."""
    path = folder / NAME
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DataError(f"cannot read {path}: {reason(error)}") from None
    except ValueError:
        found = None
    types = {name: type(value) for name, value in asdict(DEFAULT).items()}
    # A plan of an older version may lack newer options, which then have their defaults.
    if (
        not isinstance(found, dict)
        or "variant" not in found
        or any(type(value) is not types.get(name) for name, value in found.items())
    ):
        raise DataError(
            f"{path} is damaged or from another version; delete it to make a new plan "
            "(positions in the folder are kept)"
        )
    return Plan(**found)


def plan_from_options(given: argparse.Namespace, folder: Path, saved: AnyPlan | None, default: AnyPlan) -> AnyPlan:
    """Return the plan for the command-line options `given`. Missing options are taken from the `saved` plan if
    `--resume` is given, otherwise from `default`. Raises CommandLineError if the options are invalid for the folder."""
    if given.resume and saved is None:
        raise CommandLineError(f"{folder} has nothing to resume; start without --resume")
    if saved is not None and saved.variant != given.variant.name:
        raise CommandLineError(f"{folder} has files of {saved.variant}; name another folder with --data")
    names = [field.name for field in fields(default) if field.name not in ("variant", "output")]
    chosen: dict[str, Any] = {name: value for name in names if (value := getattr(given, name)) is not None}
    plan = replace(saved if given.resume and saved is not None else default, **chosen)
    if not plan.elo0 < plan.elo1:
        raise CommandLineError(f"--elo0 must be below --elo1, not {plan.elo0:g} and {plan.elo1:g}")
    return plan
