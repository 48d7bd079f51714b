"""`tune VARIANT --search`: tune the search parameters by SPSA, then test them in a match against the current ones.

The journal `spsa.jsonl` has a head with the plan, then one line for each iteration: the outcomes of its pairs of games
and the values after it. An interrupted run resumes after the last line. `parameters.json` has the current values,
rounded, in the format that engines read.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from kogoma.console.arguments import CommandLineError
from kogoma.lab.journals.journal import Journal, first_line, raising
from kogoma.lab.journals.match_journal import RecordError, load_line
from kogoma.lab.match.openings import Opening, load_openings
from kogoma.lab.match.runner import finished
from kogoma.lab.match.workers import Callers, open_workers
from kogoma.lab.tune.acceptance_match import Verdict, openings_for, play_acceptance_match, settings_of
from kogoma.lab.tune.plan import DEFAULT, BasePlan, plan_from_options
from kogoma.lab.tune.progress import progress, say
from kogoma.lab.tune.selfplay import MAX_SCORE, FixedNodesPlayer, engine_digest, longest_game, weights_digest
from kogoma.lab.tune.store import DataError, compare
from kogoma.output_file import reason, write_file
from kogoma.rules.custom.writer import definition_digest
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant, find
from kogoma.search.library import warmup
from kogoma.search.parameters import GIVEN, SearchParameters, parameters_of

ALPHA, GAMMA = 0.602, 0.101  # Spall's exponents of the step gain a_k and of the perturbation gain c_k
STABILITY = 0.1  # Spall's stability constant A, as a share of all comparisons
DRIFT = 0.8  # approximate distance that noise alone moves a parameter during a run, in perturbations
NAME, PARAMETERS_FILE = "spsa.jsonl", "parameters.json"
FORMAT = 1
PAIRS = 2  # pairs of games in an iteration; each pair has its own random signs
GAMES = 2 * PAIRS
# Name: minimum, maximum, perturbation at the end of a run. A perturbation must be large enough to change results of
# games, and small enough that playing strength is about linear within it.
RANGES: dict[str, tuple[int, int, int]] = {
    "window": (10, 300, 15),
    "razoring": (100, 2000, 100),
    "reverse_futility": (40, 800, 40),
    "improving": (1, 600, 40),
    "null_margin": (1, 1000, 60),
    "null_base": (1024, 5120, 200),
    "null_depth": (64, 640, 30),
    "null_divisor": (50, 3000, 50),
    "late_moves": (1, 20, 1),
    "futility": (1, 1000, 40),
    "futility_ply": (10, 800, 30),
    "history_pruning": (200, 12000, 500),
    "see_quiet": (5, 400, 20),
    "see_tactical": (20, 800, 40),
    "singular": (1, 20, 1),
    "reduction": (120, 320, 15),
    "reduction_base": (1, 1536, 150),
    "reduction_null_window": (1, 3072, 250),
    "reduction_cut_node": (1, 3072, 250),
    "reduction_improving": (1, 3072, 250),
    "reduction_gives_check": (1, 3072, 250),
    "reduction_in_check": (1, 3072, 250),
    "reduction_tactical": (1, 3072, 250),
    "history_reduction": (1500, 30000, 1500),
    "history_bonus": (4, 100, 5),
    "delta": (50, 1200, 60),
}
OPENINGS = 200  # minimum number; independent of the number of games, so that a resumed run has the same openings
TRIALS = 4  # iterations that are timed for `--hours`
SPSA_SHARE = 0.8  # share of `--hours` for SPSA; the rest is for the match
UNUSED_OPTIONS = ("positions", "cluster", "only", "output", "date")  # options that `--search` refuses
SOURCE = "search/parameters.py"


@dataclass(frozen=True)
class Parameter:
    """A number to tune: its start value, its bounds, and its perturbation in the last comparison."""

    name: str
    start: int
    minimum: int
    maximum: int
    perturbation: int


@dataclass(frozen=True)
class Spsa:
    """Simultaneous perturbation stochastic approximation (SPSA) with a fixed number of noisy comparisons.

    A comparison perturbs every parameter at once, up or down by a random sign; the second side gets the opposite
    signs. A step then moves all parameters along the gradient that the outcome estimates. Two gain sequences shrink
    with k, the index of the comparison from 0: c_k scales the perturbations, a_k the steps. All random numbers follow
    from `seed` and k. After J. C. Spall: Implementation of the simultaneous perturbation algorithm for stochastic
    optimization (1998), whose exponents are used; and Multivariate stochastic approximation using a simultaneous
    perturbation gradient approximation (1992).
    """

    parameters: tuple[Parameter, ...]
    comparisons: int
    seed: str

    def perturbation_signs(self, number: int) -> list[int]:
        """Return +1 or -1 for each parameter: the signs of the first side's perturbation in comparison `number`."""
        rng = random.Random(f"{self.seed} signs {number}")
        return [rng.choice((1, -1)) for _ in self.parameters]

    def perturbed_values(self, values: Sequence[float], number: int) -> tuple[list[int], list[int]]:
        """Return the parameters of both sides in comparison `number`, as whole numbers. Each value is rounded up or
        down at random, so that its mean is preserved; both sides use the same random number."""
        rng = random.Random(f"{self.seed} rounding {number}")
        found: tuple[list[int], list[int]] = [], []
        for parameter, value, sign in zip(self.parameters, values, self.perturbation_signs(number)):
            delta, chance = sign * parameter.perturbation * self._perturbation_gain(number), rng.random()
            for side, perturbed in zip(found, (value + delta, value - delta)):
                side.append(min(max(math.floor(perturbed + chance), parameter.minimum), parameter.maximum))
        return found

    def updated_values(self, values: Sequence[float], number: int, outcome: float) -> list[float]:
        """Return the values of the parameters after the step for comparison `number`. `outcome` is from 1 (the first
        side won all games) to -1 (it lost all games)."""
        step = self._step_gain(number) * outcome / self._perturbation_gain(number)
        return [
            min(max(value + parameter.perturbation * step * sign, parameter.minimum), parameter.maximum)
            for parameter, value, sign in zip(self.parameters, values, self.perturbation_signs(number))
        ]

    def _perturbation_gain(self, number: int) -> float:
        """Return SPSA's c_k for comparison k = `number`: the factor for all perturbations, which is 1 in the last
        comparison."""
        return math.pow(self.comparisons / (number + 1), GAMMA)

    def _step_gain(self, number: int) -> float:
        """Return SPSA's a_k for comparison k = `number`. Multiplied by the outcome and divided by c_k, it is the step
        of each parameter, in units of the parameter's perturbation."""
        stability = STABILITY * self.comparisons
        decay = (stability + self.comparisons) / (stability + number + 1)
        return DRIFT / math.sqrt(self.comparisons) * math.pow(decay, ALPHA)


