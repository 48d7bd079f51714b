"""An engine for analysis: any position, any limits, several lines, progress reports, and `stop` from other threads."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from kogoma.lab.engines import faults
from kogoma.lab.engines.answer_check import checked
from kogoma.lab.engines.base import EngineSpec
from kogoma.lab.engines.faults import EngineError
from kogoma.lab.engines.options import Button, Spin, read_value
from kogoma.lab.engines.process import Ended, NoAnswer
from kogoma.lab.engines.usi import SearchWatch, UsiEngine, bound_of, parse_score
from kogoma.lab.journals.match_journal import Score
from kogoma.rules.base_position import BasePosition
from kogoma.rules.variants import Variant
from kogoma.search.limits import Limits
from kogoma.search.mate.solver import MATE, MateAnswer
from kogoma.search.search import Info, Result

FOREVER = 10.0**9  # seconds
ENDLESS = 1 << 50  # limit of a search's output in bytes; an analysis may run for days
PATIENCE = 10.0  # seconds by which a search may exceed its time
READ_SECONDS = 5.0  # time limit for an engine to read its input
MOST_LINES, LONGEST_PV = 600, 60
NO_SCORE = Score("cp", 0, 0, 0)
DEFAULT_INFO = {"depth": 0, "seldepth": 0, "multipv": 1, "nodes": 0, "nps": 0, "hashfull": 0, "time": 0}

_NUMBER = re.compile(rf"\b({'|'.join(DEFAULT_INFO)}) (\d{{1,15}})\b")
_RANK = re.compile(r" multipv (\d{1,3})\b")


class LineWatch(SearchWatch):
    """Reads an engine's output during a search, and keeps the newest info line of every MultiPV rank. `on_line` is
    called with each of these lines, on the reading thread."""

    def __init__(self, on_line: Callable[[str], object] = lambda line: None) -> None:
        super().__init__()
        self.last = ""  # the last line with a score of the best line, exact or not
        self.on_line = on_line
        self._newest: dict[int, str] = {}

    def __call__(self, line: str) -> list[str] | None:
        """Handle one line of the engine's output, on the thread that reads it. Return the tokens after `bestmove`, or
        None for any other line."""
        if line.startswith("info") and " score " in line:
            found = _RANK.search(line)
            rank = int(found[1]) if found else 1
            if rank == 1:
                self.last = line
            if 1 <= rank <= MOST_LINES and " pv " in line:
                self._newest[rank] = line
                self.on_line(line)
        return super().__call__(line)

    def take(self) -> list[str]:
        """Return the info lines that arrived since the last call: the newest one for each MultiPV number, in the order
        of these numbers."""
        taken, self._newest = self._newest, {}
        return [line for _, line in sorted(taken.items())]


class MateWatch(LineWatch):
    """Reads an engine's output during a search for a mate."""

    def __call__(self, line: str) -> list[str] | None:
        """Handle one line of the engine's output. Return the tokens after `checkmate`, or None for any other line. An
        engine that answers with a move has understood only `go`."""
        if line.startswith("checkmate"):
            return line.split()[1:]
        return ["notimplemented"] if super().__call__(line) is not None else None


@dataclass
class Thinking:
    """A running search, with the legal moves of its position. `options` are set before it, and `on_begun` is called
    when the engine has received it. If `plays` is true, the answer will be played: an engine that ponders goes on with
    the position that it expects."""

    limits: Limits
    options: Mapping[str, int] = field(default_factory=dict)
    watch: LineWatch = field(default_factory=LineWatch)
    stopped: bool = False
    hangs: bool = False  # whether the process was killed because it did not answer `stop`
    legal: frozenset[str] = frozenset()
    on_begun: Callable[[], object] = lambda: None
    plays: bool = False


