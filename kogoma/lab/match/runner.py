"""Run the games of a match, several at a time: on threads of this process, or on the workers of a cluster.

Each game number is recorded once; a game whose worker was lost is played again.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Protocol, TypeVar

from kogoma.lab.engines import faults
from kogoma.lab.engines.base import Engine, EngineSpec
from kogoma.lab.engines.factory import make_engine, resolve
from kogoma.lab.engines.faults import EngineError, OptionError
from kogoma.lab.journals.match_journal import EngineOptions, FaultRecord, GameRecord, RecordWriter
from kogoma.lab.match.luck import LuckMeter
from kogoma.lab.match.play import Abandoned, GameJob, play_game
from kogoma.lab.match.schedule import Schedule
from kogoma.native.processes import signals_wait, terminable
from kogoma.rules.variants import find

MAX_LOSSES = 5  # lost workers of one game, after which the match ends
LONGEST_WAIT = 0.1  # maximum seconds of a wait of the main thread, which handles signals afterwards
MAX_STARTS = 2  # consecutive failed starts of an engine, after which the match ends
MAX_LIVE = 6  # running engines per thread; the least recently used are ended

Result = TypeVar("Result")


class WorkError(Exception):
    """Work cannot start or go on because workers or engines fail; the message is one line."""


class EnginePool:
    """Plays games, each on the calling thread, with engines of that thread."""

    def __init__(self) -> None:
        self._threads = threading.local()
        self._engines: list[Engine] = []  # of all threads
        self._lock = threading.Lock()
        self._abandon = threading.Event()

    def play(self, job: GameJob) -> GameRecord:
        """Play a game with this thread's engines. Raises Abandoned after a call of `abandon`."""
        if self._threads.__dict__.get("engines") and self._abandon.wait(job.wait_ms / 1000):
            raise Abandoned
        record = play_game(job, self._take((job.black, job.white)), self._abandon)
        if job.luck_depth:
            record["luck"] = self._meter(job).luck(record)
        return record

    def _meter(self, job: GameJob) -> LuckMeter:
        """Return this thread's LuckMeter of a game's variant."""
        meters: dict[tuple[str, int], LuckMeter] = self._threads.__dict__.setdefault("meters", {})
        key = (job.variant, job.luck_depth)
        if key not in meters:
            meters[key] = LuckMeter(find(job.variant), job.luck_depth)
        return meters[key]

    def set_options(self, specs: Sequence[EngineSpec], variant: str) -> EngineOptions:
        """Set the options of engines of this thread, before their first game. Return the values that were sent. Raises
        EngineError if an engine cannot be started, OptionError if it refuses an option."""
        return {spec.name: self._take([spec])[0].get_options_set(find(variant)) for spec in specs}

    def _take(self, specs: Sequence[EngineSpec]) -> Sequence[Engine]:
        """Return this thread's engines for these specs, at most two. The least recently used others may be ended."""
        running: dict[EngineSpec, Engine] = self._threads.__dict__.setdefault("engines", {})
        engines = []
        for spec in specs:
            engine = running.pop(spec, None)  # inserted again below, as the most recently used
            if engine is None:
                engine = make_engine(resolve(spec))
                with self._lock:
                    if self._abandon.is_set():
                        raise Abandoned
                    self._engines.append(engine)
            running[spec] = engine
            engines.append(engine)
        for spec in list(running)[:-MAX_LIVE]:
            engine = running.pop(spec)
            engine.quit()
            with self._lock:
                self._engines.remove(engine)
        return engines

    def abandon(self) -> None:
        """Stop all games by killing all engines. The threads that play the games raise Abandoned."""
        with self._lock:
            self._abandon.set()
            for engine in self._engines:
                engine.kill()

    def quit(self) -> None:
        """End the engines of all threads. Call it after the last game."""
        with self._lock:
            for engine in self._engines:
                engine.quit()
            self._engines.clear()


_worker_pool = EnginePool()  # used if this process is a worker of a cluster
atexit.register(_worker_pool.quit)


