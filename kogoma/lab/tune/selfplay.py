"""Scored positions from games that the engine plays against itself.

Games are played in chunks, and a chunk follows from its recipe and its number alone: random plies to start from, then
searches of one thread with a fixed count of nodes, and a memory that is empty before every game. Several
chunks are played at a time.
"""

from __future__ import annotations

import hashlib
import json
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from kogoma.eval.weights import load, loaded, records, tuned
from kogoma.lab.match.opening_maker import MAX_TRIES, TooFewOpenings, random_position
from kogoma.lab.match.runner import finished
from kogoma.lab.match.workers import Callers
from kogoma.lab.tune.store import FORMAT, Arrays, Chunk, DataError, compare, write
from kogoma.native.object_file import source_text, sources
from kogoma.rules.base_position import BasePosition
from kogoma.rules.custom.writer import identity
from kogoma.rules.dice.die import FACES, allowed_codes
from kogoma.rules.move_encoding import DROP, SQUARE_MASK
from kogoma.rules.onitama.position import OnitamaPosition
from kogoma.rules.structs import fields
from kogoma.rules.variants import Variant
from kogoma.search.dice.worker import DiceWorker
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.searcher import root_moves
from kogoma.search.table_memory import Table
from kogoma.search.thread import DECIDED, MAX_DEPTH
from kogoma.search.worker import Worker, worker_kind

DIGITS = 16  # hexadecimal ones of a digest
HASH_MB = 8  # a game's nodes fit in, and it is quickly cleared
PLIES_PER_SQUARE = 8  # a longer game is a draw, where the rules have no limit of their own
# The numbers that are kept of a position, and how.
NUMBERS = {"side": "u1", "ply": "u2", "score": "i2", "result": "i1", "quiet": "?", "game": "u2"}
OPENING_PLIES = (4, 9)  # random ones, at least and at most
MOST_UNEVEN = 1000  # centipawns after the opening; games that begin further apart teach little
MAX_SCORE = 3000  # centipawns; positions beyond are as good as decided
TRIAL_POSITIONS = 500  # that each worker plays before anything is begun, to tell how long the rest will take


# What data and a table come from, as short digests: other sources or other weights give other ones.


@cache
def engine_digest() -> str:
    """Of the sources of rules, evaluation and search."""
    digest = hashlib.sha256()
    for module in sources(("kogoma.search.searcher",)):
        digest.update(source_text(module).encode())
    return digest.hexdigest()[:DIGITS]


def weights_digest(variant: Variant) -> str:
    """Of all that the evaluation is told, the table included."""
    table = loaded(variant).get("table")
    return _digest(*tuned(variant), *([] if table is None else [table]))


def terms_digest(variant: Variant) -> str:
    """The same without the table, and without the tempo that goes with it."""
    return _digest(*records(variant, load(variant, relations=False)))


def _digest(rules: np.ndarray[Any, Any], weights: np.ndarray[Any, Any], *table: np.ndarray[Any, Any]) -> str:
    weights = weights.copy()
    weights["pair_table"] = 0  # an address, which is another one in every process
    digest = hashlib.sha256()
    for array in (rules, weights, *table):
        digest.update(array.tobytes())
    return digest.hexdigest()[:DIGITS]