class Analyst(UsiEngine):
    """An engine that analyses. `search` blocks; `stop` and `kill_process` may be called meanwhile from other
    threads."""

    needs_limits = False

    def __init__(self, spec: EngineSpec, wanted: Mapping[str, int]) -> None:
        """`wanted` maps names of options to values. Options that the engine does not list are ignored, and a value
        outside the engine's bounds is replaced by the nearest one inside."""
        super().__init__(spec)
        self._wanted = wanted
        self._lock = threading.Lock()
        self._running: Thinking | None = None
        # While the engine ponders: start and moves of the position on which it ponders, and the limits.
        self._expected: tuple[str, list[str], Limits] = "", [], Limits()

    def _greet(self) -> None:
        super()._greet()
        if lines := self._option_lines(self._wanted):
            self.tell(*lines, kind=faults.START)

    def start(self) -> None:
        """Start a process, unless one is running, so that `options` are known. Raises EngineError if this fails."""
        if self._process is None or not self._process.alive():
            self.kill()
            self._start()

    def _option_lines(self, values: Mapping[str, int]) -> list[str]:
        """Return the `setoption` lines that give options these values. Options that the engine does not list, or that
        have the value already, are left out. A value outside the bounds is replaced by the nearest one inside."""
        lines = []
        for name, value in values.items():
            if (option := self.options.get(name)) is not None:
                value = option.nearest(value) if isinstance(option, Spin) else value
                if self.options_set.get(name) != str(value):
                    lines.append(self.option_line(name, value))
        return lines

    def set_option(self, name: str, text: str) -> None:
        """Set an option of this process and of later ones; start a process if none is running. Raises ValueError if the
        engine does not list the option or does not allow the value, and EngineError if the engine fails."""
        self.start()
        self._stop_pondering()
        name, value = read_value(self.known_options(), name, text)
        self.set_options([(name, value)])
        if not isinstance(self.options.get(name), Button):
            others = [each for each in self.spec.options if each[0].lower() != name.lower()]
            self.spec = replace(self.spec, options=(*others, (name, text)))

    def plays(self, variant: Variant | None = None) -> bool:
        """Return whether a process is running that has begun a game of a variant, or of any variant if it is None."""
        has_game = self._process is not None and self._process.alive() and self._ready
        return has_game and variant in (None, self.variant)

    def search(self, position: BasePosition, thinking: Thinking) -> Result:
        """Search a position of the current game, and return the result when the search has ended. Raises EngineError if
        the engine gives no valid answer."""
        limits = thinking.limits
        lines = self._lines(position, thinking)
        result = self._result(self._converse(lines, thinking, most_seconds(limits, position.turn)), position, thinking)
        if thinking.plays and self.spec.ponder and (limits.has_clock(position.turn) or limits.movetime):
            with contextlib.suppress(EngineError, ValueError):
                self._ponder_on(position, result, limits)
        return result

    def solve(self, position: BasePosition, thinking: Thinking) -> MateAnswer:
        """Search for a mate in a position of the current game, for at most `movetime` ms. The watch must be a
        MateWatch. Raises ValueError if the engine cannot search for mates, EngineError if its answer is invalid."""
        limits = thinking.limits
        self._enter(position)
        go = f"go mate {'infinite' if limits.movetime is None else limits.movetime}"
        words = self._converse([self._position(position), go], thinking, most_seconds(limits, position.turn))
        if words[:1] == ["notimplemented"]:
            raise ValueError(f"{self.spec.name} does not search for mates in {self.variant.name}")
        if words in (["nomate"], ["timeout"]):
            return MateAnswer(words[0])
        after, moves = position.copy(), []
        for word in words:
            moves.append(checked(self, after, self.move_to_usi(word) or word, None))
            after.push(moves[-1])
        if not moves:
            self.fail(faults.RUBBISH, "says 'checkmate' without an answer")
        return MateAnswer(MATE, moves, len(moves))

    def _begin(self, seed: int) -> None:
        self._stop_pondering()
        super()._begin(seed)

    def _enter(self, position: BasePosition) -> None:
        """Prepare the engine for a new search of a position."""
        self._stop_pondering()
        self.start_sfen = position.start_sfen
        self._dialect = self._new_dialect()

    def _lines(self, position: BasePosition, thinking: Thinking) -> list[str]:
        """Return the lines that begin a search. If the engine already ponders on the position, it goes on."""
        asked = position.start_sfen, position.moves, _without_clocks(thinking.limits)
        if thinking.plays and asked == self._expected:
            watch = self._hit(position)
            if isinstance(watch, LineWatch):
                watch.on_line, thinking.watch = thinking.watch.on_line, watch
                return ["ponderhit"]
        self._enter(position)
        options = {"MultiPV": 1, **thinking.options}
        return [*self._option_lines(options), self._position(position), go_line(thinking.limits)]

    def _ponder_on(self, position: BasePosition, result: Result, limits: Limits) -> None:
        """Start pondering on the position after the answer and the expected reply. Raises ValueError if there are no
        such moves."""
        after = position.copy()
        for move in (result.best, result.ponder):
            after.push(move or "")
        if after.outcome() is None and not after.variant.die:
            watch = LineWatch()
            lines = [self._position(after), go_line(limits).replace("go", "go ponder", 1)]
            with self.raising_faults(watch):
                self.process.post(lines, watch, READ_SECONDS, ENDLESS)
            self._pondering = after.moves[-1], watch
            self._expected = after.start_sfen, after.moves, _without_clocks(limits)

    def _converse(self, lines: list[str], thinking: Thinking, seconds: float) -> list[str]:
        """Send lines that begin a search, and return the answer. Raises EngineError if there is none after
        `seconds`."""
        watch = thinking.watch
        try:
            with self.raising_faults(watch):
                with self._lock:
                    self.process.post(lines, watch, READ_SECONDS, ENDLESS)
                    self._running = thinking
                    thinking.on_begun()
                    if thinking.stopped:
                        self.process.send(["stop"])
                words: list[str] = self.process.wait(seconds).value
        except EngineError:
            if thinking.hangs:
                raise self.make_fault(faults.HANG, "does not answer stop") from None
            raise
        finally:
            with self._lock:
                self._running = None
        return words

    def stop(self, thinking: Thinking, patience: float | None = None) -> None:
        """Make the engine end a search and answer. A search that has not begun yet is stopped as soon as it begins. If
        the engine does not answer within `patience` seconds (None: no limit), its process is killed."""
        with self._lock:
            thinking.stopped = True
            if self._running is thinking:
                with contextlib.suppress(Ended, NoAnswer, EngineError):
                    self.process.send(["stop"], READ_SECONDS)
                if patience is not None:
                    timer = threading.Timer(patience, self._kill_hanging, [thinking])
                    timer.daemon = True
                    timer.start()

    def _kill_hanging(self, thinking: Thinking) -> None:
        with self._lock:
            if self._running is thinking:
                thinking.hangs = True
                self.kill_process()

    def kill_process(self) -> None:
        """Kill the process. A running `search` then raises EngineError."""
        if (process := self._process) is not None:
            process.kill()

    def infos(self, thinking: Thinking) -> list[Info]:
        """Return the reports that arrived since the last call, parsed from info lines. Reports whose first move is
        illegal are left out."""
        found = [self.info(line) for line in thinking.watch.take()]
        return [info for info in found if info.pv and info.pv[0] in thinking.legal]

    def info(self, line: str) -> Info:
        """Parse an info line that has a score and a principal variation."""
        head = line.partition(" pv ")[0]
        numbers = DEFAULT_INFO | {name: int(value) for name, value in _NUMBER.findall(head)}
        score = parse_score(head, self.mate_in_moves) or NO_SCORE
        return Info(
            score_kind=score.kind,
            score=score.value,
            bound=bound_of(head),
            time_ms=numbers.pop("time"),
            pv=list(self._pv(line)[:LONGEST_PV]),
            **numbers,
        )

    def _result(self, words: list[str], position: BasePosition, thinking: Thinking) -> Result:
        best, ponder = self.read_best_move(words)
        best = checked(self, position, best, thinking.limits.dice)
        line = thinking.watch.info or thinking.watch.last
        score = parse_score(line, self.mate_in_moves) or NO_SCORE
        return Result(best, ponder, score.kind, score.value, score.depth, score.nodes, bound_of(line))