def play_on_worker(job: GameJob) -> GameRecord:
    """Play a game in this process, which is a worker of a cluster. Its engines run until the process exits."""
    return _worker_pool.play(job)


def set_options_on_worker(specs: Sequence[EngineSpec], variant: str) -> EngineOptions:
    """Set the options of engines of this process, which is a worker of a cluster."""
    return _worker_pool.set_options(specs, variant)


class Workers(Protocol):
    """Workers that run `concurrency` jobs at a time. A job whose worker is lost raises one of `worker_errors`."""

    concurrency: int
    worker_errors: tuple[type[BaseException], ...]

    def close(self, abandon: bool) -> None:
        """End the workers. If `abandon` is set, drop unfinished work, otherwise wait for it."""


class Workplace(Workers, Protocol):
    """Workers that play games."""

    def submit(self, job: GameJob) -> Future[GameRecord]:
        """Have a worker play a game, and return a future of its record."""

    def set_options(self, specs: Sequence[EngineSpec], variant: str) -> Future[EngineOptions]:
        """Have a worker set the options of engines, and return a future of the values that were sent."""


class Threads:
    """Threads of this process, each with its own engines."""

    worker_errors: tuple[type[BaseException], ...] = ()

    def __init__(self, concurrency: int, processors: Sequence[Sequence[int]] = ()) -> None:
        """If `processors` has one list of processors for each thread, each thread is bound to those in its list, and so
        are the engines that it starts."""
        self.concurrency = concurrency
        self._pool = EnginePool()
        self._processors = list(processors)
        self._executor = ThreadPoolExecutor(concurrency, "game", self._bind)

    def _bind(self) -> None:
        """Bind the calling thread to its processors. New processes inherit them."""
        if self._processors and sys.platform == "linux":
            os.sched_setaffinity(0, self._processors.pop())

    def submit(self, job: GameJob) -> Future[GameRecord]:
        """Have a thread play a game, and return a future of its record."""
        return self._executor.submit(self._pool.play, job)

    def set_options(self, specs: Sequence[EngineSpec], variant: str) -> Future[EngineOptions]:
        """Have a thread set the options of engines, and return a future of the values that were sent."""
        return self._executor.submit(self._pool.set_options, specs, variant)

    def close(self, abandon: bool) -> None:
        """End the threads and all engines, at once if `abandon` is set, otherwise after the running games."""
        if abandon:
            self._pool.abandon()
        self._executor.shutdown(cancel_futures=True)
        self._pool.quit()


def ended(jobs: Collection[Future[Result]]) -> set[Future[Result]]:
    """Return the jobs that have ended. If none has, wait for one, but not longer than LONGEST_WAIT.

    Signals wait meanwhile. An exception inside `wait` could leave the lock of a job taken, for which the thread that
    plays the game would then wait for ever.
    """
    with signals_wait():
        return wait(jobs, LONGEST_WAIT, FIRST_COMPLETED).done


def result_of(future: Future[Result]) -> Result:
    """Wait until a job has ended, and return its result. A signal interrupts the wait. Raises what the job raises."""
    while not ended([future]):
        pass
    return future.result()


def finished(
    name: str,
    numbers: Iterator[int],
    submit: Callable[[int], Future[Result]],
    workers: Workers,
    pending: dict[Future[Result], int],
    decided: Callable[[], bool] = lambda: False,
    meanwhile: Callable[[], None] | None = None,
) -> Iterator[tuple[int, Result]]:
    """Submit the jobs `numbers`, `workers.concurrency` at a time. Yield (number, result) of each job that finishes.

    A job whose worker is lost is submitted again. If one job is lost MAX_LOSSES times, WorkError is raised. `name` is
    the word for a job in this error's message, for example "game". If `decided` returns True, the generator ends early,
    and `pending` then holds the unfinished jobs. `meanwhile` is called regularly while jobs run.
    """
    lost: Counter[int] = Counter()
    while not decided():
        while len(pending) < workers.concurrency and (number := next(numbers, None)) is not None:
            pending[submit(number)] = number
        if not pending:
            return
        if meanwhile is not None:
            meanwhile()
        for future in ended(pending):
            number = pending.pop(future)
            try:
                result = future.result()
            except workers.worker_errors as error:
                lost[number] += 1
                if lost[number] >= MAX_LOSSES:
                    raise WorkError(f"{name} {number} was lost {MAX_LOSSES} times: {error}") from None
                pending[submit(number)] = number
                continue
            yield number, result


