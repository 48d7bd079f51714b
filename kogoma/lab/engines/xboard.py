"""Engines that speak xboard's protocol: https://www.gnu.org/software/xboard/engine-intf.html

GNU Shogi (`gnuminishogi -X`) has an older form of it, without `protover` and `setboard`: positions are entered piece by
piece there, and moves are written as in USI.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress

from kogoma.lab.engines import faults
from kogoma.lab.engines.base import Answer, Engine, EngineSpec
from kogoma.lab.engines.clock import Clock
from kogoma.lab.engines.dialects import PEER_VARIANTS, Dialect, sfen_to_fen, turn_back_example
from kogoma.lab.engines.options import Option, Spin, parse_feature
from kogoma.lab.engines.process import NoAnswer
from kogoma.lab.journals.match_journal import Score
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import Position
from kogoma.search.answers import RESIGN

FEATURE_SECONDS = 2.0  # wait for `feature` lines; an engine without them speaks version 1
# Options that have commands of their own, by the feature of engines that know the command: memory in MB, and threads.
COMMANDS = {"memory": Spin("memory", None, 1, 2**31 - 1), "smp": Spin("cores", None, 1, 2**31 - 1)}
_FEATURE = re.compile(r'([\w-]+)=("[^"]*"|\S+)')
_THINKING = re.compile(r"\s*(\d+)[.+&]?\s+(-?\d+)\s+(-?\d+)\s+(\d+)\b")
_GNU_MOVE = re.compile(r"\d+\. \.\.\. (\S+)")
_MATE = 100_000  # a score of _MATE + N centipawns means mate in N moves


class MoveWatch:
    """Reads an engine's output during a search, up to its move."""

    def __init__(self, gnu: bool) -> None:
        self.gnu = gnu
        self.thought: re.Match[str] | None = None
        self.rubbish = ""

    def __call__(self, line: str) -> str | None:
        """Handle one line of the engine's output. Return the move that it plays, RESIGN if it resigns, or None for any
        other line."""
        if self.gnu:
            if found := _GNU_MOVE.match(line):
                return found[1]
        elif line.startswith("move ") and line[5:].strip():
            return line.split()[1]
        if line.startswith("resign") or "Resigns" in line or "resigns" in line:
            return RESIGN
        if line.startswith(("Illegal move", "Error")):
            self.rubbish = self.rubbish or line
        elif found := _THINKING.match(line):
            self.thought = found
        return None

    def score(self) -> Score | None:
        """Return the score in the last line about the engine's thinking, or None if there was no such line."""
        if self.thought is None:
            return None
        depth, value, _, nodes = (int(text) for text in self.thought.groups())
        if abs(value) > _MATE:
            plies = 2 * (abs(value) - _MATE)
            return Score("mate", plies - 1 if value > 0 else -plies, depth, nodes)
        return Score("cp", value, depth, nodes)