def text_digest(value: Any) -> str:
    """Of anything that JSON can hold."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:DIGITS]


class Thinker:
    """One search thread and its memory."""

    def __init__(self, variant: Variant) -> None:
        self._options = SearchOptions()
        self._table = Table(HASH_MB)
        kind: type[Worker] = DiceWorker if variant.die else worker_kind()
        self.worker = kind(variant, self._table)

    def forget(self) -> None:
        """As new."""
        self._table.clear()
        self.worker.forget()
        self._table.wait()

    def search(self, position: BasePosition, nodes: int) -> tuple[int, int]:
        """(score, best move) for the side to move, before its throw if there is none."""
        worker = self.worker
        self._table.next_generation()
        moves = root_moves(position, Limits(), worker.rules)
        worker.prepare(position, moves, Limits(), self._options)
        for depth in range(1, MAX_DEPTH + 1):
            worker.deepen(depth, 1, _ignore)
            if depth == 1:
                worker.limit_nodes(nodes)
            if worker.stopped or abs(worker.scores[0]) >= DECIDED:
                break
        return worker.scores[0], worker.lines[0][0]


def longest_game(variant: Variant) -> int:
    """The ply at which a game of self-play ends as a draw."""
    return variant.max_plies or PLIES_PER_SQUARE * variant.squares


def _ignore(index: int, score: int, bound: str) -> None:
    """No report of an iteration is wanted."""


@dataclass(frozen=True)
class Recipe:
    """What chunks are made by: searches of `nodes` nodes, and games until there are `positions` of them."""

    variant: Variant
    seed: int = 1
    nodes: int = 2000
    positions: int = 5000


@dataclass
class _Rows:
    """Positions as they come; numbers are kept as bytes until there is an array of them."""

    board: list[bytes] = field(default_factory=list)
    hand: list[bytes] = field(default_factory=list)
    side: list[int] = field(default_factory=list)
    ply: list[int] = field(default_factory=list)
    score: list[int] = field(default_factory=list)
    quiet: list[bool] = field(default_factory=list)
    result: list[int] = field(default_factory=list)
    game: list[int] = field(default_factory=list)


def head_of(recipe: Recipe) -> dict[str, Any]:
    """What a chunk's head says of how it was made: everything that its positions follow from."""
    return {
        "format": FORMAT,
        "variant": recipe.variant.name,
        **identity(recipe.variant),
        "seed": recipe.seed,
        "nodes": recipe.nodes,
        "positions": recipe.positions,
        "engine": engine_digest(),
        "weights": weights_digest(recipe.variant),
    }


def play_chunk(recipe: Recipe, number: int) -> Chunk:
    """The chunk of that number. TooFewOpenings."""
    rng = random.Random(f"tune {recipe.variant.name} {recipe.seed} {number}")
    player, rows, seen, game = _player(recipe.variant), _Rows(), set[int](), 0
    while len(rows.score) < recipe.positions:
        for _ in range(MAX_TRIES):
            position = random_position(recipe.variant, OPENING_PLIES, rng)
            if position is None or position.key in seen:
                continue
            seen.add(position.key)
            if player.play(position, recipe.nodes, rng, rows):
                break
        else:
            raise TooFewOpenings(f"{recipe.variant.name}: no new opening in {MAX_TRIES} tries; use smaller chunks")
        rows.game += [game] * (len(rows.score) - len(rows.game))
        game += 1
    head = {**head_of(recipe), "chunk": number, "count": len(rows.score)}
    return Chunk(head, _arrays(recipe.variant, rows))


def _arrays(variant: Variant, rows: _Rows) -> Arrays:
    count = len(rows.score)
    board = np.frombuffer(b"".join(rows.board), np.uint8).reshape(count, variant.squares)
    hand = np.frombuffer(b"".join(rows.hand), np.uint8)
    return {
        "board": board,
        **({"cards": hand.reshape(count, -1)} if variant.cards else {"hand": hand.reshape(count, 2, -1)}),
        **{name: np.array(getattr(rows, name), kind) for name, kind in NUMBERS.items()},
    }


