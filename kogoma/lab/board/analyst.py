"""A USI engine that analyses: it tells its lines while it searches, and can be stopped from another thread."""

from __future__ import annotations

import re
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from kogoma.lab.board.messages import Search
from kogoma.lab.engines import faults
from kogoma.lab.engines.base import EngineSpec
from kogoma.lab.engines.faults import Fault
from kogoma.lab.engines.pipes import kill_group
from kogoma.lab.engines.process import Ended, NoAnswer, Reply
from kogoma.lab.engines.usi import MOVE, NO_MOVE, SearchWatch, UsiEngine, parse_score
from kogoma.rules.base_position import BasePosition
from kogoma.search.limits import DECLARATION, Limits

FOREVER = 10.0**9  # seconds
ENDLESS = 1 << 50  # bytes: an analysis may go on for days
PATIENCE = 10.0  # seconds that a search may last beyond its time
READ_SECONDS = 5.0  # in which an engine has to read what it is sent
MOST_LINES, LONGEST_PV = 600, 60
RESIGN = "resign"

_NUMBER = re.compile(r"\b(depth|seldepth|multipv|nodes|nps|hashfull|time) (\d{1,15})\b")
_RANK = re.compile(r" multipv (\d{1,3})\b")
_BOUND = re.compile(r"\b(lowerbound|upperbound)\b")
_MOST = re.compile(r"\bmax (\d{1,9})\b")


class LineWatch(SearchWatch):
    """Reads what an engine says while it thinks, and keeps the newest line of every rank of MultiPV."""

    def __init__(self) -> None:
        super().__init__()
        self._newest: dict[int, str] = {}

    def __call__(self, line: str) -> list[str] | None:
        """Take a line, on the reading thread; the words after `bestmove` if it is that one."""
        if line.startswith("info") and " score " in line and " pv " in line:
            found = _RANK.search(line)
            rank = int(found[1]) if found else 1
            if 1 <= rank <= MOST_LINES:
                self._newest[rank] = line
        return super().__call__(line)

    def take(self) -> list[str]:
        """The lines that are new since the last call, the best first."""
        taken, self._newest = self._newest, {}
        return [line for _, line in sorted(taken.items())]


@dataclass
class Thinking:
    """A search from its request to its answer, and the moves that may be played in its position."""

    request: Search
    watch: LineWatch = field(default_factory=LineWatch)
    stopped: bool = False
    legal: frozenset[str] = frozenset()


