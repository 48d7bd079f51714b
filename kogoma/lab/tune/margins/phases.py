"""`tune VARIANT --search`: the climb, game by game, then the match of its margins against those of now."""

from __future__ import annotations

import argparse
import os
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from kogoma.lab.match.openings import Opening, load_openings
from kogoma.lab.match.runner import finished
from kogoma.lab.match.words import WordsError
from kogoma.lab.match.workers import Callers, at_work
from kogoma.lab.tune.contest import Verdict, hold, openings_for, settings_of
from kogoma.lab.tune.margins.course import GAMES, Course, SearchPlan, load_plan
from kogoma.lab.tune.plan import DEFAULT
from kogoma.lab.tune.progress import progress
from kogoma.lab.tune.selfplay import MOST_SCORE, Thinker, longest_game
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant, find
from kogoma.search.library import warmup
from kogoma.search.margins.values import GIVEN, MARGINS, Margins
from kogoma.search.tuning_worker import TuningWorker

Players = tuple[Thinker, Thinker]
OPENINGS = 200  # at least, however many games there are: those of a course must not change
CLIMB_SHARE = 0.8  # of the hours; the rest is for the match
SHARED = ("seed", "nodes", "games", "match_nodes", "elo0", "elo1", "hours")  # options
OTHERS = ("positions", "cluster", "only", "output", "date")  # options that a search has no use for
SOURCE = "search/margins/values.py"


def play_game(variant: str, opening: Opening, black: Margins, white: Margins, nodes: int) -> int:
    """Who wins: 1 Black, -1 White, 0 nobody. Needs a tuning build (`search.margins.values`)."""
    game = find(variant)
    position, players = new_position(game, opening.start), _players(game)
    for usi in opening.book:
        position.push(usi)
    for player, margins in zip(players, (black, white)):
        assert isinstance(player.worker, TuningWorker)
        player.worker.use(margins)
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
    if course.margins == MARGINS:
        return Verdict(False, "the climb came back to where it began")
    verdict = tuning.hold_match(course)
    if verdict is not None and verdict.stronger:
        changed = [f"{name} {value}" for name, value in course.margins._asdict().items() if value != _shipped(name)]
        return Verdict(True, f"{verdict.reason}: to keep them, write into {SOURCE}: {', '.join(changed)}")
    return verdict


def _shipped(name: str) -> int:
    return int(getattr(MARGINS, name))


def _plan(given: argparse.Namespace, folder: Path) -> SearchPlan:
    for name in OTHERS:
        if getattr(given, name) is not None:
            raise WordsError(f"--{name} is not for --search")
    if given.variant.die:
        raise WordsError(f"--search: the search of {given.variant.name} has no margins")
    there = load_plan(folder)
    if given.resume and there is None:
        raise WordsError(f"{folder}: there is nothing to resume")
    if there is not None and there.variant != given.variant.name:
        raise WordsError(f"{folder} belongs to {there.variant}")
    if given.hours is not None and given.games is not None:
        raise WordsError("--hours chooses the games: without --games")
    chosen = {name: value for name in SHARED if (value := getattr(given, name)) is not None}
    plan = replace(there if given.resume and there is not None else SearchPlan(given.variant.name), **chosen)
    if not plan.elo0 < plan.elo1:
        raise WordsError(f"--elo0 must be below --elo1, not {plan.elo0:g} and {plan.elo1:g}")
    if there is not None and plan.hours and plan == replace(there, games=plan.games):
        return there  # its games were chosen already
    if there is not None and plan != there:
        raise WordsError(f"{folder} holds a search tuned otherwise: --resume goes on with it, --data begins anew")
    return plan


@contextmanager
def _tuning_build(margins: Path) -> Iterator[None]:
    """The engine in this process, and in those started meanwhile, is a tuning build."""
    before = os.environ.get(GIVEN)
    os.environ[GIVEN] = str(margins.resolve())
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
            _say(f"{self.plan.games:,} games chosen for {self.plan.hours:g} h here")
        course = Course(self.plan, self.folder)
        iterations = self.plan.iterations
        if course.done < iterations:
            _say(
                f"{self.plan.variant}, seed {self.plan.seed}: {iterations * GAMES:,} games at {self.plan.nodes:,} nodes"
            )
            shown = progress(iterations * GAMES, course.done * GAMES, "games")
            with self._at_work(course.margins_path) as workers, shown:
                while course.done < iterations:
                    course.add(self._iteration(course, openings, workers))
                    shown.add(GAMES)
        _say(f"{self.folder}: {iterations * GAMES:,} games, complete")
        return course

    @contextmanager
    def _at_work(self, margins: Path) -> Iterator[Callers]:
        with _tuning_build(margins):
            warmup(_say, self.variant)
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
        margins = self.folder / "trial.json"
        margins.write_text("{}\n", encoding="utf-8")
        with self._at_work(margins) as workers:

            def play(number: int) -> Future[int]:
                opening = openings[number % len(openings)]
                return workers.call(play_game, self.plan.variant, opening, MARGINS, MARGINS, self.plan.nodes)

            rounds = []
            for _ in range(2):  # in the first one the processes start
                started = time.monotonic()
                list(finished("trial game", iter(range(GAMES * self.concurrency)), play, workers, {}))
                rounds.append((time.monotonic() - started) / GAMES)
        return rounds[1]

    def hold_match(self, course: Course) -> Verdict | None:
        """New margins against those of now, in no more games than the climb had; None after an interruption."""
        plan = self.plan
        match = replace(
            DEFAULT,
            variant=plan.variant,
            seed=plan.seed,
            games=min(DEFAULT.games, plan.iterations * GAMES),
            match_nodes=plan.match_nodes,
            elo0=plan.elo0,
            elo1=plan.elo1,
        )
        path = course.margins_path
        _say(f"match: at most {match.games:,} games at {match.match_nodes:,} nodes")
        return hold(
            settings_of(match, (GIVEN, str(path.resolve())), [path.read_bytes()], self.folder, self.concurrency)
        )


def _say(text: str) -> None:
    print(text, flush=True)