@dataclass(frozen=True)
class SearchPlan(BasePlan):
    """The plan of a `--search` run: SPSA plays `games` games with `nodes` nodes per move."""

    @property
    def iterations(self) -> int:
        """The number of iterations that SPSA needs for `games` games, rounded up."""
        return -(-self.games // GAMES)

    @property
    def match_games(self) -> int:
        """The maximum number of games of the match. It is the number of SPSA's games or, if `hours` is set, as many
        games as fit into the share of the hours that SPSA does not use."""
        part = 1 / SPSA_SHARE - 1 if self.hours else 1
        pairs = round(self.iterations * PAIRS * part)
        return min(DEFAULT.games, 2 * max(pairs, 1))

    def spsa(self) -> Spsa:
        """Return the SPSA optimiser that the plan describes."""
        return Spsa(parameters_to_tune(find(self.variant)), self.iterations * PAIRS, f"spsa {self.variant} {self.seed}")


class SpsaRun:
    """An SPSA run whose journal is in a folder. `values` are the current parameters, `done` is the number of finished
    iterations. Creating it raises DataError if the journal is damaged or has another plan."""

    def __init__(self, plan: SearchPlan, folder: Path) -> None:
        self.plan, self._folder, self.spsa = plan, folder, plan.spsa()
        self.values = [float(parameter.start) for parameter in self.spsa.parameters]
        self.done = 0
        path = folder / NAME
        head, lines = _head(plan), list[dict[str, Any]]()

        def take(number: int, line: bytes) -> bool:
            lines.append(_parsed(path, line))
            if number == 1:
                compare(lines[0], head, path)
            return True

        try:
            with Journal(path) as journal:
                if not journal.read(take):
                    journal.add(head)
            if len(lines) > 1:
                self.done, self.values = lines[-1]["iteration"], lines[-1]["values"]
            if self.done != max(len(lines) - 1, 0) or len(self.values) != len(self.spsa.parameters):
                raise DataError(f"{path} is damaged: lines are missing")
            self._write_parameters()
        except OSError as error:
            raise DataError(f"cannot write {path}: {reason(error)}") from None
        except (KeyError, TypeError, ValueError, OverflowError):
            raise DataError(f"{path} is damaged: its last line is not an iteration") from None

    @property
    def parameters(self) -> SearchParameters:
        """The current values as search parameters, rounded to whole numbers."""
        return SearchParameters(*(round(value) for value in self.values))

    @property
    def parameters_path(self) -> Path:
        """The path of the file with the current parameters, which engines read if KOGOMA_PARAMETERS is set to this
        path."""
        return self._folder / PARAMETERS_FILE

    def pairs(self) -> range:
        """Return the numbers of the pairs of games that the next iteration plays."""
        return range(self.done * PAIRS, (self.done + 1) * PAIRS)

    def sides(self, pair: int) -> tuple[SearchParameters, SearchParameters]:
        """Return the search parameters of the two players of the pair `pair`, which belongs to the next iteration."""
        first, second = self.spsa.perturbed_values(self.values, pair)
        return SearchParameters(*first), SearchParameters(*second)

    def add(self, outcomes: list[float]) -> None:
        """Finish an iteration: change the values by the outcomes of its pairs, and append a line to the journal. Raises
        DataError if a file cannot be written."""
        values = self.values
        for pair, outcome in zip(self.pairs(), outcomes, strict=True):
            values = self.spsa.updated_values(values, pair, outcome)
        with raising(DataError, f"write in {self._folder}"):
            with Journal(self._folder / NAME) as journal:
                journal.add({"iteration": self.done + 1, "outcomes": outcomes, "values": values})
            self.values, self.done = values, self.done + 1
            self._write_parameters()

    def _write_parameters(self) -> None:
        text = json.dumps(self.parameters._asdict(), indent=2) + "\n"
        write_file(self.parameters_path, text.encode())

    def table(self) -> str:
        """Return a text table of the parameters: start value, current value, and the difference in units of the
        perturbation."""
        lines = [f"{'parameter':<18}{'before':>7}{'now':>7}{'steps':>8}"]
        for parameter, value, now in zip(self.spsa.parameters, self.values, self.parameters):
            steps = (value - parameter.start) / parameter.perturbation
            lines.append(f"{parameter.name:<18}{parameter.start:>7}{now:>7}{steps:>+8.2f}")
        return "\n".join(lines)


def load_plan(folder: Path) -> SearchPlan | None:
    """Return the plan of the SPSA run in a folder, or None if the folder has no run. Raises DataError if the plan
    cannot be read."""
    path = folder / NAME
    with raising(DataError, f"read {path}"):
        line = first_line(path)
    try:
        return None if line is None else SearchPlan(**_parsed(path, line)["plan"])
    except (KeyError, TypeError):
        raise DataError(f"{path} is damaged: its first line is not a plan") from None


def _head(plan: SearchPlan) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "plan": asdict(plan),
        **definition_digest(find(plan.variant)),
        "parameters": [list(asdict(parameter).values()) for parameter in plan.spsa().parameters],
        "engine": engine_digest(),
        "weights": weights_digest(find(plan.variant)),
    }