class Analyst(UsiEngine):
    """An engine of one page. `search` blocks; `stop` and `kill_process` may be called meanwhile from other threads."""

    needs_limits = False

    def __init__(self, spec: EngineSpec, wanted: dict[str, int]) -> None:
        """`wanted`: values of options that are set if the engine offers these, within its bounds."""
        super().__init__(spec)
        self._wanted = wanted
        self._set: dict[str, int] = {}
        self._lock = threading.Lock()
        self._is_thinking = False

    def _greet(self) -> None:
        super()._greet()
        self._set = {}
        self.tell(*self._option_lines(self._wanted), kind=faults.START)

    def _option_lines(self, values: dict[str, int]) -> list[str]:
        """`setoption` for those that are offered and not set so yet."""
        lines = []
        for name, value in values.items():
            if name not in self.options or self._set.get(name) == value:
                continue
            most = _MOST.search(self.options[name])
            lines.append(self._setoption(name, str(min(value, int(most[1])) if most else value)))
            self._set[name] = value
        return lines

    def search(self, position: BasePosition, thinking: Thinking) -> dict[str, Any]:
        """Search a position of the game that was begun last, and wait for the end: the result as the page's engine has
        it. Fault."""
        request, watch = thinking.request, thinking.watch
        self.start_sfen = position.start_sfen
        self._dialect = self._new_dialect()
        options = {"MultiPV": 1, **dict(request.options)}
        lines = [*self._option_lines(options), self._position(position), go_line(request.limits)]

        def asking() -> Reply:
            with self._lock:
                self.process.post(lines, watch, READ_SECONDS, ENDLESS)
                self._is_thinking = True
                if thinking.stopped:
                    self.process.send(["stop"])
            return self.process.wait(most_seconds(request.limits, position.turn))

        try:
            words, _ = self.answer(asking, watch)
        finally:
            self._is_thinking = False
        return self._result(words, thinking)

    def stop(self, thinking: Thinking) -> None:
        """Let the search answer now, or as soon as it has begun."""
        with self._lock:
            thinking.stopped = True
            if self._is_thinking:
                with suppress(Ended, NoAnswer, Fault):
                    self.process.send(["stop"], READ_SECONDS)

    def kill_process(self) -> None:
        """End the process at once: whoever waits for its answer gets a Fault."""
        if (pid := self.pid) is not None:
            kill_group(pid)

    def infos(self, thinking: Thinking) -> list[dict[str, Any]]:
        """The lines that are new since the last call, as the page's engine has them."""
        found = [self._info(line) for line in thinking.watch.take()]
        return [info for info in found if info["pv"] and info["pv"][0] in thinking.legal]

    def _info(self, line: str) -> dict[str, Any]:
        head, _, rest = line.partition(" pv ")
        numbers = {name: int(value) for name, value in _NUMBER.findall(head)}
        score = parse_score(head, self.mate_in_moves)
        bound = _BOUND.search(head)
        return {
            "depth": numbers.get("depth", 0),
            "seldepth": numbers.get("seldepth", 0),
            "multipv": numbers.get("multipv", 1),
            "scoreKind": score.kind if score else "cp",
            "score": score.value if score else 0,
            "bound": bound[1] if bound else "",
            "nodes": numbers.get("nodes", 0),
            "nps": numbers.get("nps", 0),
            "hashfull": numbers.get("hashfull", 0),
            "timeMs": numbers.get("time", 0),
            "pv": self._line(rest),
        }

    def _line(self, text: str) -> list[str]:
        """A variation up to its first word that is no move."""
        moves: list[str] = []
        for word in text.split()[:LONGEST_PV]:
            move = self._as_usi(word)
            if move is None:
                break
            moves.append(move)
        return moves

    def _as_usi(self, word: str) -> str | None:
        if not MOVE.fullmatch(word):
            return None
        with suppress(ValueError):
            return self._dialect.to_usi(word)
        return None

    def _result(self, words: list[str], thinking: Thinking) -> dict[str, Any]:
        word = words[0] if words else ""
        best = word if word in (RESIGN, DECLARATION) else self._as_usi(word)
        if best is None and word not in NO_MOVE:
            self.fail(faults.RUBBISH, f"no move: {' '.join(['bestmove', *words])[:60]!r}")
        if best not in (None, RESIGN, DECLARATION, *thinking.legal):
            self.fail(faults.ILLEGAL_MOVE, f"plays {best!r}")
        score = parse_score(thinking.watch.info, self.mate_in_moves)
        return {
            "best": best,
            "ponder": self._as_usi(words[2]) if len(words) > 2 and words[1] == "ponder" else None,
            "scoreKind": score.kind if score else "cp",
            "score": score.value if score else 0,
            "depth": score.depth if score else 0,
            "nodes": score.nodes if score else 0,
        }


def go_line(limits: Limits) -> str:
    """USI's words for the limits."""
    names = ("btime", "wtime", "byoyomi", "binc", "winc", "movestogo", "movetime", "depth", "nodes", "dice")
    words = [f"{name} {value}" for name in names if (value := getattr(limits, name)) is not None]
    ends = any(getattr(limits, name) is not None for name in names[:-1])
    if limits.infinite or not ends:
        words.append("infinite")
    if limits.searchmoves:
        words.append("searchmoves " + " ".join(limits.searchmoves))
    return " ".join(["go", *words])


def most_seconds(limits: Limits, turn: int) -> float:
    """How long the answer may take at the most."""
    if limits.infinite:
        return FOREVER
    if limits.movetime is not None:
        return limits.movetime / 1000 + PATIENCE
    if limits.has_clock(turn):
        clock, increment = (limits.wtime, limits.winc) if turn else (limits.btime, limits.binc)
        return sum(ms or 0 for ms in (clock, increment, limits.byoyomi)) / 1000 + PATIENCE
    return FOREVER
