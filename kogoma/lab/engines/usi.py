"""Engines that speak USI (http://hgm.nubati.net/usi.html), or UCI for shogi-like variants, like Fairy-Stockfish
(https://backscattering.de/chess/uci/)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import takewhile

from kogoma.lab.engines import faults
from kogoma.lab.engines.base import Answer, Engine, EngineSpec
from kogoma.lab.engines.clock import Clock
from kogoma.lab.engines.dialects import PEER_VARIANTS, Dialect, is_move, sfen_to_fen, turn_back_example
from kogoma.lab.engines.faults import EngineError
from kogoma.lab.engines.options import Check, Combo, Option, Spin, String, find_option, parse_option
from kogoma.lab.engines.process import Ended, NoAnswer
from kogoma.lab.journals.match_journal import Score
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant
from kogoma.search.answers import DECLARATION, LOWER_BOUND, RESIGN, UPPER_BOUND

VARIANT_OPTIONS = ("USI_Variant", "UCI_Variant")
# Options that a USI engine need not list. USI_Hash is in MB.
UNLISTED = (Spin("USI_Hash", None, 1, 2**31 - 1), Check("USI_Ponder", None))
KNOWN = ("info", "option", "id", "readyok", "usiok", "uciok", "copyprotection", "registration", "checkmate")
SIGNS = ("+", "-")  # suffixes that engines write on a move that unpromotes a piece
NO_MOVE = ("(none)", "none", "null", "0000")
_SCORE = re.compile(r"\bscore (cp|mate) ([+-]?)(\d*)")
_BOUND = re.compile(rf" ({LOWER_BOUND}|{UPPER_BOUND})\b")
_NUMBER = {name: re.compile(rf"\b{name} (\d{{1,18}})") for name in ("depth", "nodes", "time")}


class SearchWatch:
    """Reads an engine's output during a search, up to its `bestmove`."""

    def __init__(self) -> None:
        self.info = ""  # the last line with an exact score of the best line
        self.time_ms: int | None = None  # the last reported time
        self.answer: list[str] | None = None  # the tokens after `bestmove`
        self.rubbish = ""  # the first line that does not belong to the protocol

    def __call__(self, line: str) -> list[str] | None:
        """Handle one line of the engine's output. Return the tokens after `bestmove`, or None for any other line."""
        if line.startswith("info"):
            if found := _NUMBER["time"].search(line):
                self.time_ms = int(found[1])
            if " score " in line and not bound_of(line) and (" multipv " not in line or " multipv 1 " in line):
                self.info = line
        elif line.startswith("bestmove"):
            self.answer = line.split()[1:]
            return self.answer
        elif line and not self.rubbish and not line.startswith(KNOWN):
            self.rubbish = line
        return None


def parse_score(line: str, mate_in_moves: bool = False) -> Score | None:
    """Return the score in an info line, or None.

    If `mate_in_moves` is set, the engine gives the length of mates in full moves, not plies. A mate of unknown length
    counts as 1000 plies.

    >>> parse_score("info depth 7 score mate -3 nodes 1200")
    Score(kind='mate', value=-3, depth=7, nodes=1200)
    """
    found = _SCORE.search(line)
    if not found:
        return None
    kind, sign, digits = found.groups()
    value = int(digits[:9] or 1000) * (-1 if sign == "-" else 1)
    if kind == "mate" and mate_in_moves and digits:
        value = 2 * value - (value > 0)
    depth, nodes = ((int(word[1]) if (word := _NUMBER[name].search(line)) else 0) for name in ("depth", "nodes"))
    return Score(kind, value, depth, nodes)


def bound_of(line: str) -> str:
    """Return the bound that the score in an info line is, or "" if the score is exact."""
    found = _BOUND.search(line)
    return found[1] if found else ""