def _parsed(path: Path, line: bytes) -> dict[str, Any]:
    try:
        return load_line(line)
    except RecordError:
        raise DataError(f"{path} is damaged: a line is not a JSON object") from None


def parameters_to_tune(variant: Variant) -> tuple[Parameter, ...]:
    """Return the parameters to tune, in the order of SearchParameters. They start at the values of `variant`."""
    return tuple(Parameter(name, value, *RANGES[name]) for name, value in parameters_of(variant)._asdict().items())


def play_game(variant: str, opening: Opening, black: SearchParameters, white: SearchParameters, nodes: int) -> int:
    """Play a game and return 1 if Black wins, -1 if White wins, 0 for a draw. A search score beyond MAX_SCORE ends the
    game as a win of the better side."""
    game = find(variant)
    position, players = new_position(game, opening.start), _players(game, threading.get_ident())
    for usi in opening.book:
        position.push(usi)
    for player, parameters in zip(players, (black, white)):
        player.driver.main.parameters = parameters
        player.forget()
    limit = longest_game(game)
    while (end := position.outcome()) is None and position.ply < limit:
        if position.may_declare():
            return _points(position.turn)
        score, move = players[position.turn].search(position, nodes)
        if abs(score) > MAX_SCORE:
            return _points(position.turn if score > 0 else 1 - position.turn)
        position.push(position.usi(move))
    return 0 if end is None or end.winner is None else _points(end.winner)