class _Player:
    """Plays both sides of a game and keeps its positions."""

    def __init__(self, variant: Variant) -> None:
        self._variant, self._thinker = variant, Thinker(variant)
        self._limit = longest_game(variant)
        rules = fields(self._thinker.worker.rules)
        self._hand_types = 0 if variant.cards else int(rules["hand_types"])
        self._promotion = int(rules["tactical_promotion"])
        self._most = DECIDED if variant.die else MAX_SCORE  # with a die much more is undecided

    def play(self, position: BasePosition, nodes: int, rng: random.Random, rows: _Rows) -> bool:
        """Play a game to its end and add its positions; False, and nothing added, if it begins too unevenly."""
        worker = self._thinker.worker
        self._thinker.forget()
        first, winner = len(rows.score), None
        while (end := position.outcome()) is None and position.ply < self._limit:
            if position.may_declare():
                winner = position.turn
                break
            score, move = self._thinker.search(position, nodes)
            if abs(score) >= DECIDED:
                winner = position.turn if score > 0 else 1 - position.turn
                break
            if len(rows.score) == first and abs(score) > MOST_UNEVEN:
                return False
            if abs(score) <= self._most:
                self._keep(position, score, move, rows)
            if isinstance(worker, DiceWorker):
                throw = rng.randint(1, FACES)
                moves, best = allowed_codes(position, throw), worker.reply(throw)
                move = best if best in moves else moves[0]  # where all lose, none is the best
            position.push(position.usi(move))
        if end is not None:
            winner = end.winner
        rows.result += [0 if winner is None else 1 if winner == side else -1 for side in rows.side[first:]]
        return len(rows.score) > first

    def _keep(self, position: BasePosition, score: int, move: int, rows: _Rows) -> None:
        record, squares = position.fields, self._variant.squares
        rows.board.append(record["board"][:squares].tobytes())
        if isinstance(position, OnitamaPosition):
            rows.hand.append(bytes(position.cards))
            forced = bool(record["threat"][int(record["ply"])])
        else:
            rows.hand.append(record["hand"][:, 1 : 1 + self._hand_types].tobytes())
            forced = position.in_check
        captures = not move & int(DROP) and record["board"][move & int(SQUARE_MASK)] != 0
        rows.side.append(position.turn)
        rows.ply.append(position.ply)
        rows.score.append(score)
        worker = self._thinker.worker
        if isinstance(worker, DiceWorker):
            # Nobody knows before a throw whether a capture may be made. The rest is not left to the evaluation.
            rows.quiet.append(not (forced or worker.may_win_now))
        else:
            rows.quiet.append(not (forced or captures or move & self._promotion))


_players = threading.local()  # a cluster's worker may have several threads


def _player(variant: Variant) -> _Player:
    """This thread's player of a game."""
    known: dict[str, _Player] = _players.__dict__
    if variant.name not in known:
        known[variant.name] = _Player(variant)
    return known[variant.name]


class Pace(NamedTuple):
    """How fast a worker is while all of them are at work: seconds a position, and positions a game."""

    seconds: float
    game: float


def play_trial(recipe: Recipe, number: int) -> Pace:
    """A short trial, in a worker."""
    play_chunk(replace(recipe, positions=1), number)  # loads, or compiles, what is needed
    started = time.perf_counter()
    chunk = play_chunk(replace(recipe, positions=min(TRIAL_POSITIONS, recipe.positions)), number)
    seconds = time.perf_counter() - started
    return Pace(seconds / len(chunk), len(chunk) / (1 + int(chunk.arrays["game"][-1])))


def measure(recipe: Recipe, workers: Callers) -> Pace:
    """The pace, by a short trial of all workers at once. DataError; TooFewOpenings."""
    trials = [workers.call(play_trial, recipe, number) for number in range(workers.concurrency)]
    gone: tuple[type[BaseException], ...] = (BrokenProcessPool, *workers.worker_errors)
    try:
        found = [trial.result() for trial in trials]
    except gone as error:
        raise DataError(f"a worker has gone: {' '.join(str(error).split())}") from None
    return Pace(fmean(pace.seconds for pace in found), fmean(pace.game for pace in found))


def generate(
    recipe: Recipe, folder: Path, numbers: list[int], workers: Callers, on_chunk: Callable[[int], None]
) -> None:
    """Play and keep the chunks of these numbers; `on_chunk` is called with each one's count once it is kept.
    DataError; TooFewOpenings; WorkError."""
    head = head_of(recipe)

    def play(number: int) -> Future[Chunk]:
        return workers.call(play_chunk, recipe, number)

    for number, chunk in finished("chunk", iter(numbers), play, workers, {}):
        compare(chunk.head, {**head, "chunk": number}, f"chunk {number}, as a worker played it,")
        write(folder, number, chunk)
        on_chunk(len(chunk))