class XboardEngine(Engine):
    """An engine that speaks xboard's protocol or GNU Shogi's."""

    switches = "0", "1"

    def __init__(self, spec: EngineSpec) -> None:
        super().__init__(spec)
        if spec.limits.nodes or not spec.limits.limited:
            raise ValueError(f"{spec.name}: an xboard engine needs a time control or a depth, not a node limit")
        self.features: dict[str, str] = {}
        self._gnu = False
        self._known_moves = -1  # moves of the game that the engine knows; -1 before its first search
        self._dialect: Dialect

    def _greet(self) -> None:
        self.features, self._gnu = {}, False

        def expect(line: str) -> bool | None:
            if line.startswith("feature "):
                features = [(name, value.strip('"')) for name, value in _FEATURE.findall(line[8:])]
                self.features.update(features)
                self.add_options(parse_feature(value) for name, value in features if name == "option")
                return True if self.features.get("done") == "1" else None
            if "protover" in line and line.startswith("Illegal move"):
                self._gnu = True
                return True
            return None

        # Engines that speak version 1 of the protocol do not answer.
        with self.raising_faults(kind=faults.START), suppress(NoAnswer):
            self.process.ask(["xboard", "protover 2"], expect, FEATURE_SECONDS)
        if self.features.get("done") == "0":  # the engine needs more time
            self.prepare([], expect, "feature done=1")
        self.set_options(self.given_options())

    def known_options(self) -> dict[str, Option]:
        """Return the options that the engine lists, and those for which xboard has commands that the engine knows."""
        commands = {name: option for name, option in COMMANDS.items() if self.features.get(name) == "1"}
        return {option.name: option for option in commands.values()} | self.options

    def _option_line(self, name: str, text: str) -> str:
        if name not in self.options and any(name == option.name for option in COMMANDS.values()):
            return f"{name} {text}"
        return f"option {name}={text}" if text else f"option {name}"

    def _begin(self, seed: int) -> None:
        self._known_moves = -1
        if turn_back_example(self.variant) is not None:
            self.fail(
                faults.START,
                f"is not supported in {self.variant.name}: XBoard cannot write moves that unpromote pieces",
            )
        self._dialect = Dialect(self.variant, self.start_sfen, "usi" if self._gnu else "uci")
        if self._gnu:
            if self.variant.name not in ("minishogi", "minishogi-codingame"):
                self.fail(faults.START, f"does not play {self.variant.name}")
            self.tell("new", *self._gnu_level(), "force", *self._gnu_board())
            return
        lines = ["new", *self._variant_lines(), *self._level(), "easy", "post", "force"]
        if self.start_sfen != self.variant.start:
            lines.append(f"setboard {sfen_to_fen(self.start_sfen)}")
        if self.features.get("ping") == "1":
            number = str(seed % 1000)
            self.prepare([*lines, f"ping {number}"], lambda line: True if line == f"pong {number}" else None, "pong")
        else:
            self.tell(*lines)

    def _variant_lines(self) -> list[str]:
        names = (self.variant.name, *PEER_VARIANTS.get(self.variant.name, ()))
        offered = self.features.get("variants", "").split(",")
        if offered == [""]:
            return []
        name = next((name for name in reversed(names) if name in offered), None)
        if name is None:
            self.fail(faults.START, f"does not play {self.variant.name}")
        return [f"variant {name}"]

    def _level(self) -> list[str]:
        control = self.spec.limits
        lines = [f"sd {control.depth}"] if control.depth else []
        if control.move_ms or (control.timed and not control.base_ms):
            ms = control.move_ms or control.byoyomi_ms or control.increment_ms
            return [*lines, f"st {ms / 1000:g}"]
        if control.timed:
            increment = max(control.increment_ms, control.byoyomi_ms) / 1000
            return [*lines, f"level {control.moves} {_minutes(control.base_ms)} {increment:g}"]
        return lines

    def _gnu_level(self) -> list[str]:
        """Return the `level` command for GNU Shogi, whose clock counts whole seconds. In `level 0 TIME 0`, TIME is the
        maximum time per move."""
        control = self.spec.limits
        if control.base_ms and not control.byoyomi_ms and control.moves:
            return [f"level {control.moves} {_minutes(control.base_ms)} {control.increment_ms // 1000}"]
        ms = control.move_ms or control.byoyomi_ms or control.increment_ms or control.base_ms // 60
        return [f"level 0 {_minutes(ms)} 0"]

    def _gnu_board(self) -> list[str]:
        """Return the commands that set up the start position. GNU Shogi has no command for the side to move: if White
        is to move, Black plays a move before the set-up."""
        if self.start_sfen == self.variant.start:
            return []
        position = Position(self.variant, self.start_sfen)
        lines = [Position(self.variant).legal_moves()[0]] * position.turn + ["edit", "#"]
        setup, files = position.setup(), self.variant.files
        for side in (0, 1):
            for square, cell in enumerate(setup.board):
                if cell and cell >> 4 == side:
                    letter = self.variant.pieces[(cell & 15) - 1].letter
                    where = f"{files - square % files}{chr(ord('a') + square // files)}"
                    lines.append(letter[-1].lower() + where + "+" * letter.startswith("+"))
            for number, piece in enumerate(self.variant.pieces, 1):
                lines += [f"{piece.letter.lower()}*"] * setup.hands[side][number]
            lines.append("." if side else "c")
        return lines

    def _think(self, position: BasePosition, clocks: Sequence[Clock], roll: int | None) -> Answer:
        clock, watch = clocks[position.turn], MoveWatch(self._gnu)
        moves = self._dialect.moves(position)
        first, fresh = self._known_moves < 0, moves[max(self._known_moves, 0) :]
        prefix = "usermove " if self.features.get("usermove") == "1" else ""
        lines = [prefix + move for move in fresh]
        times = [] if self._gnu else self._times(clocks, position.turn)
        lines = [*lines, *times, "go"] if first else [*times, *lines]
        move, ms = self.ask(lines, watch, clock.allowed_ms(), clock.margin_ms)
        self._known_moves = len(moves) + 1
        if move == RESIGN:
            return Answer(move, ms, watch.score())
        try:
            return Answer(self._dialect.to_usi(move), ms, watch.score())
        except ValueError:
            self.fail(faults.RUBBISH, f"not a move: {move[:60]!r}")

    @staticmethod
    def _times(clocks: Sequence[Clock], side: int) -> list[str]:
        if not clocks[side].control.timed:
            return []
        own, other = (math.floor((clocks[each].allowed_ms() or 0) / 10) for each in (side, 1 - side))
        return [f"time {own}", f"otim {other}"]


def _minutes(ms: int) -> str:
    """Return a time as minutes and seconds, for example `1:05`. It is rounded to whole seconds, and at least one
    second."""
    seconds = max(1, round(ms / 1000))
    return f"{seconds // 60}:{seconds % 60:02}"
