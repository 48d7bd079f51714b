"""Live engines, kept from game to game: each thread that plays has its own."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Sequence

from kogoma.lab.engines.base import Engine, EngineSpec
from kogoma.lab.engines.factory import make_engine
from kogoma.lab.engines.own import resolve
from kogoma.lab.match.play import Abandoned, GameJob, play_game
from kogoma.lab.records.record import GameRecord

MAX_LIVE = 6  # engines alive per thread: in a large tournament those used least recently are ended


class EnginePool:
    """Plays games, each on the thread that calls `play`, with engines of that thread."""

    def __init__(self, recover: bool) -> None:
        self._recover = recover
        self._threads = threading.local()
        self._engines: list[Engine] = []  # of all threads
        self._lock = threading.Lock()
        self._abandon = threading.Event()

    def play(self, job: GameJob) -> GameRecord:
        """Play a game with this thread's engines; Abandoned after `abandon`."""
        return play_game(job, self._pair(job), self._recover, self._abandon)

    def _pair(self, job: GameJob) -> Sequence[Engine]:
        own: dict[EngineSpec, Engine] = self._threads.__dict__.setdefault("engines", {})
        pair = []
        for spec in (job.black, job.white):
            engine = own.pop(spec, None)  # put in again below, as the one used last
            if engine is None:
                engine = make_engine(resolve(spec))
                with self._lock:
                    if self._abandon.is_set():
                        raise Abandoned
                    self._engines.append(engine)
            own[spec] = engine
            pair.append(engine)
        for spec in list(own)[:-MAX_LIVE]:
            engine = own.pop(spec)
            engine.quit()
            with self._lock:
                self._engines.remove(engine)
        return pair

    def abandon(self) -> None:
        """Stop all games, whose threads raise Abandoned."""
        with self._lock:
            self._abandon.set()
            for engine in self._engines:
                engine.kill()

    def quit(self) -> None:
        """End all engines, once no game is played any more."""
        with self._lock:
            for engine in self._engines:
                engine.quit()
            self._engines.clear()


_worker_pools: dict[bool, EnginePool] = {}  # of a cluster's worker process, by `recover`


def play_on_worker(job: GameJob, recover: bool) -> GameRecord:
    """Play a game with engines of this process, which live until it ends: the function that a cluster's workers run."""
    pool = _worker_pools.setdefault(recover, EnginePool(recover))
    return pool.play(job)


@atexit.register
def _quit_all() -> None:
    for pool in _worker_pools.values():
        pool.quit()