class UsiEngine(Engine):
    """An engine that speaks USI."""

    handshake, greeted, new = "usi", "usiok", "usinewgame"
    notation = "usi"
    mate_in_moves = False
    needs_limits = True  # engines in matches need a time control, nodes or a depth
    can_ponder = True

    def __init__(self, spec: EngineSpec) -> None:
        super().__init__(spec)
        if self.needs_limits and not spec.limits.limited:
            raise ValueError(f"{spec.name}: nothing limits its thinking: give it a time control, nodes or a depth")
        if self.needs_limits and spec.ponder and not (spec.limits.timed or spec.limits.move_ms):
            raise ValueError(f"{spec.name}: ponder=on needs a time control")
        self._pondering: tuple[str, SearchWatch] | None = None  # the expected move, and the output of the search
        self._ready = self._own_variant = False
        self._variant_set = ""
        self.id: dict[str, str] = {}  # what the engine says about itself: its "name" and "author"
        self._dialect: Dialect
        self._signs: dict[str, str] = {}  # by variant: the suffix of a move that unpromotes a piece

    def _greet(self) -> None:
        self.id = {}

        def expect(line: str) -> bool | None:
            if line.startswith("option name "):
                self.add_options([parse_option(line)])
            elif line.startswith("id "):
                key, _, value = line.removeprefix("id ").partition(" ")
                self.id[key] = value
            return True if line == self.greeted else None

        self.prepare([self.handshake], expect, self.greeted)
        self._ready, self._variant_set, self._pondering = False, "", None
        self._own_variant = any(self._is_given(name) for name in VARIANT_OPTIONS)
        given = self.given_options()
        option = find_option(self.known_options(), "USI_Ponder" if self.notation == "usi" else "Ponder")
        if self.spec.ponder and option is not None and not self._is_given(option.name):
            given.insert(0, (option.name, True))
        self.set_options(given)

    def known_options(self) -> dict[str, Option]:
        """Return the options that the engine lists, and those of UNLISTED that it does not list. If VariantPath is
        given, the option for the variant can have any value, because the file may contain other variants."""
        known = dict(self.options)
        if self.notation == "usi":
            known |= {option.name: option for option in UNLISTED if find_option(known, option.name) is None}
        if self._is_given("VariantPath"):
            known |= {name: String(name, None) for name in VARIANT_OPTIONS if name in known}
        return known

    def _is_given(self, name: str) -> bool:
        return any(given.lower() == name.lower() for given, _ in self.spec.options)

    def _option_line(self, name: str, text: str) -> str:
        return f"setoption name {name} value {text}" if text else f"setoption name {name}"

    def _begin(self, seed: int) -> None:
        self._choose_variant()
        self.prepare(["isready"], lambda line: True if line == "readyok" else None, "readyok", self._fault_kind())
        self._ready = True
        if self.variant.name not in self._signs:
            self._signs[self.variant.name] = self._turn_back_sign()
        self.tell(self.new)
        self._dialect = self._new_dialect()

    def _fault_kind(self) -> str | None:
        """Return the kind of the fault if the engine fails now while it gets ready: START before its first readyok,
        later the kind that fits the failure."""
        return None if self._ready else faults.START

    def _new_dialect(self) -> Dialect:
        """Return the notation in which this engine reads and writes a game that starts from `self.start_sfen`."""
        return Dialect(self.variant, self.start_sfen, self.notation, self._signs[self.variant.name])

    def _turn_back_sign(self) -> str:
        """Return the suffix that the engine accepts on a move that unpromotes a piece. Each of SIGNS is tried on a move
        in a test position: if the engine then answers with a legal move, it has understood the suffix. Raises
        EngineError if it understands none."""
        example = turn_back_example(self.variant)
        if example is None:
            return "+"
        sfen, usi = example
        position = new_position(self.variant, sfen)
        position.push(usi)
        for sign in SIGNS:
            self._dialect = Dialect(self.variant, sfen, self.notation, sign)
            words = self.prepare([self._position(position), "go depth 1"], SearchWatch(), "answer to a test position")
            if words and self.move_to_usi(words[0]) in position.legal_moves():
                return sign
        tried = " nor ".join(Dialect(self.variant, sfen, self.notation, sign).write(usi) for sign in SIGNS)
        self.fail(
            faults.START, f"cannot read moves of {self.variant.name} that unpromote a piece: in {sfen} neither {tried}"
        )

    def _choose_variant(self) -> None:
        option = next((self.options[name] for name in VARIANT_OPTIONS if name in self.options), None)
        if self._own_variant or self._variant_set == self.variant.name or option is None:
            return
        name = _offered_name(self.variant, list(option.choices) if isinstance(option, Combo) else [])
        if name is None and self._is_given("VariantPath"):
            name = self.variant.name  # the engine knows the variant from the file in its VariantPath option
        if name is None:
            self.fail(faults.START, f"does not play {self.variant.name}")
        self.tell(self.option_line(option.name, name), kind=self._fault_kind())
        self._variant_set = self.variant.name

    def _think(self, position: BasePosition, clocks: Sequence[Clock], roll: int | None) -> Answer:
        clock = clocks[position.turn]
        watch = self._hit(position)
        is_hit = watch is not None
        if watch is None:
            self._stop_pondering()
            watch = SearchWatch()
            lines = [self._position(position), self._go(clocks, position.turn) + (f" dice {roll}" if roll else "")]
        else:
            lines = ["ponderhit"]
        words, ms = self.ask(lines, watch, clock.allowed_ms(), clock.margin_ms)
        move, ponder = self.read_best_move(words)
        latency = None if watch.time_ms is None or is_hit else ms - watch.time_ms
        return Answer(move, ms, parse_score(watch.info, self.mate_in_moves), ponder, self._pv(watch.info), latency)

    def ponder(self, position: BasePosition, clocks: Sequence[Clock], expected: str | None) -> None:
        """Send `go ponder` for the position after the move `expected`. Do nothing if the engine does not ponder, or if
        the move is illegal or ends the game."""
        if not self.spec.ponder or expected not in position.legal_moves():
            return
        side, after = 1 - position.turn, position.copy()
        after.push(expected)
        if after.outcome() is None:
            watch = SearchWatch()
            go = self._go(clocks, side).replace("go", "go ponder", 1)
            with self.raising_faults(watch):
                self.process.post([self._position(after), go], watch, 5.0)
            self._pondering = expected, watch

    def _hit(self, position: BasePosition) -> SearchWatch | None:
        """If the opponent played the expected move, return the SearchWatch of the pondering search. Otherwise return
        None. Raises EngineError if the engine has already answered that search."""
        if self._pondering is None or position.moves[-1:] != [self._pondering[0]]:
            return None
        (_, watch), self._pondering = self._pondering, None
        if watch.answer is not None:
            self.fail(faults.RUBBISH, "sends bestmove while it ponders, before ponderhit or stop")
        return watch

    def _stop_pondering(self) -> None:
        """End the pondering search, if there is one, and ignore its answer. Raises EngineError if the engine does not
        answer."""
        if self._pondering is not None:
            (_, watch), self._pondering = self._pondering, None
            if watch.answer is None:
                self.ask(["stop"], watch, 0.0)

    def _pv(self, info: str) -> tuple[str, ...]:
        """Return the principal variation of an info line in USI notation, up to the first token that is not a move."""
        moves = (self.move_to_usi(word) for word in info.partition(" pv ")[2].split())
        return tuple(takewhile(lambda move: move is not None, moves))  # type: ignore[arg-type]

    def read_best_move(self, words: Sequence[str]) -> tuple[str, str | None]:
        """Return (move, ponder move or None) in USI notation from the tokens after `bestmove`. The move may also be
        RESIGN or DECLARATION; whether it is legal is not checked. Raises EngineError if there is no move, or if the
        notation is invalid."""
        move = words[0] if words else ""
        if move in (RESIGN, DECLARATION):
            return move, None
        if move in NO_MOVE:
            raise self.make_fault(faults.ILLEGAL_MOVE, f"says that there is no move: 'bestmove {move}'")
        best = self.move_to_usi(move)
        if best is None:
            if not is_move(move):
                self.fail(faults.RUBBISH, f"not a move: {' '.join(['bestmove', *words])[:60]!r}")
            raise self.make_fault(faults.ILLEGAL_MOVE, f"plays {move!r}")
        return best, self.move_to_usi(words[2]) if len(words) > 2 and words[1] == "ponder" else None

    def move_to_usi(self, word: str) -> str | None:
        """Return the USI notation of a move in the engine's notation, or None if `word` is not a move."""
        with suppress(ValueError):
            return self._dialect.to_usi(word)
        return None

    def _position(self, position: BasePosition) -> str:
        start = "startpos" if position.start_sfen == self.variant.start else self._set_up(position.start_sfen)
        moves = self._dialect.moves(position)
        return f"position {start}" + (" moves " + " ".join(moves) if moves else "")

    def _set_up(self, sfen: str) -> str:
        """Return the argument of the command `position` for a game from the position `sfen`."""
        return f"sfen {sfen}"

    def _go(self, clocks: Sequence[Clock], side: int) -> str:
        control, words = clocks[side].control, ["go"]
        if control.move_ms:
            words.append(f"movetime {math.floor(clocks[side].allowed_ms() or 1)}")
        elif control.timed:
            black, white = (math.floor(clock.remaining_ms) for clock in clocks)
            words.append(f"btime {black} wtime {white}")
            if control.byoyomi_ms or not control.increment_ms:
                words.append(f"byoyomi {control.byoyomi_ms}")
            if control.increment_ms:
                words.append(f"binc {clocks[0].control.increment_ms} winc {clocks[1].control.increment_ms}")
        words += fixed_limits(clocks[side])
        return " ".join(words)

    def end_game(self, winner: int | None, side: int) -> None:
        """End pondering. If the engine speaks USI, send it `gameover` with the result; UCI has no such command."""
        with suppress(EngineError):
            self._stop_pondering()
        if self._process is not None and self.notation == "usi":
            result = "draw" if winner is None else "win" if winner == side else "lose"
            with suppress(Ended, NoAnswer):
                self._process.send([f"gameover {result}"], 0.5)


