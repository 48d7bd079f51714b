"""Who works beside this process: processes of this machine, or the workers of a dask cluster, which play a match's
games, too: https://distributed.dask.org/

A cluster's workers need the same version of this package, and the engines' commands under the same names.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Any, Protocol, TypeVar

from kogoma.lab.journals.match_journal import GameRecord
from kogoma.lab.match.play import GameJob
from kogoma.lab.match.runner import WorkError, Workers, play_on_worker

Result = TypeVar("Result")

CONNECT_SECONDS = 30  # for the scheduler to answer, and for the first worker to be there


class Callers(Workers, Protocol):
    """Those that can be called for any work."""

    def call(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Have a function called."""


@contextlib.contextmanager
def at_work(cluster: str | None, concurrency: int | None, most: int | None = None) -> Iterator[Callers]:
    """The workers of a cluster with that address, or processes of this machine: `concurrency` of them, or as there are
    processors, but `most` at most. What they still do when an exception ends it is abandoned. WorkError, also where a
    process has gone."""
    workers: Callers
    if cluster:
        workers = Cluster(cluster, concurrency)
    else:
        processes = concurrency or os.cpu_count() or 1
        workers = Processes(min(processes, most or processes))
    abandon = True
    try:
        yield workers
        abandon = False
    except BrokenProcessPool:
        raise WorkError("a worker process has gone (no memory left?); the same command goes on") from None
    finally:
        workers.close(abandon)


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


class Cluster:
    """The workers behind a scheduler's address. WorkError if it does not answer, or has no workers."""

    def __init__(self, address: str, concurrency: int | None, recover: bool = False) -> None:
        """`concurrency`: games at a time (None: one for each thread of the workers)."""
        try:
            from distributed import Client, KilledWorker
            from distributed.client import FutureCancelledError
        except ImportError:
            raise WorkError("-cluster needs the package distributed: pip install distributed") from None
        self.worker_errors: tuple[type[BaseException], ...] = (KilledWorker, CancelledError, FutureCancelledError)
        self._recover = recover
        _check_reachable(address)
        connect: Any = Client
        try:
            self._client = connect(address, timeout=CONNECT_SECONDS, set_as_default=False)
            self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except (OSError, TimeoutError) as error:
            raise WorkError(f"no cluster at {address}: {error}") from None
        self.concurrency = concurrency or sum(self._client.nthreads().values())
        self._executor = self._client.get_executor(pure=False)

    def submit(self, job: GameJob) -> Future[GameRecord]:
        """Have a game played; dask gives it to another worker if its own is lost."""
        return self.call(play_on_worker, job, self._recover)

    def call(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Have a worker call a function that its own copy of this package has, likewise."""
        future: Future[Result] = self._executor.submit(function, *arguments)
        return future

    def close(self, abandon: bool) -> None:
        """Leave the cluster; games that workers still play are ignored."""
        self._executor.shutdown(wait=not abandon)
        self._client.close()


def _check_reachable(address: str) -> None:
    """WorkError where nobody listens; dask's client alone would take a minute to notice."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdecimal():
        raise WorkError(f"-cluster {address}: expected the scheduler's address, like tcp://192.168.0.7:8786")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise WorkError(f"no cluster at {address}: {error}") from None
