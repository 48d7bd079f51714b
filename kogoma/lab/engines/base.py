"""An engine as the lab plays it: it is told a game, asked for moves, and charged for its faults."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NoReturn

from kogoma.lab.engines import faults
from kogoma.lab.engines.clock import Clock, TimeControl
from kogoma.lab.engines.faults import Fault
from kogoma.lab.engines.process import Ended, EngineProcess, Expect, Flood, NoAnswer, Reply
from kogoma.lab.journals.match_journal import Score
from kogoma.rules.base_position import BasePosition
from kogoma.rules.variants import DEFAULT, Variant

QUIT_SECONDS = 1.0  # after `quit`, before it is killed


@dataclass(frozen=True)
class EngineSpec:
    """An engine to play with: how to start it, what it speaks and how long it may think.

    `protocol`: usi, uci, xboard or codingame. `folder`: where it is started (None: here). `environment`: variables of
    its own, beside those of this process. `options` are set in order; `send` are lines that it is sent once it has
    started. `restart`: start it anew for every game; None: as its protocol needs. `time_margin_ms`: by how much a move
    may be late without losing. Then come limits on silence: `start_ms` before it is ready, `patience_ms` beyond a
    move's time, to tell a late answer from none, and `endless_ms` where there is no clock, as with `nodes`.
    """

    name: str
    command: tuple[str, ...]
    protocol: str = "usi"
    folder: str | None = None
    environment: tuple[tuple[str, str], ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    limits: TimeControl = field(default_factory=TimeControl)
    time_margin_ms: int = 0
    send: tuple[str, ...] = ()
    restart: bool | None = None
    start_ms: int = 60_000
    patience_ms: int = 2000
    endless_ms: int = 120_000


@dataclass(frozen=True)
class Answer:
    """A move in USI notation ("resign" and "win" too), the ms it took, the engine's score for it, and the reply it
    expects."""

    move: str
    ms: float
    score: Score | None = None
    ponder: str | None = None


class Engine(ABC):
    """A live engine. It is started when a game needs it, and lives on until `quit`. Methods raise Fault, after which
    the process is ended if it can't be trusted any more."""

    restarts = False  # whether engines of this protocol are started anew for every game, if nothing else is said

    def __init__(self, spec: EngineSpec) -> None:
        self.spec = spec
        self.starts = 0  # how many times a process was started
        self.broken = False  # its process was ended for a fault, other than one of its start
        self._process: EngineProcess | None = None
        self._log: list[str] = []  # of the last process
        self.variant = DEFAULT
        self.start_sfen = DEFAULT.start

    # ---- A game --------------------------------------------------------------------------------------------------

    def new_game(self, variant: Variant, start_sfen: str, seed: int = 0, recover: bool = True) -> None:
        """Be ready for a game from that position. Without `recover` an engine that was ended for a fault stays so."""
        self.variant, self.start_sfen = variant, start_sfen
        if self.broken and not recover:
            raise Fault(faults.ABSENT, self.spec.name, "not started again after its fault", self._log)
        restart = self.restarts if self.spec.restart is None else self.spec.restart
        if self._process is not None and (restart or not self._process.alive()):
            self.quit()
        if self._process is None:
            self._start()
        self._begin(seed)

    def move(self, position: BasePosition, clocks: Sequence[Clock], throw: int | None = None) -> Answer:
        """Its move in a position of the game, which is neither changed nor kept. `clocks` are Black's and White's,
        `throw` is the die's. The caller checks the move and its time; an engine that does not answer at all
        raises Fault here."""
        return self._think(position, clocks, throw)

    def control(self) -> TimeControl:
        """Its time control in the game that was begun last."""
        return self.spec.limits

    def end_game(self, winner: int | None, side: int) -> None:  # noqa: B027 (many protocols say nothing)
        """The game is over; this engine had `side`. Never raises Fault."""

    # ---- The process ---------------------------------------------------------------------------------------------

    @property
    def process(self) -> EngineProcess:
        """The running process; Fault if there is none."""
        if self._process is None:
            raise Fault(faults.START, self.spec.name, "is not running", self._log)
        return self._process

    @property
    def pid(self) -> int | None:
        """The id of the running process, or None."""
        return None if self._process is None else self._process.pid

    def log(self) -> list[str]:
        """The last lines of the conversation."""
        return self._log if self._process is None else self._process.log()

    def quit(self) -> None:
        """Ask the engine to end itself, and kill it if it does not."""
        self._close(self._quit_lines(), QUIT_SECONDS)

    def kill(self) -> None:
        """End the engine at once."""
        self._close((), 0.0)

    def _close(self, quit_lines: tuple[str, ...], timeout: float) -> None:
        if self._process is not None:
            process, self._process = self._process, None
            process.close(quit_lines, timeout)
            self._log = process.log()

    def charge(self, kind: str, detail: str) -> Fault:
        """The fault to raise for something that this engine did; its process lives on."""
        return Fault(kind, self.spec.name, detail, self.log())

    def fail(self, kind: str, detail: str) -> NoReturn:
        """Raise a fault after which the process can't be trusted: it is ended."""
        fault = self.charge(kind, detail)
        self.broken = kind != faults.START
        self.kill()
        raise fault

    def _start(self) -> None:
        try:
            self._process = EngineProcess(self.spec.command, self.spec.folder, dict(self.spec.environment))
        except (OSError, ValueError) as error:
            raise Fault(faults.START, self.spec.name, f"cannot be started: {error}", []) from None
        self.starts += 1
        self.broken = False
        self._greet()
        if self.spec.send:
            self.tell(*self.spec.send)

    def tell(self, *lines: str, kind: str | None = None) -> None:
        """Send lines that are not answered. `kind`: what to call a failure."""
        try:
            self.process.send(lines)
        except NoAnswer as error:
            self.fail(kind or faults.HANG, str(error))
        except Ended as error:
            self.ended(kind, str(error))

    def ask(
        self, lines: Sequence[str], expect: Expect, allowed_ms: float | None, margin_ms: float = 0
    ) -> tuple[Any, float]:
        """Send lines, and wait for one that `expect` makes something of: returns that, and the ms it took.

        An `expect` may have an attribute `rubbish`, the first line that is not of the protocol.
        """
        timeout_ms = self.spec.endless_ms if allowed_ms is None else allowed_ms + margin_ms + self.spec.patience_ms
        return self.answer(lambda: self.process.ask(lines, expect, timeout_ms / 1000), expect)

    def answer(
        self, asking: Callable[[], Reply], expect: Expect, kind: str | None = None, before: str = ""
    ) -> tuple[Any, float]:
        """What `asking` gets from the process, and the ms it took; Fault for all that may happen instead, which is
        called `kind` and told behind `before`."""
        try:
            reply = asking()
        except NoAnswer as error:
            rubbish = getattr(expect, "rubbish", "")
            if rubbish:
                self.fail(faults.RUBBISH, f"no move, but {_quoted(rubbish)}")
            self.fail(kind or faults.HANG, f"{before}{error}")
        except Flood as error:
            self.fail(kind or faults.RUBBISH, f"{before}{error}")
        except Ended as error:
            self.ended(kind, f"{before}{error}")
        return reply.value, reply.seconds * 1000

    def prepare(self, lines: Sequence[str], expect: Expect, what: str, kind: str | None = faults.START) -> Any:
        """As `ask`, for what is not timed: `kind` is what a failure is called, `what` is waited for."""
        patience = self.spec.start_ms / 1000
        asking = partial(self.process.ask, lines, expect, patience, since_output=True)
        return self.answer(asking, expect, kind, f"no {what}: ")[0]

    def ended(self, kind: str | None, detail: str) -> NoReturn:
        """The process has died, or closed its pipes: raise the fault for it."""
        code, text = self.process.exit_text()
        self.fail(kind or (faults.CRASH if code else faults.DISCONNECT), f"{detail} ({text})")

    # ---- What a protocol adds ------------------------------------------------------------------------------------

    @abstractmethod
    def _greet(self) -> None:
        """Begin the conversation with a new process."""

    @abstractmethod
    def _begin(self, seed: int) -> None:
        """Begin a game of `self.variant` from `self.start_sfen`."""

    @abstractmethod
    def _think(self, position: BasePosition, clocks: Sequence[Clock], throw: int | None) -> Answer:
        """Ask for a move."""

    def _quit_lines(self) -> tuple[str, ...]:
        """What a process is sent to end it."""
        return ("quit",)


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
