"""Work done by the workers of a dask cluster, a match's games above all: https://distributed.dask.org/

Every worker needs the same version of this package, and the engines' commands under the same names.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

from kogoma.lab.match.play import GameJob
from kogoma.lab.match.pool import play_on_worker
from kogoma.lab.match.runner import WorkError
from kogoma.lab.records.record import GameRecord

Result = TypeVar("Result")

CONNECT_SECONDS = 30  # for the scheduler to answer, and for the first worker to be there


class Cluster:
    """The workers behind a scheduler's address. WorkError if it does not answer, or has no workers."""

    def __init__(self, address: str, concurrency: int | None, recover: bool) -> None:
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
