"""Plays the chunks that a folder lacks, several at a time: in processes of this machine, or on a cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple, Protocol, TypeVar

from kogoma.lab.match.runner import WorkError, Workers, finished
from kogoma.lab.tune.selfplay import Recipe, head_of, play_chunk
from kogoma.lab.tune.store import DataError, compare, write

TRIAL_POSITIONS = 500  # that each worker plays before anything is begun, to tell how long the rest will take

Result = TypeVar("Result")


class Pace(NamedTuple):
    """How fast a worker is while all of them are at work: seconds a position, and positions a game."""

    seconds: float
    game: float


class Callers(Workers, Protocol):
    """Where chunks are played."""

    def call(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Have a function called."""

    def close(self, abandon: bool) -> None:
        """End all work."""


class Processes:
    """Worker processes of this machine, which end with this one however it ends. WorkError if none can be started."""

    worker_errors: tuple[type[BaseException], ...] = ()

    def __init__(self, concurrency: int) -> None:
        self.concurrency = concurrency
        context = multiprocessing.get_context("spawn")
        ours, self._lifeline = context.Pipe(duplex=False)
        try:
            self._pool = ProcessPoolExecutor(concurrency, context, initializer=_begin, initargs=(ours,))
        except OSError as error:  # of the semaphores, which Linux keeps in /dev/shm; some containers lock it
            where = "/dev/shm" if sys.platform == "linux" else "shared memory"
            raise WorkError(f"worker processes need to write to {where}: {error.strerror}") from None

    def call(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Have a function called."""
        return self._pool.submit(function, *arguments)

    def close(self, abandon: bool) -> None:
        """End the processes, at once if their work is abandoned."""
        if abandon:
            self._lifeline.close()
        self._pool.shutdown(cancel_futures=True)
        self._lifeline.close()


def _begin(lifeline: Connection) -> None:
    """A worker's start: Ctrl-C is the starter's business, and when that has gone, so does the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Connection) -> None:
    try:
        lifeline.recv()
    except (EOFError, OSError):
        os._exit(1)


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
    DataError; TooFewOpenings."""
    head = head_of(recipe)
    try:
        for number, chunk in finished(
            "chunk", iter(numbers), lambda number: workers.call(play_chunk, recipe, number), workers, {}
        ):
            compare(chunk.head, {**head, "chunk": number}, f"chunk {number}, as a worker played it,")
            write(folder, number, chunk)
            on_chunk(len(chunk))
    except WorkError as error:
        raise DataError(str(error)) from None
    except BrokenProcessPool:
        raise DataError("a worker process has gone (no memory left?); the same command goes on") from None
