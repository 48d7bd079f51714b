"""What a tuning is to be, kept in its folder, and what it will cost."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from kogoma.lab.tune.generate import Pace
from kogoma.lab.tune.progress import duration
from kogoma.lab.tune.store import DataError

NAME = "plan.json"
DATA_SHARE = 0.6  # of the time that is given, for positions
BYTES = 20  # of a position in a file, about
FIT_START, FIT_POSITION = 8.0, 1e-4  # seconds that a fit takes, about: to begin with, and for each position
MORE_PLIES = 10  # of a game than it gives positions: the opening, and the end once it is decided
MOVE = 0.002  # seconds a move beside the search


@dataclass(frozen=True)
class Plan:
    """All that the outcome follows from; `hours` is what `positions` and `games` were chosen for, 0 if for none.

    `nodes` are of a search for data, `match_nodes` of one in the match of at most `games` games, whose SPRT has the
    bounds `elo0` and `elo1`. `output`: the folder for the weights, "" for that of the checkout.
    """

    variant: str
    seed: int
    nodes: int
    positions: int
    games: int
    match_nodes: int
    elo0: float
    elo1: float
    hours: float = 0.0
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
        unfinished = path.with_suffix(".part")
        try:
            unfinished.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")
            unfinished.replace(path)
        except OSError as error:
            raise DataError(f"cannot write {path}: {error.strerror}") from None


DEFAULT = Plan("", 1, 2000, 1_000_000, 1000, 5000, 0.0, 10.0)


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
