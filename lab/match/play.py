"""One game: two engines, Kogoma's rules as the referee, and a record of what happened."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lab.engines import faults
from lab.engines.base import Answer, Engine, EngineSpec
from lab.engines.clock import Clock
from lab.engines.faults import Fault
from lab.match.adjudication import Adjudication, Adjudicator
from lab.match.die import throws
from rules.dice.die import allowed
from rules.outcome import Outcome
from rules.position import BasePosition, new_position
from rules.variants import Die, find


class Abandoned(Exception):
    """The game was stopped from outside, and there is nothing to record."""


@dataclass(frozen=True)
class GameJob:
    """A game to be played. `number` is its place in the schedule; `pair` is shared by the two games of an opening, as
    `seed` should be, from which the die's throws are drawn. `start` is an SFEN (None: the variant's start), `book` the
    moves played from there before the engines begin."""

    number: int
    pair: int
    variant: str
    black: EngineSpec
    white: EngineSpec
    start: str | None = None
    book: tuple[str, ...] = ()
    seed: int = 0
    adjudication: Adjudication = field(default_factory=Adjudication)


@dataclass
class _Played:
    """What is recorded of every move."""

    dice: list[int] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)
    time_ms: list[float] = field(default_factory=list)
    scores: list[list[str | int] | None] = field(default_factory=list)


def play_game(
    job: GameJob, engines: Sequence[Engine], recover: bool = True, abandon: threading.Event | None = None
) -> dict[str, Any]:
    """Play a game between live engines, Black's and White's, and return its record.

    Faults are the record's, not the caller's: they lose the game, and the engine is started again for its next one,
    unless `recover` is False. ValueError for a start or a book that the rules don't allow; Abandoned once `abandon` is
    set.
    """
    started = time.perf_counter()
    variant = find(job.variant)
    position = new_position(variant, job.start)
    for usi in job.book:
        position.push(usi)
    played = _Played()
    clocks: list[Clock] = []
    fault: Fault | None = None
    culprit = 0
    try:
        for culprit in (0, 1):
            engines[culprit].new_game(variant, position.start_sfen, job.seed, recover)
            clocks.append(Clock(engines[culprit].control(), engines[culprit].spec.time_margin_ms))
        decided = position.outcome()
        adjudicator, die = Adjudicator(job.adjudication), throws(job.seed)
        while decided is None:
            if abandon is not None and abandon.is_set():
                raise Abandoned
            culprit = position.turn
            decided = _play_move(position, engines[culprit], clocks, die, adjudicator, played)
    except Fault as found:
        if abandon is not None and abandon.is_set():  # whoever set it may have killed the engine, too
            raise Abandoned from None
        fault, decided = found, Outcome(1 - culprit, found.kind)
    for side, engine in enumerate(engines):
        engine.end_game(decided.winner, side)
    return {
        "game": job.number,
        "pair": job.pair,
        "variant": variant.name,
        "start": position.start_sfen,
        "book": list(job.book),
        "black": job.black.name,
        "white": job.white.name,
        "seed": job.seed,
        **({"dice": played.dice} if variant.die is not Die.NONE else {}),
        "moves": played.moves,
        "time_ms": played.time_ms,
        "scores": played.scores,
        "winner": decided.winner,
        "reason": decided.reason,
        "fault": None if fault is None else fault.record(),
        "clock": " / ".join(dict.fromkeys(str(engine.control()) for engine in engines)),
        "seconds": round(time.perf_counter() - started, 3),
    }


def _play_move(
    position: BasePosition,
    engine: Engine,
    clocks: Sequence[Clock],
    die: Iterator[int],
    adjudicator: Adjudicator,
    played: _Played,
) -> Outcome | None:
    """One move: how it ended the game, or None. A late, illegal or missing move raises Fault."""
    variant, side = position.variant, position.turn
    throw = next(die) if variant.die is not Die.NONE else None
    clock = clocks[side]
    answer = engine.move(position, clocks, throw)
    allowed_ms = clock.allowed_ms()
    if not clock.spend(answer.ms):
        raise engine.charge(faults.TIME, f"{answer.ms:.0f} ms for a move, where {allowed_ms:.0f} ms were left")
    if answer.move == "resign":
        return Outcome(1 - side, "resign")
    if answer.move == "win":
        if any(variant.declaration) and position.may_declare():
            return Outcome(side, "declaration")
        raise engine.charge(faults.ILLEGAL_MOVE, f"declares a win that it does not have in {position.sfen()}")
    usi = _legal(position, engine, answer, throw)
    position.push(usi)
    played.moves.append(usi)
    played.time_ms.append(round(answer.ms, 1))
    played.scores.append(None if answer.score is None else list(answer.score))
    if throw is not None:
        played.dice.append(throw)
    return position.outcome() or adjudicator.outcome(side, answer.score, len(position.moves))


def _legal(position: BasePosition, engine: Engine, answer: Answer, throw: int | None) -> str:
    """The move as the rules write it; Fault if it is not legal, or not what the throw allows."""
    try:
        usi = position.usi(position.code(answer.move))
    except ValueError as error:
        raise engine.charge(faults.ILLEGAL_MOVE, str(error)) from None
    if throw is not None and usi not in allowed(position, throw):
        raise engine.charge(faults.ILLEGAL_MOVE, f"{usi} after a throw of {throw} in {position.sfen()}")
    return usi
