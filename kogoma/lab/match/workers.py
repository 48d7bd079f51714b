"""Workers outside this process: processes of this machine, or a dask cluster (https://distributed.dask.org/).

Workers of a cluster need the same version of this package, and the engines under the same commands.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Any, Protocol, TypeVar

from kogoma.environment import provide
from kogoma.lab.engines.base import EngineSpec
from kogoma.lab.journals.match_journal import EngineOptions, GameRecord
from kogoma.lab.match.play import GameJob
from kogoma.lab.match.runner import WorkError, Workers, play_on_worker, set_options_on_worker
from kogoma.native.processes import kill_running, signals_arrive, signals_wait
from kogoma.output_file import error_text

Result = TypeVar("Result")

CONNECT_SECONDS = 30  # for the scheduler to answer and the first worker to connect


class Callers(Workers, Protocol):
    """Workers that can call any function."""

    def call(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Have a worker call a function, and return a future of its result."""


@contextlib.contextmanager
def open_workers(cluster: str | None, concurrency: int | None, most: int | None = None) -> Iterator[Callers]:
    """Yield workers: those of a cluster, or processes of this machine. There are `concurrency` processes (None: one per
    processor), but at most `most`. If the block raises an exception, unfinished work is abandoned. Raises WorkError if
    the cluster has no workers, or if a process is killed."""
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
        raise WorkError("a worker process was killed (out of memory?); run the same command again") from None
    finally:
        workers.close(abandon)


class Processes:
    """Worker processes of this machine, which end together with this process. Raises WorkError if none can be
    started."""

    worker_errors: tuple[type[BaseException], ...] = ()

    def __init__(self, concurrency: int) -> None:
        self.concurrency = concurrency
        context = multiprocessing.get_context("spawn")
        ours, self._lifeline = context.Pipe(duplex=False)
        try:
            self._pool = ProcessPoolExecutor(concurrency, context, initializer=_begin, initargs=(ours,))
        except OSError as error:  # semaphores need /dev/shm, which is not writable in some containers
            where = "/dev/shm" if sys.platform == "linux" else "shared memory"
            raise WorkError(f"worker processes need to write to {where}: {error.strerror}") from None

    def call(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Have a process call a function, and return a future of its result."""
        with signals_wait():  # the first call starts the processes, which an exception would leave half started
            return self._pool.submit(function, *arguments)

    def close(self, abandon: bool) -> None:
        """End the processes, at once if `abandon` is set, otherwise after their running calls."""
        if abandon:
            self._lifeline.close()
            # In early versions of Python 3.11, `shutdown` waits for ever for a thread that writes to the processes, if
            # these have ended (CPython's issue 94777). Without a reader, the thread gets an error instead.
            pool: Any = self._pool
            if not hasattr(pool._call_queue, "_terminate_broken"):
                pool._call_queue._reader.close()
        self._pool.shutdown(cancel_futures=True)
        self._lifeline.close()


def _begin(lifeline: Connection) -> None:
    """Initialise a worker process: ignore SIGINT, and exit when the parent process closes its end of `lifeline` or
    exits. Programs that the worker is running are killed then."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signals_arrive()
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Connection) -> None:
    try:
        lifeline.recv()
    except (EOFError, OSError):
        kill_running()
        os._exit(1)


class Cluster:
    """The workers of a dask scheduler. Raises WorkError if it does not answer or has no workers."""

    def __init__(self, address: str, concurrency: int | None) -> None:
        """`concurrency` is the number of games at a time (None: one per thread of the workers)."""
        provide("cluster")
        try:
            from distributed import Client, KilledWorker
            from distributed.client import FutureCancelledError
        except ImportError:
            raise WorkError("-cluster needs the package distributed: pip install distributed") from None
        self.worker_errors: tuple[type[BaseException], ...] = (KilledWorker, CancelledError, FutureCancelledError)
        _check_reachable(address)
        if address.startswith("tls://"):
            _check_certificate(address)
        connect: Any = Client
        try:
            self._client = connect(address, timeout=CONNECT_SECONDS, set_as_default=False)
            self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except (OSError, TimeoutError) as error:
            raise WorkError(f"no cluster at {address}: {error}") from None
        self.concurrency = concurrency or sum(self._client.nthreads().values())
        self._executor = self._client.get_executor(pure=False)

    def submit(self, job: GameJob) -> Future[GameRecord]:
        """Have a worker play a game, and return a future of its record. If the worker is lost, dask gives the game to
        another one."""
        return self.call(play_on_worker, job)

    def set_options(self, specs: Sequence[EngineSpec], variant: str) -> Future[EngineOptions]:
        """Have a worker set the options of engines, and return a future of the values that were sent."""
        return self.call(set_options_on_worker, specs, variant)

    def call(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Have a worker call a function, and return a future of the result. The function must exist in the worker's
        copy of this package. If the worker is lost, dask repeats the call."""
        future: Future[Result] = self._executor.submit(function, *arguments)
        return future

    def close(self, abandon: bool) -> None:
        """Disconnect from the cluster, after waiting for unfinished work unless `abandon` is set."""
        self._executor.shutdown(wait=not abandon)
        self._client.close()


def _check_certificate(address: str) -> None:
    """Raise WorkError if dask's settings have no certificate for TLS. Without this check, dask's client would take a
    minute to end, and print a traceback."""
    from distributed import Security

    settings: Any = Security
    try:
        context = settings().get_connection_args("client").get("ssl_context")
    except OSError as error:  # SSLError is one
        raise WorkError(f"-cluster {address}: cannot read the certificate: {error_text(error)}") from None
    if context is None:
        names = ", ".join(f"DASK_DISTRIBUTED__COMM__TLS__{name}" for name in ("CA_FILE", "CLIENT__CERT", "CLIENT__KEY"))
        raise WorkError(f"-cluster {address}: no certificate; set {names}: docs/matches.md")


def _check_reachable(address: str) -> None:
    """Raise WorkError if nothing listens at the address of the scheduler. Without this check, dask's client would take
    a minute to notice."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdecimal():
        raise WorkError(f"-cluster {address}: expected the scheduler's address, like tcp://192.168.0.7:8786")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise WorkError(f"no cluster at {address}: {error}") from None
