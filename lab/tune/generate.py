"""Plays the chunks that a folder lacks, several at a time, each worker in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

from lab.tune.selfplay import Recipe, play_chunk
from lab.tune.store import Chunk, DataError, write

TRIAL_POSITIONS = 300  # played before anything is begun, to tell how long the rest will take


class Processes:
    """Worker processes of this machine, which end with this one however it ends. A context manager."""

    def __init__(self, count: int) -> None:
        self.count = count
        context = multiprocessing.get_context("spawn")
        ours, self._lifeline = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(count, context, initializer=_begin, initargs=(ours,))

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *what: object) -> None:
        """End the workers at once."""
        self._lifeline.close()
        self._pool.shutdown(cancel_futures=True)

    def submit(self, recipe: Recipe, number: int) -> Future[Chunk]:
        """Have a chunk played."""
        return self._pool.submit(play_chunk, recipe, number)


def _begin(lifeline: Connection) -> None:
    """A worker's start: Ctrl-C is the starter's business, and when that has gone, so does the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Connection) -> None:
    try:
        lifeline.recv()
    except (EOFError, OSError):
        os._exit(1)


def seconds_per_position(recipe: Recipe) -> float:
    """What a position takes on one processor, by a short trial."""
    play_chunk(replace(recipe, positions=1), 0)  # loads, or compiles, what is needed
    started = time.perf_counter()
    count = len(play_chunk(replace(recipe, positions=min(TRIAL_POSITIONS, recipe.positions)), 0))
    return (time.perf_counter() - started) / count


def generate(
    recipe: Recipe, folder: Path, numbers: list[int], workers: Processes, on_chunk: Callable[[int, int], None]
) -> None:
    """Play and keep the chunks of these numbers; `on_chunk` is called with each one's number and count once it is kept.
    DataError; TooFewOpenings."""
    waiting = iter(numbers)
    pending: dict[Future[Chunk], int] = {}
    try:
        while True:
            while len(pending) < workers.count and (number := next(waiting, None)) is not None:
                pending[workers.submit(recipe, number)] = number
            if not pending:
                return
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                number, chunk = pending.pop(future), future.result()
                write(folder, number, chunk)
                on_chunk(number, len(chunk))
    except BrokenProcessPool:
        raise DataError("a worker process has gone (no memory left?); --resume goes on") from None
