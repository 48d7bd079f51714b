"""The interface of an engine in a match: send it a position, ask for its move, and report what it does wrong."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from kogoma.console.streams import tell
from kogoma.japanese import message
from kogoma.lab.engines import faults
from kogoma.lab.engines.clock import Clock, TimeControl
from kogoma.lab.engines.faults import EngineError, OptionError
from kogoma.lab.engines.options import Option, Value, read_value
from kogoma.lab.engines.process import Ended, EngineProcess, Expect, Flood, NoAnswer
from kogoma.lab.journals.match_journal import Score
from kogoma.output_file import error_text
from kogoma.rules.base_position import BasePosition
from kogoma.rules.variants import DEFAULT, Variant

QUIT_SECONDS = 1.0  # between `quit` and kill
MOST_OPTIONS = 1000  # of an engine; further ones are ignored


@dataclass(frozen=True)
class EngineSpec:
    """How to start an engine, and how long it may think.

    - `protocol`: usi, uci, xboard or codingame.
    - `folder`: where it is started (None: the current folder).
    - `environment`: additional environment variables.
    - `options`: set in this order; `check_options`: whether the engine must list them and allow their values.
    - `send`: lines sent after the start.
    - `restart`: whether to start a new process for every game (None: the protocol's default).
    - `time_margin_ms`: by how much a move may be late without losing.
    - `start_ms`: time to get ready; `patience_ms`: time after a move's limit in which a late answer is still awaited;
    - `endless_ms`: time per move if there is no clock, as with `nodes`.
    - `log`: a file to which the whole conversation is appended.
    - `ponder`: whether it thinks during the opponent's time.
    """

    name: str
    command: tuple[str, ...]
    protocol: str = "usi"
    folder: str | None = None
    environment: tuple[tuple[str, str], ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    check_options: bool = True
    limits: TimeControl = field(default_factory=TimeControl)
    time_margin_ms: int = 0
    send: tuple[str, ...] = ()
    restart: bool | None = None
    start_ms: int = 60_000
    patience_ms: int = 2000
    endless_ms: int = 120_000
    log: str | None = None
    ponder: bool = False


@dataclass(frozen=True)
class Answer:
    """An engine's move in USI notation (or RESIGN or DECLARATION), its time in ms, its score, the reply that it
    expects, its principal variation in USI notation, and its latency: the ms by which `ms` exceeds the time that the
    engine reported last (None if it reported none)."""

    move: str
    ms: float
    score: Score | None = None
    ponder: str | None = None
    pv: tuple[str, ...] = ()
    latency_ms: float | None = None


class Engine(ABC):
    """A running engine. It is started when a game needs it, and runs until `quit`. Methods raise EngineError if the
    engine fails; the process is then ended if its state is unknown."""

    restarts = False  # default of `restart` for this protocol
    can_ponder = False
    quit_lines: tuple[str, ...] = ("quit",)  # lines that ask a process to exit
    switches = "false", "true"  # values of options that are off or on

    def __init__(self, spec: EngineSpec) -> None:
        if spec.ponder and not self.can_ponder:
            raise ValueError(f"{spec.name}: ponder=on needs an engine that speaks USI or UCI")
        self.spec = spec
        self.starts = 0  # number of processes started
        self.options: dict[str, Option] = {}  # that the engine lists, by name
        self.options_set: dict[str, str] = {}  # the values that were sent to the process, as text, by name
        self._process: EngineProcess | None = None
        self._log: list[str] = []  # log of the previous process
        self.variant = DEFAULT
        self.start_sfen = DEFAULT.start

    # ---- A game --------------------------------------------------------------------------------------------------

    def get_options_set(self, variant: Variant) -> dict[str, str]:
        """Set the options for games of a variant, in a new process if none is running. Return the values that were
        sent, as text, by name. Raises EngineError if the engine cannot be started, or does not play the variant; raises
        OptionError if it refuses an option."""
        self.variant = variant
        if self._process is None:
            self._start()
        self._choose_variant()
        return dict(self.options_set)

    def new_game(self, variant: Variant, start_sfen: str, seed: int = 0) -> None:
        """Prepare a game from a position. Start a process if none is running, or if every game needs a new process."""
        self.variant, self.start_sfen = variant, start_sfen
        restart = self.restarts if self.spec.restart is None else self.spec.restart
        if self._process is not None and (restart or not self._process.alive()):
            self.quit()
        if self._process is None:
            self._start()
        self._begin(seed)

    def move(self, position: BasePosition, clocks: Sequence[Clock], roll: int | None = None) -> Answer:
        """Ask the engine for a move in a position of the game. `clocks` are Black's and White's, and `roll` is the die
        roll. Whether the move is legal and in time is not checked here. Raises EngineError if the engine does not
        answer."""
        return self._think(position, clocks, roll)

    def ponder(self, position: BasePosition, clocks: Sequence[Clock], expected: str | None) -> None:  # noqa: B027
        """If the engine ponders, let it think during the opponent's turn about the position after `expected`, the move
        that it expects from the opponent. Raises EngineError if the engine fails."""

    def control(self) -> TimeControl:
        """Return the engine's time control in the current game."""
        return self.spec.limits

    def end_game(self, winner: int | None, side: int) -> None:  # noqa: B027 (many protocols have no message for this)
        """Tell the engine, which played `side`, that the game is over. Never raises EngineError."""

    # ---- The process ---------------------------------------------------------------------------------------------

    @property
    def process(self) -> EngineProcess:
        """The running process. Raises EngineError if there is none."""
        if self._process is None:
            raise EngineError(faults.START, self.spec.name, "is not running", self._log)
        return self._process

    @property
    def pid(self) -> int | None:
        """The id of the running process, or None if no process runs."""
        return None if self._process is None else self._process.pid

    def log(self) -> list[str]:
        """Return the last lines of the conversation with the engine."""
        return self._log if self._process is None else self._process.log()

    def quit(self) -> None:
        """Ask the engine to exit, and kill its process if it does not."""
        self._close(self.quit_lines, QUIT_SECONDS)

    def kill(self) -> None:
        """Kill the engine's process."""
        self._close((), 0.0)

    def _close(self, quit_lines: tuple[str, ...], timeout: float) -> None:
        if self._process is not None:
            process, self._process = self._process, None
            process.close(quit_lines, timeout)
            self._log = process.log()

    def make_fault(self, kind: str, detail: str) -> EngineError:
        """Return a fault of this engine. Unlike `fail`, this does not end the engine's process."""
        return EngineError(kind, self.spec.name, detail, self.log())

    def fail(self, kind: str, detail: str) -> NoReturn:
        """Kill the process, because its state is unknown, and raise EngineError."""
        fault = self.make_fault(kind, detail)
        self.kill()
        raise fault

    def _start(self) -> None:
        try:
            spec = self.spec
            self._process = EngineProcess(spec.command, spec.folder, dict(spec.environment), spec.log, spec.name)
        except (OSError, ValueError) as error:
            raise EngineError(faults.START, self.spec.name, f"cannot be started: {error_text(error)}", []) from None
        self.starts += 1
        self.options, self.options_set = {}, {}
        self._greet()
        if self.spec.send:
            self.tell(*self.spec.send)

    def tell(self, *lines: str, kind: str | None = None) -> None:
        """Send lines that need no answer. If this fails, raise an EngineError of this `kind` (None: the kind that fits
        the failure)."""
        with self.raising_faults(kind=kind):
            self.process.send(lines)

    def ask(
        self, lines: Sequence[str], expect: Expect, allowed_ms: float | None, margin_ms: float = 0
    ) -> tuple[Any, float]:
        """Send lines and wait until `expect(line)` returns a value other than None for a line of output. Return (this
        value, time in ms). Raises EngineError if the engine gives no such line in time. If `expect` has an attribute
        `rubbish`, in which it stores the first line that is not part of the protocol, the fault quotes this line."""
        timeout_ms = self.spec.endless_ms if allowed_ms is None else allowed_ms + margin_ms + self.spec.patience_ms
        with self.raising_faults(expect):
            reply = self.process.ask(lines, expect, timeout_ms / 1000)
        return reply.value, reply.seconds * 1000

    @contextmanager
    def raising_faults(self, expect: Expect | None = None, kind: str | None = None, before: str = "") -> Iterator[None]:
        """Within this context, end the process and raise EngineError for any failure of the process. `kind` is the
        fault's kind (None: the kind that fits the failure), and the fault's text begins with `before`. `expect` is the
        function that reads the engine's output, as in `ask`."""
        try:
            yield
        except NoAnswer as error:
            rubbish = getattr(expect, "rubbish", "")
            if rubbish:
                self.fail(faults.RUBBISH, f"no move, but {_quoted(rubbish)}")
            self.fail(kind or faults.HANG, f"{before}{error}")
        except Flood as error:
            self.fail(kind or faults.RUBBISH, f"{before}{error}")
        except Ended as error:
            code, text = self.process.exit_text()
            self.fail(kind or (faults.CRASH if code else faults.DISCONNECT), f"{before}{error} ({text})")

    def prepare(self, lines: Sequence[str], expect: Expect, what: str, kind: str | None = faults.START) -> Any:
        """Send lines and return the value of the reply, as `ask` does. The time limit is `start_ms`, counted from the
        engine's last output. `what` is the name of the expected reply in the text of a fault, and `kind` is the fault's
        kind."""
        seconds = self.spec.start_ms / 1000

        def tell_user() -> None:
            tell(message(f"{self.spec.name}: still waiting for its {what}, up to {seconds:g} s after its last output"))

        with self.raising_faults(expect, kind, f"no {what}: "):
            return self.process.ask(lines, expect, seconds, since_output=True, on_delay=tell_user).value

    # ---- Options -------------------------------------------------------------------------------------------------

    def given_options(self) -> list[tuple[str, Value]]:
        """Return the options in the spec, with the engine's spelling of names and choices. Raises OptionError if the
        engine does not list one of them, or does not allow its value."""
        if not self.spec.check_options:
            return list(self.spec.options)
        try:
            return [read_value(self.known_options(), name, text) for name, text in self.spec.options]
        except ValueError as error:
            fault = OptionError(faults.START, self.spec.name, str(error), self.log())
            self.kill()
            raise fault from None

    def known_options(self) -> dict[str, Option]:
        """Return the options that can be set, by name."""
        return self.options

    def add_options(self, options: Iterable[Option | None]) -> None:
        """Note options that the engine lists."""
        for option in options:
            if option is not None and len(self.options) < MOST_OPTIONS:
                self.options[option.name] = option

    def set_options(self, values: Iterable[tuple[str, Value]]) -> None:
        """Set options of the process. Raises EngineError if it has ended."""
        if lines := [self.option_line(name, value) for name, value in values]:
            self.tell(*lines, kind=faults.START)

    def option_line(self, name: str, value: Value) -> str:
        """Return the line that sets an option, and note in `options_set` that it is sent."""
        text = self.options_set[name] = self.switches[value] if isinstance(value, bool) else str(value)
        return self._option_line(name, text)

    # ---- What a protocol adds ------------------------------------------------------------------------------------

    @abstractmethod
    def _greet(self) -> None:
        """Begin the conversation with a new process, for example by a handshake."""

    def _option_line(self, name: str, text: str) -> str:
        """Return the line that sets an option. `text` is empty for a button."""
        raise NotImplementedError

    def _choose_variant(self) -> None:  # noqa: B027 (many protocols have no such option)
        """If the protocol has an option for the variant, set it to `self.variant` unless this is done already. Raises
        EngineError if the engine does not play the variant."""

    @abstractmethod
    def _begin(self, seed: int) -> None:
        """Prepare the engine for a game of `self.variant` from `self.start_sfen`."""

    @abstractmethod
    def _think(self, position: BasePosition, clocks: Sequence[Clock], roll: int | None) -> Answer:
        """Ask the engine for a move, as `move` describes."""


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
