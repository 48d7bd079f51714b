"""`tune VARIANT --search`: the climb, game by game, then the match of its parameters against those of now.

The course of the climb is a file: what it is to be, then a line for each iteration. None is ever done again. A line has
the outcomes of the iteration's pairs and the values after it. The values of now, in whole numbers, stand in
`parameters.json`, too, for engines.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from kogoma.lab.journals.journal import Journal, first_line, replace_file, told_as
from kogoma.lab.match.flags import WordsError
from kogoma.lab.match.openings import Opening, load_openings
from kogoma.lab.match.runner import finished
from kogoma.lab.match.workers import Callers, at_work
from kogoma.lab.tune.acceptance_match import Verdict, hold, openings_for, settings_of
from kogoma.lab.tune.plan import DEFAULT, BasePlan, planned
from kogoma.lab.tune.progress import progress, say
from kogoma.lab.tune.selfplay import MOST_SCORE, Thinker, engine_digest, longest_game, weights_digest
from kogoma.lab.tune.store import DataError
from kogoma.rules.custom.writer import identity
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant, find
from kogoma.search.library import warmup
from kogoma.search.parameters.values import GIVEN, PARAMETERS, SearchParameters
from kogoma.search.worker import TuningWorker

MOVES_FALL, STEPS_FALL = 0.602, 0.101  # exponents
SETTLING = 0.1  # of all comparisons: moves fall as if so many had gone before
RATE = 0.8  # of a step: about how far chance alone carries a number by the end
NAME, MARGINS_FILE = "course.jsonl", "parameters.json"
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
OPENINGS = 200  # at least, however many games there are: those of a course must not change
CLIMB_SHARE = 0.8  # of the hours; the rest is for the match
OTHERS = ("positions", "cluster", "only", "output", "date")  # options that a search has no use for
SOURCE = "search/parameters/values.py"

Players = tuple[Thinker, Thinker]


@dataclass(frozen=True)
class Axis:
    """A number that is looked for, and by how much the sides of a comparison differ from it at the end."""

    name: str
    start: int
    least: int
    most: int
    step: int


@dataclass(frozen=True)
class Ascent:
    """A climb of so many comparisons by simultaneous perturbation stochastic approximation (SPSA), on a function that
    only noisy comparisons show. Everything random follows from the seed and a comparison's number, from 0.

    For every comparison each number goes a step up or down by a coin's toss of its own, and the other side gets the
    opposite; then all numbers move by the outcome, each the way that it had gone. Steps shrink with time, and moves
    faster. After J. C. Spall: Implementation of the simultaneous perturbation algorithm for stochastic optimization
    (1998), whose exponents are used.
    """

    axes: tuple[Axis, ...]
    comparisons: int
    seed: str

    def signs(self, number: int) -> list[int]:
        """+1 or -1 for each axis: which way the first side goes."""
        rng = random.Random(f"{self.seed} signs {number}")
        return [rng.choice((1, -1)) for _ in self.axes]

    def sides(self, values: Sequence[float], number: int) -> tuple[list[int], list[int]]:
        """What both sides of a comparison use: whole numbers, rounded up or down by chance, both the same way."""
        rng = random.Random(f"{self.seed} rounding {number}")
        found: tuple[list[int], list[int]] = [], []
        for axis, value, sign in zip(self.axes, values, self.signs(number)):
            step, chance = sign * axis.step * self._steps(number), rng.random()
            for side, moved in zip(found, (value + step, value - step)):
                side.append(min(max(math.floor(moved + chance), axis.least), axis.most))
        return found

    def moved(self, values: Sequence[float], number: int, outcome: float) -> list[float]:
        """The values after a comparison, whose outcome is from 1 (the first side was far better) to -1."""
        far = self._rate(number) * outcome / self._steps(number)
        moved = (value + axis.step * far * sign for axis, value, sign in zip(self.axes, values, self.signs(number)))
        return [min(max(value, axis.least), axis.most) for axis, value in zip(self.axes, moved)]

    def _steps(self, number: int) -> float:
        return math.pow(self.comparisons / (number + 1), STEPS_FALL)

    def _rate(self, number: int) -> float:
        before = SETTLING * self.comparisons
        fallen = (before + self.comparisons) / (before + number + 1)
        return RATE / math.sqrt(self.comparisons) * math.pow(fallen, MOVES_FALL)


@dataclass(frozen=True)
class SearchPlan(BasePlan):
    """All that the outcome follows from: `nodes` are of a move in the `games` of the climb, which `hours` may have
    chosen."""

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
    def parameters(self) -> SearchParameters:
        """Those of now, in whole numbers."""
        return SearchParameters(*(round(value) for value in self.values))

    @property
    def margins_path(self) -> Path:
        """The file of those, for KOGOMA_PARAMETERS."""
        return self._folder / MARGINS_FILE

    def pairs(self) -> range:
        """The numbers of the next iteration's pairs."""
        return range(self.done * PAIRS, (self.done + 1) * PAIRS)

    def sides(self, pair: int) -> tuple[SearchParameters, SearchParameters]:
        """Who play each other in a pair of the next iteration."""
        first, second = self.ascent.sides(self.values, pair)
        return SearchParameters(*first), SearchParameters(*second)

    def add(self, outcomes: list[float]) -> None:
        """The next iteration, with an outcome for each pair. DataError."""
        values = self.values
        for pair, outcome in zip(self.pairs(), outcomes, strict=True):
            values = self.ascent.moved(values, pair, outcome)
        line = {"iteration": self.done + 1, "outcomes": outcomes, "values": values}
        with told_as(DataError, f"write in {self._folder}"):
            with Journal(self._folder / NAME) as journal:
                journal.add(line)
            self.values, self.done = values, self.done + 1
            self._keep_margins()

    def _keep_margins(self) -> None:
        text = json.dumps(self.parameters._asdict(), indent=2) + "\n"
        replace_file(self.margins_path, text.encode())

    def table(self) -> str:
        """What has become of each margin, for people."""
        lines = [f"{'parameter':<18}{'before':>8}{'now':>8}{'steps':>8}"]
        for axis, value, now in zip(self.ascent.axes, self.values, self.parameters):
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


