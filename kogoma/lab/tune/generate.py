"""Plays the chunks that a folder lacks, several at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from kogoma.lab.match.runner import finished
from kogoma.lab.match.workers import Callers
from kogoma.lab.tune.selfplay import Recipe, head_of, play_chunk
from kogoma.lab.tune.store import Chunk, DataError, compare, write

TRIAL_POSITIONS = 500  # that each worker plays before anything is begun, to tell how long the rest will take


class Pace(NamedTuple):
    """How fast a worker is while all of them are at work: seconds a position, and positions a game."""

    seconds: float
    game: float


def play_trial(recipe: Recipe, number: int) -> Pace:
    """A short trial, in a worker."""
    play_chunk(replace(recipe, positions=1), number)  # loads, or compiles, what is needed
    started = time.perf_counter()
    chunk = play_chunk(replace(recipe, positions=min(TRIAL_POSITIONS, recipe.positions)), number)
    seconds = time.perf_counter() - started
    return Pace(seconds / len(chunk), len(chunk) / (1 + int(chunk.arrays["game"][-1])))


def measure(recipe: Recipe, workers: Callers) -> Pace:
    """The pace, by a short trial of all workers at once. DataError; TooFewOpenings."""
    trials = [workers.call(play_trial, recipe, number) for number in range(workers.concurrency)]
    gone: tuple[type[BaseException], ...] = (BrokenProcessPool, *workers.worker_errors)
    try:
        found = [trial.result() for trial in trials]
    except gone as error:
        raise DataError(f"a worker has gone: {' '.join(str(error).split())}") from None
    return Pace(fmean(pace.seconds for pace in found), fmean(pace.game for pace in found))


def generate(
    recipe: Recipe, folder: Path, numbers: list[int], workers: Callers, on_chunk: Callable[[int], None]
) -> None:
    """Play and keep the chunks of these numbers; `on_chunk` is called with each one's count once it is kept.
    DataError; TooFewOpenings; WorkError."""
    head = head_of(recipe)

    def play(number: int) -> Future[Chunk]:
        return workers.call(play_chunk, recipe, number)

    for number, chunk in finished("chunk", iter(numbers), play, workers, {}):
        compare(chunk.head, {**head, "chunk": number}, f"chunk {number}, as a worker played it,")
        write(folder, number, chunk)
        on_chunk(len(chunk))