def fixed_limits(clock: Clock) -> list[str]:
    """Return the words of a `go` command for the limits of nodes and depth."""
    control = clock.control
    return [f"{name} {value}" for name, value in (("nodes", control.nodes), ("depth", control.depth)) if value]


def _offered_name(variant: Variant, offered: Sequence[str]) -> str | None:
    """Return the name that the engine uses for a variant: Kogoma's own name or one of PEER_VARIANTS. `offered` is the
    engine's list of variants. If it is empty, return Kogoma's name; if it contains none of the names, return None."""
    if variant.name in offered or not offered:
        return variant.name
    return next((name for name in PEER_VARIANTS.get(variant.name, ()) if name in offered), None)


class UciEngine(UsiEngine):
    """An engine that speaks UCI. The side that moves first is White in UCI, Black here."""

    handshake, greeted, new = "uci", "uciok", "ucinewgame"
    notation = "uci"
    mate_in_moves = True

    def _set_up(self, sfen: str) -> str:
        return f"fen {sfen_to_fen(sfen)}"

    def _go(self, clocks: Sequence[Clock], side: int) -> str:
        """Return the `go` command. UCI has no byoyomi: while base time is left, byoyomi is sent as an increment, and
        afterwards as `movetime`."""
        clock, words = clocks[side], ["go"]
        control = clock.control
        if control.move_ms or (control.timed and clock.remaining_ms < 1):
            words.append(f"movetime {max(1, math.floor(clock.allowed_ms() or 1))}")
        elif control.timed:
            first, second = (math.floor(each.remaining_ms) + each.control.byoyomi_ms for each in clocks)
            words.append(f"wtime {first} btime {second}")
            first, second = (each.control.increment_ms + each.control.byoyomi_ms for each in clocks)
            words += [f"winc {first} binc {second}"] * bool(first or second)
            words += [f"movestogo {clock.moves_to_go()}"] * bool(control.moves)
        return " ".join([*words, *fixed_limits(clock)])
