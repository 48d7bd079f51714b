"""Play one game: two engines, Kogoma's rules as the referee, die rolls, adjudication, and the game's record."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kogoma.lab.engines import faults
from kogoma.lab.engines.answer_check import checked
from kogoma.lab.engines.base import Engine, EngineSpec
from kogoma.lab.engines.clock import Clock
from kogoma.lab.engines.faults import EngineError
from kogoma.lab.journals.match_journal import GameRecord, Score
from kogoma.rules.base_position import BasePosition
from kogoma.rules.outcome import Outcome
from kogoma.rules.position import new_position
from kogoma.rules.variants import FACES, Die, Variant, find
from kogoma.search.answers import DECLARATION, RESIGN
from kogoma.search.game import may_last_for_ever

MATE = 1_000_000  # the score of a mate, in centipawns
LONGEST_GAME = 1000  # plies of a game that the rules may let last for ever


@dataclass(frozen=True)
class Adjudication:
    """The adjudication rules of a game; 0 plies or moves switch a rule off. Scores are in centipawns.

    - `max_plies`: the game is a draw after this number of plies. It cannot be switched off in variants whose rules may
      let a game last for ever: 0 means LONGEST_GAME there.
    - Resignation: an engine loses if its score was `-resign_score` or worse in its last `resign_moves` moves, and, if
      `resign_twosided`, the opponent's score was `resign_score` or better in as many moves.
    - Draw: after ply `draw_from`, both scores were within `draw_score` of 0 in the last `draw_moves` moves of each.
    """

    max_plies: int = 0
    resign_moves: int = 0
    resign_score: int = 0
    resign_twosided: bool = False
    draw_from: int = 0
    draw_moves: int = 0
    draw_score: int = 0


class Adjudicator:
    """Applies the adjudication rules to the scores of one game."""

    def __init__(self, settings: Adjudication, variant: Variant) -> None:
        self._settings = settings
        self._max_plies = settings.max_plies or (LONGEST_GAME if may_last_for_ever(variant) else 0)
        self._losing, self._winning, self._drawish = ([0, 0], [0, 0], 0)  # in a row: moves, moves, plies

    def outcome(self, side: int, score: Score | None, plies: int) -> Outcome | None:
        """Return the outcome of the game by the adjudication rules, or None if it goes on. `side` has just moved with
        the search score `score`, and `plies` is the number of plies so far."""
        settings = self._settings
        value = None if score is None else _centipawns(score)
        if settings.resign_moves:
            lost = value is not None and value <= -settings.resign_score
            won = value is not None and value >= settings.resign_score
            self._losing[side] = self._losing[side] + 1 if lost else 0
            self._winning[side] = self._winning[side] + 1 if won else 0
            for loser in (side, 1 - side):
                agreed = self._winning[1 - loser] >= settings.resign_moves or not settings.resign_twosided
                if self._losing[loser] >= settings.resign_moves and agreed:
                    return Outcome(1 - loser, "adjudicated_win")
        if settings.draw_moves:
            is_drawish = value is not None and abs(value) <= settings.draw_score
            self._drawish = self._drawish + 1 if is_drawish else 0
            if plies >= settings.draw_from and self._drawish >= 2 * settings.draw_moves:
                return Outcome(None, "adjudicated_draw")
        if self._max_plies and plies >= self._max_plies:
            return Outcome(None, "max_moves")
        return None


def _centipawns(score: Score) -> int:
    if score.kind == "cp":
        return score.value
    return MATE if score.value > 0 else -MATE


class Abandoned(Exception):
    """The game was stopped from outside and has no record."""


@dataclass(frozen=True)
class GameJob:
    """A game to be played. `number` is its place in the schedule. The two games of an opening have the same `pair` and
    the same `seed`, which determines the die rolls. `start` is an SFEN (None: the variant's start), and `book` has the
    moves played before the engines begin. If `with_pv` is set, the record has the engines' principal variations. With
    a die, it has the luck of the rolls, found by searches to the depth `luck_depth` (0: not). A thread that has played
    another game before waits `wait_ms`."""

    number: int
    pair: int
    variant: str
    black: EngineSpec
    white: EngineSpec
    start: str | None = None
    book: tuple[str, ...] = ()
    seed: int = 0
    adjudication: Adjudication = field(default_factory=Adjudication)
    with_pv: bool = False
    luck_depth: int = 0
    wait_ms: int = 0


def play_game(job: GameJob, engines: Sequence[Engine], abandon: threading.Event | None = None) -> GameRecord:
    """Play a game between two engines, Black's and White's, and return its record. An engine that raises EngineError
    loses the game, and the fault is recorded. Raises ValueError for an invalid start or opening, and Abandoned as soon
    as `abandon` is set."""
    started = time.perf_counter()
    variant = find(job.variant)
    position = new_position(variant, job.start)
    for usi in job.book:
        position.push(usi)
    record = GameRecord(
        game=job.number,
        pair=job.pair,
        variant=variant.name,
        start=position.start_sfen,
        book=list(job.book),
        black=job.black.name,
        white=job.white.name,
        seed=job.seed,
        dice=[],
        moves=[],
        time_ms=[],
        scores=[],
        latency_ms=[],
        pv=[],
        winner=None,
        reason="",
        fault=None,
        clock="",
        seconds=0.0,
    )
    clocks: list[Clock] = []
    side = 0
    try:
        for side in (0, 1):
            engines[side].new_game(variant, position.start_sfen, job.seed)
            clocks.append(Clock(engines[side].control(), engines[side].spec.time_margin_ms))
        outcome = position.outcome()
        adjudicator, die = Adjudicator(job.adjudication, variant), rolls(job.seed)
        while outcome is None:
            if abandon is not None and abandon.is_set():
                raise Abandoned
            side = position.turn
            outcome = _play_move(position, engines[side], clocks, die, adjudicator, record)
    except EngineError as found:
        if abandon is not None and abandon.is_set():  # the engine was killed to stop the game
            raise Abandoned from None
        record["fault"], outcome = found.record(), Outcome(1 - side, found.kind)
    for side, engine in enumerate(engines):
        engine.end_game(outcome.winner, side)
    record["winner"], record["reason"] = outcome.winner, outcome.reason
    record["clock"] = " / ".join(dict.fromkeys(str(engine.control()) for engine in engines))
    record["seconds"] = round(time.perf_counter() - started, 3)
    if variant.die is Die.NONE:
        del record["dice"]
    if not job.with_pv:
        del record["pv"]
    return record


def _play_move(
    position: BasePosition,
    engine: Engine,
    clocks: Sequence[Clock],
    die: Iterator[int],
    adjudicator: Adjudicator,
    record: GameRecord,
) -> Outcome | None:
    """Play the next move of a game and add it to its record. Return the outcome if the game ends, otherwise None.
    Raises EngineError if the move is late, illegal or missing."""
    variant, side = position.variant, position.turn
    roll = next(die) if variant.die is not Die.NONE else None
    clock = clocks[side]
    answer = engine.move(position, clocks, roll)
    allowed_ms = clock.allowed_ms()
    if not clock.spend(answer.ms):
        raise engine.make_fault(faults.TIME, f"took {answer.ms:.0f} ms for a move, but {allowed_ms:.0f} ms were left")
    usi = checked(engine, position, answer.move, roll)
    if usi == RESIGN:
        return Outcome(1 - side, "resign")
    if usi == DECLARATION:
        return Outcome(side, "declaration")
    position.push(usi)
    record["moves"].append(usi)
    record["time_ms"].append(round(answer.ms, 1))
    record["scores"].append(answer.score)
    record["latency_ms"].append(None if answer.latency_ms is None else round(answer.latency_ms, 1))
    record["pv"].append(" ".join(answer.pv))
    if roll is not None:
        record["dice"].append(roll)
    outcome = position.outcome() or adjudicator.outcome(side, answer.score, len(position.moves))
    if outcome is None:
        engine.ponder(position, clocks, answer.ponder)
    return outcome


def rolls(seed: int) -> Iterator[int]:
    """Yield the die rolls of a game, one for each ply after the opening. The same seed gives the same rolls."""
    die = random.Random(f"dice {seed}")
    while True:
        yield die.randint(1, FACES)