def axes_from(start: SearchParameters = PARAMETERS) -> tuple[Axis, ...]:
    """One for each margin, in their order."""
    return tuple(Axis(name, value, *RANGES[name]) for name, value in start._asdict().items())


def play_game(variant: str, opening: Opening, black: SearchParameters, white: SearchParameters, nodes: int) -> int:
    """Who wins: 1 Black, -1 White, 0 nobody. Needs a tuning build (`search.parameters.values`)."""
    game = find(variant)
    position, players = new_position(game, opening.start), _players(game)
    for usi in opening.book:
        position.push(usi)
    for player, parameters in zip(players, (black, white)):
        assert isinstance(player.worker, TuningWorker)
        player.worker.use(parameters)
        player.forget()
    limit = longest_game(game)
    while (end := position.outcome()) is None and position.ply < limit:
        if position.may_declare():
            return _points(position.turn)
        score, move = players[position.turn].search(position, nodes)
        if abs(score) > MOST_SCORE:
            return _points(position.turn if score > 0 else 1 - position.turn)
        position.push(position.usi(move))
    return 0 if end is None or end.winner is None else _points(end.winner)


def _points(winner: int) -> int:
    return -1 if winner else 1


_kept = threading.local()


def _players(variant: Variant) -> Players:
    """This process's players of a game."""
    known: dict[str, Players] = _kept.__dict__
    if variant.name not in known:
        known[variant.name] = Thinker(variant), Thinker(variant)
    return known[variant.name]


def tune_search(given: argparse.Namespace, folder: Path) -> Verdict | None:
    """The command; None after an interruption of the match. WordsError, DataError, WorkError."""
    plan = _plan(given, folder)
    tuning = _SearchTuning(plan, folder, given.concurrency or os.cpu_count() or 1)
    course = tuning.climb()
    print(course.table(), flush=True)
    if course.parameters == PARAMETERS:
        return Verdict(False, "the climb came back to where it began")
    verdict = tuning.hold_match(course)
    if verdict is not None and verdict.stronger:
        values = zip(SearchParameters._fields, course.parameters, PARAMETERS)
        changed = [f"{name} {new}" for name, new, old in values if new != old]
        return Verdict(True, f"{verdict.reason}: to keep them, write into {SOURCE}: {', '.join(changed)}")
    return verdict