def _points(winner: int) -> int:
    return -1 if winner else 1


@cache
def _players(variant: Variant, thread: int) -> tuple[FixedNodesPlayer, FixedNodesPlayer]:
    """Return two players for a variant. Results are cached, so that each `thread` keeps players of its own."""
    return FixedNodesPlayer(variant), FixedNodesPlayer(variant)


def tune_search(given: argparse.Namespace, folder: Path) -> Verdict | None:
    """Run `tune --search`. Return the verdict of the match between the tuned and the current search parameters, or None
    after an interruption. Raises CommandLineError for options that cannot be combined, DataError for bad files,
    WorkError if a worker fails."""
    plan = _plan(given, folder)
    tuning = _SearchTuning(plan, folder, given.concurrency or os.cpu_count() or 1)
    run = tuning.optimise()
    print(run.table(), flush=True)
    before = parameters_of(tuning.variant)
    if run.parameters == before:
        return Verdict(False, "SPSA ended at the current parameters")
    verdict = tuning.play_match(run)
    if verdict is not None and verdict.stronger:
        values = zip(SearchParameters._fields, run.parameters, before)
        changed = [f"{name} {new}" for name, new, old in values if new != old]
        return Verdict(True, f"{verdict.reason}: to keep them, set in {SOURCE}: {', '.join(changed)}")
    return verdict


def _plan(given: argparse.Namespace, folder: Path) -> SearchPlan:
    for name in UNUSED_OPTIONS:
        if getattr(given, name) is not None:
            raise CommandLineError(f"--{name} cannot be used with --search")
    if given.variant.die:
        raise CommandLineError(f"--search does not support {given.variant.name}: its search has no parameters")
    if given.hours is not None and given.games is not None:
        raise CommandLineError("--hours cannot be used with --games, because --hours sets the number of games")
    there = load_plan(folder)
    plan = plan_from_options(given, folder, there, SearchPlan(given.variant.name))
    if there is not None and plan.hours and plan == replace(there, games=plan.games):
        return there  # the number of games was set at the first start
    if there is not None and plan != there:
        raise CommandLineError(
            f"{folder} has a run with another plan: --resume continues it, --data names another folder"
        )
    return plan