def _without_clocks(limits: Limits) -> Limits:
    """Return limits without what is left on the clocks, which changes from move to move."""
    return replace(limits, btime=None, wtime=None)


def go_line(limits: Limits) -> str:
    """Return the USI `go` command for these limits. It contains `infinite` if none of them ends the search."""
    names = ("btime", "wtime", "byoyomi", "binc", "winc", "movestogo", "movetime", "depth", "nodes", "dice")
    words = [f"{name} {value}" for name in names if (value := getattr(limits, name)) is not None]
    ends = any(getattr(limits, name) is not None for name in names[:-1])
    if limits.infinite or not ends:
        words.append("infinite")
    if limits.searchmoves:
        words.append("searchmoves " + " ".join(limits.searchmoves))
    return " ".join(["go", *words])


def most_seconds(limits: Limits, turn: int) -> float:
    """Return the maximum time in seconds of a search with these limits. `turn` is the side to move, whose clock is
    used."""
    if limits.infinite:
        return FOREVER
    if limits.movetime is not None:
        return limits.movetime / 1000 + PATIENCE
    if limits.has_clock(turn):
        clock, increment = (limits.wtime, limits.winc) if turn else (limits.btime, limits.binc)
        return sum(ms or 0 for ms in (clock, increment, limits.byoyomi)) / 1000 + PATIENCE
    return FOREVER