def _plan(given: argparse.Namespace, folder: Path) -> SearchPlan:
    for name in OTHERS:
        if getattr(given, name) is not None:
            raise WordsError(f"--{name} is not for --search")
    if given.variant.die:
        raise WordsError(f"--search: the search of {given.variant.name} has no parameters")
    if given.hours is not None and given.games is not None:
        raise WordsError("--hours chooses the games: without --games")
    there = load_plan(folder)
    plan = planned(given, folder, there, SearchPlan(given.variant.name))
    if there is not None and plan.hours and plan == replace(there, games=plan.games):
        return there  # its games were chosen already
    if there is not None and plan != there:
        raise WordsError(f"{folder} holds a search tuned otherwise: --resume goes on with it, --data begins anew")
    return plan


@contextmanager
def _tuning_build(parameters: Path) -> Iterator[None]:
    """The engine in this process, and in those started meanwhile, is a tuning build."""
    before = os.environ.get(GIVEN)
    os.environ[GIVEN] = str(parameters.resolve())
    try:
        yield
    finally:
        if before is None:
            del os.environ[GIVEN]
        else:
            os.environ[GIVEN] = before


@dataclass
class _SearchTuning:
    plan: SearchPlan
    folder: Path
    concurrency: int

    @property
    def variant(self) -> Variant:
        return find(self.plan.variant)

    def climb(self) -> Course:
        """Play what is left of the climb. DataError; WorkError."""
        file, _ = openings_for(self.variant, OPENINGS, self.folder)
        openings = load_openings(file, self.variant)
        if self.plan.hours and load_plan(self.folder) is None:
            seconds = self._trial(openings)
            games = int(CLIMB_SHARE * 3600 * self.plan.hours * self.concurrency / seconds)
            self.plan = replace(self.plan, games=max(games // GAMES, 1) * GAMES)
            say(f"{self.plan.games:,} games chosen for {self.plan.hours:g} h here")
        course = Course(self.plan, self.folder)
        iterations = self.plan.iterations
        if course.done < iterations:
            say(
                f"{self.plan.variant}, seed {self.plan.seed}: {iterations * GAMES:,} games at {self.plan.nodes:,} nodes"
            )
            shown = progress(iterations * GAMES, course.done * GAMES, "games")
            with self._at_work(course.margins_path) as workers, shown:
                while course.done < iterations:
                    course.add(self._iteration(course, openings, workers))
                    shown.add(GAMES)
        say(f"{self.folder}: {iterations * GAMES:,} games, complete")
        return course

    @contextmanager
    def _at_work(self, parameters: Path) -> Iterator[Callers]:
        with _tuning_build(parameters):
            warmup(say, self.variant)
            with at_work(None, self.concurrency) as workers:
                yield workers

    def _iteration(self, course: Course, openings: list[Opening], workers: Callers) -> list[float]:
        """The outcome of each of the next pairs, for its first side: from 1 to -1."""
        pairs = course.pairs()

        def play(number: int) -> Future[int]:
            pair = pairs[number // 2]
            opening = random.Random(f"{course.ascent.seed} opening {pair}").choice(openings)
            black, white = course.sides(pair)
            if number % 2:
                black, white = white, black
            return workers.call(play_game, self.plan.variant, opening, black, white, self.plan.nodes)

        points = [0] * (2 * len(pairs))
        for number, result in finished("game", iter(range(len(points))), play, workers, {}):
            points[number] = -result if number % 2 else result
        return [(points[index] + points[index + 1]) / 2 for index in range(0, len(points), 2)]

    def _trial(self, openings: list[Opening]) -> float:
        """Seconds that a game takes a worker while all are at work."""
        parameters = self.folder / "trial.json"
        parameters.write_text("{}\n", encoding="utf-8")
        with self._at_work(parameters) as workers:

            def play(number: int) -> Future[int]:
                opening = openings[number % len(openings)]
                return workers.call(play_game, self.plan.variant, opening, PARAMETERS, PARAMETERS, self.plan.nodes)

            rounds = []
            for _ in range(2):  # in the first one the processes start
                started = time.monotonic()
                list(finished("trial game", iter(range(GAMES * self.concurrency)), play, workers, {}))
                rounds.append((time.monotonic() - started) / GAMES)
        return rounds[1]

    def hold_match(self, course: Course) -> Verdict | None:
        """New parameters against those of now, in no more games than the climb had; None after an interruption."""
        plan = self.plan
        match = replace(plan, games=min(DEFAULT.games, plan.iterations * GAMES))
        path = course.margins_path
        say(f"match: at most {match.games:,} games at {match.match_nodes:,} nodes")
        candidate = GIVEN, str(path.resolve())
        return hold(settings_of(match, candidate, [path.read_bytes()], self.folder, self.concurrency))