@dataclass
class _SearchTuning:
    plan: SearchPlan
    folder: Path
    concurrency: int

    @property
    def variant(self) -> Variant:
        return find(self.plan.variant)

    def optimise(self) -> SpsaRun:
        """Play the remaining iterations of SPSA and return the finished run. Raises DataError for a bad file, WorkError
        if a worker fails."""
        file, _ = openings_for(self.variant, OPENINGS, self.folder)
        openings = load_openings(file, self.variant)
        if self.plan.hours and load_plan(self.folder) is None:
            started = time.monotonic()
            seconds = self._trial(openings)
            left = 3600 * self.plan.hours - (time.monotonic() - started)
            iterations = int(SPSA_SHARE * left / seconds)
            self.plan = replace(self.plan, games=max(iterations, 1) * GAMES)
            say(f"{self.plan.games:,} games fit in {self.plan.hours:g} h on this machine")
        run = SpsaRun(self.plan, self.folder)
        iterations = self.plan.iterations
        if run.done < iterations:
            say(
                f"{self.plan.variant}, seed {self.plan.seed}: {iterations * GAMES:,} games at {self.plan.nodes:,} nodes"
            )
            shown = progress(iterations * GAMES, run.done * GAMES, "games")
            warmup(say, self.variant)
            with open_workers(None, self.concurrency) as workers, shown:
                while run.done < iterations:
                    run.add(self._iteration(run, openings, workers))
                    shown.add(GAMES)
        say(f"{self.folder}: {iterations * GAMES:,} games, complete")
        return run

    def _iteration(self, run: SpsaRun, openings: list[Opening], workers: Callers) -> list[float]:
        """Play the pairs of the next iteration. Return the outcome of each pair for its first side, from -1 to 1."""
        pairs = run.pairs()

        def play(number: int) -> Future[int]:
            pair = pairs[number // 2]
            opening = random.Random(f"{run.spsa.seed} opening {pair}").choice(openings)
            black, white = run.sides(pair)
            if number % 2:
                black, white = white, black
            return workers.call(play_game, self.plan.variant, opening, black, white, self.plan.nodes)

        points = [0] * (2 * len(pairs))
        for number, result in finished("game", iter(range(len(points))), play, workers, {}):
            points[number] = -result if number % 2 else result
        return [(points[index] + points[index + 1]) / 2 for index in range(0, len(points), 2)]

    def _trial(self, openings: list[Opening]) -> float:
        """Return the seconds that an iteration takes, measured in TRIALS iterations. The speed of single games does not
        determine this time, because an iteration waits for its slowest game."""
        parameters = parameters_of(self.variant)
        warmup(say, self.variant)
        with open_workers(None, self.concurrency) as workers:

            def play(number: int) -> Future[int]:
                opening = openings[number % len(openings)]
                return workers.call(play_game, self.plan.variant, opening, parameters, parameters, self.plan.nodes)

            # This first round is not timed, because it also starts the processes.
            list(finished("trial game", iter(range(GAMES)), play, workers, {}))
            started = time.monotonic()
            for number in range(TRIALS):
                games = range(number * GAMES, (number + 1) * GAMES)
                list(finished("trial game", iter(games), play, workers, {}))
        return (time.monotonic() - started) / TRIALS

    def play_match(self, run: SpsaRun) -> Verdict | None:
        """Play a match of the tuned parameters against the current ones, with at most `match_games` games. Return the
        verdict, or None if the match was interrupted."""
        match = replace(self.plan, games=self.plan.match_games)
        path = run.parameters_path
        say(f"match: at most {match.games:,} games at {match.match_nodes:,} nodes")
        candidate = GIVEN, str(path.resolve())
        return play_acceptance_match(settings_of(match, candidate, [path.read_bytes()], self.folder, self.concurrency))