def run(
    workplace: Workplace,
    schedule: Schedule,
    records: RecordWriter,
    on_record: Callable[[GameRecord], None],
    decided: Callable[[], bool],
    recover: bool,
    on_start: Callable[[GameJob], None],
) -> bool:
    """Play all games of the schedule that are not in the journal. Call `on_start` with each game that is given to a
    worker, and `on_record` with each new record. Return True if all were played or `decided` returned True, False after
    an interruption (Ctrl-C, SIGTERM). At the end, abandon unfinished games and close the workplace. Before the first
    game, the options of all engines are set, and noted in the journal. A game whose engine could not be started is
    played again. Raises OptionError if an engine refuses an option. Raises WorkError if an engine repeatedly cannot be
    started, or if it crashes or hangs and `recover` is not set. Raises OSError if the journal cannot be written."""
    failed_starts: Counter[str] = Counter()  # consecutive failures, by engine

    def play(number: int) -> Future[GameRecord]:
        job = schedule.job(number)
        on_start(job)
        return workplace.submit(job)

    numbers = (number for number in range(len(schedule)) if number not in records.numbers)
    pending: dict[Future[Any], int] = {}
    interrupted = False
    try:
        with terminable():
            if len(records.numbers) < len(schedule) and not decided():
                records.add_options(_set_options(workplace, schedule, pending))
            for number, record in finished("game", numbers, play, workplace, pending, decided):
                fault = record["fault"]
                if fault is not None and fault["kind"] == faults.START:
                    failed_starts[fault["engine"]] += 1
                    if failed_starts[fault["engine"]] == MAX_STARTS:
                        raise WorkError(_start_text(fault))
                    pending[play(number)] = number
                    continue
                for name in (record["black"], record["white"]):
                    failed_starts.pop(name, None)
                if records.add(record):
                    on_record(record)
                if fault is not None and fault["kind"] in faults.ENDED and not recover:
                    raise WorkError(_end_text(fault, record["game"]))
        return True
    except KeyboardInterrupt:
        interrupted = True
        return False
    finally:
        workplace.close(abandon=interrupted or bool(pending))  # a game may run that is not in `pending` yet


def _set_options(workplace: Workplace, schedule: Schedule, pending: dict[Future[Any], int]) -> EngineOptions:
    """Have a worker set the options of all engines, and return the values that were sent. `pending` holds the job while
    it runs. Raises OptionError if an engine refuses an option, WorkError if it cannot be started in MAX_STARTS
    attempts."""

    def submit(attempt: int) -> Future[EngineOptions]:
        return workplace.set_options(schedule.engines, schedule.variant)

    for attempt in range(1, MAX_STARTS + 1):
        try:
            options: EngineOptions
            _, options = next(finished("attempt", iter([attempt]), submit, workplace, pending))
            return options
        except OptionError:
            raise
        except EngineError as fault:
            text = _start_text(fault.record())
    raise WorkError(text)


def _start_text(fault: FaultRecord) -> str:
    """Return the message for an engine that cannot be started, with the last line that it wrote to standard error."""
    errors = [line.removeprefix("! ") for line in fault["log"] if line.startswith("! ")]
    wrote = f"; it wrote {errors[-1]!r}" if errors else ""
    detail = fault["detail"].removeprefix("cannot be started: ")
    return f"{fault['engine']} cannot be started: {detail}{wrote}"


def _end_text(fault: FaultRecord, game: int) -> str:
    return f"{fault['engine']}: {fault['kind']} in game {game}: {fault['detail']}; with -recover the match goes on"
