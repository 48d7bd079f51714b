"""Self-play: games of the engine against itself that make chunks of scored positions.

The recipe and number of a chunk determine its games: random plies, then single-threaded searches with a fixed number of
nodes and a cleared transposition table for every game. Several chunks are played in parallel.
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
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from kogoma.eval.game import default_game, game_struct
from kogoma.eval.weights import cached_weights, load
from kogoma.lab.match.opening_maker import MAX_TRIES, TooFewOpenings, random_position
from kogoma.lab.match.runner import finished, result_of
from kogoma.lab.match.workers import Callers
from kogoma.lab.tune.store import FORMAT, Arrays, Chunk, DataError, compare, write
from kogoma.native.object_file import source_text, sources
from kogoma.rules.base_position import BasePosition
from kogoma.rules.custom.writer import definition_digest
from kogoma.rules.dice.die import allowed_codes
from kogoma.rules.move_encoding import DROP, SQUARE_MASK
from kogoma.rules.onitama.position import OnitamaPosition
from kogoma.rules.rules_struct import rules_struct
from kogoma.rules.structs import Struct, fields
from kogoma.rules.variants import FACES, Variant
from kogoma.search.control import EXACT_SCORE
from kogoma.search.dice.curve import FULL
from kogoma.search.dice.values import NAMED
from kogoma.search.driver import Driver
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.table_memory import Table
from kogoma.search.thread import DECIDED

DIGITS = 16  # hexadecimal digits of a digest
HASH_MB = 8  # large enough for a game, and quick to clear
PLIES_PER_SQUARE = 8  # in variants without a ply limit, a game with more plies for each square is a draw
# The arrays of a chunk that hold one number per position, and their numpy types.
NUMBERS = {"side": "u1", "ply": "u2", "score": "i2", "result": "i1", "quiet": "?", "game": "u2"}
OPENING_PLIES = (4, 9)  # minimum and maximum number of random plies
MAX_IMBALANCE = 1000  # centipawns after the opening; games from more uneven positions teach little
MAX_SCORE = 3000  # centipawns; positions with a higher score are practically decided
TRIAL_POSITIONS = 500  # positions per worker in the trial that measures the speed


@cache
def engine_digest() -> str:
    """Return a short digest of the source code of rules, evaluation and search."""
    digest = hashlib.sha256()
    for module in sources(("kogoma.search.searcher",)):
        digest.update(source_text(module).encode())
    return digest.hexdigest()[:DIGITS]


def weights_digest(variant: Variant) -> str:
    """Return a short digest of a variant's weights, including the network."""
    layers = cached_weights(variant).get("layers")
    return _digest(default_game(variant), *([] if layers is None else [layers.rows]))


def terms_digest(variant: Variant) -> str:
    """Return a short digest of a variant's weights without the network and its tempo correction."""
    return _digest(game_struct(variant, load(variant, network=False)))


def _digest(game: Struct, *network: np.ndarray[Any, Any]) -> str:
    game = game.copy()
    fields(game)["weights"]["network"] = 0  # a memory address, different in each process
    digest = hashlib.sha256()
    for array in (game, *network):
        digest.update(array.tobytes())
    return digest.hexdigest()[:DIGITS]


def json_digest(value: Any) -> str:
    """Return a short digest of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:DIGITS]


class FixedNodesPlayer:
    """A single-threaded player that searches with a fixed number of nodes."""

    def __init__(self, variant: Variant) -> None:
        self._table = Table(HASH_MB)
        self._score_field = "line_score" if variant.die else "root_last"
        self.driver = Driver(variant, self._table)

    def forget(self) -> None:
        """Clear the transposition table and the tables of the search thread."""
        self._table.clear()
        self.driver.forget()
        self._table.wait()

    def search(self, position: BasePosition, nodes: int) -> tuple[int, int]:
        """Return the score for the side to move, and the code of the best move. With a die, the search starts before
        the roll. The limit `nodes` applies from depth 2, so that there is always a move. The score is the last one of
        the best move, which may be a bound."""
        driver = self.driver
        driver.begin(position, Limits(nodes=nodes), SearchOptions(), 0)
        while driver.iterate():
            report = driver.control
            if int(report["line_bound"]) == EXACT_SCORE and abs(int(report["line_score"])) >= DECIDED:
                break
        return int(driver.main.fields[self._score_field][0]), driver.line[0]

    def reply(self, files: int, roll: int, best: int) -> int:
        """Return the best move for the die roll `roll`, according to the last iteration of a search before the roll. If
        it found no move for this roll, return `best`. `files` is the number of files of the board."""
        files = min(files, NAMED)
        return (int(self.driver.main.fields["reply"][files - roll]) if roll <= files else 0) or best

    @property
    def may_win_now(self) -> bool:
        """Whether some roll lets the side to move win at once, according to the last iteration of a search before the
        roll."""
        return int(self.driver.main.fields["root_value"]) == FULL


def longest_game(variant: Variant) -> int:
    """Return the number of plies after which a game of self-play ends as a draw."""
    return variant.max_plies or PLIES_PER_SQUARE * variant.squares


@dataclass(frozen=True)
class Recipe:
    """The settings from which chunks are made. `nodes` is the number per search, and `positions` is the minimum number
    per chunk. `seed` and the number of a chunk determine the chunk's random numbers."""

    variant: Variant
    seed: int = 1
    nodes: int = 2000
    positions: int = 5000


Columns = dict[str, list[Any]]
"""The positions of a chunk that is being made: lists of bytes for "board" and "hand", and lists of NUMBERS."""


def head_of(recipe: Recipe) -> dict[str, Any]:
    """Return the fields that the heads of all chunks made with a recipe have in common."""
    return {
        "format": FORMAT,
        "variant": recipe.variant.name,
        **definition_digest(recipe.variant),
        "seed": recipe.seed,
        "nodes": recipe.nodes,
        "positions": recipe.positions,
        "engine": engine_digest(),
        "weights": weights_digest(recipe.variant),
    }


def play_chunk(recipe: Recipe, number: int) -> Chunk:
    """Play the games of chunk `number` and return the chunk. Raises TooFewOpenings if MAX_TRIES random openings in a
    row are unusable or were used before."""
    rng = random.Random(f"tune {recipe.variant.name} {recipe.seed} {number}")
    player, seen, game = _player(recipe.variant, threading.get_ident()), set[int](), 0
    columns: Columns = {name: [] for name in ("board", "hand", *NUMBERS)}
    while len(columns["score"]) < recipe.positions:
        for _ in range(MAX_TRIES):
            position = random_position(recipe.variant, OPENING_PLIES, rng)
            if position is None or position.key in seen:
                continue
            seen.add(position.key)
            if player.play(position, recipe.nodes, rng, columns):
                break
        else:
            raise TooFewOpenings(
                f"{recipe.variant.name}: no new opening in {MAX_TRIES} tries: the variant has too few of them"
            )
        columns["game"] += [game] * (len(columns["score"]) - len(columns["game"]))
        game += 1
    head = {**head_of(recipe), "chunk": number, "count": len(columns["score"])}
    return Chunk(head, _arrays(recipe.variant, columns))


def _arrays(variant: Variant, columns: Columns) -> Arrays:
    count = len(columns["score"])
    board = np.frombuffer(b"".join(columns["board"]), np.uint8).reshape(count, variant.squares)
    hand = np.frombuffer(b"".join(columns["hand"]), np.uint8)
    return {
        "board": board,
        **({"cards": hand.reshape(count, -1)} if variant.cards else {"hand": hand.reshape(count, 2, -1)}),
        **{name: np.array(columns[name], kind) for name, kind in NUMBERS.items()},
    }


class _Player:
    """Plays both sides of a game and collects its positions."""

    def __init__(self, variant: Variant) -> None:
        self._variant, self._searcher = variant, FixedNodesPlayer(variant)
        self._limit = longest_game(variant)
        rules = fields(rules_struct(variant))
        self._hand_types = 0 if variant.cards else int(rules["hand_types"])
        self._promotion = int(rules["tactical_promotion"])
        # With a die, games with high scores are still undecided.
        self._max_score = DECIDED if variant.die else MAX_SCORE

    def play(self, position: BasePosition, nodes: int, rng: random.Random, columns: Columns) -> bool:
        """Play a game from `position` and add its positions to `columns`. Return False, and add nothing, if one side is
        too far ahead at the start or the game has no usable position."""
        self._searcher.forget()
        first, winner = len(columns["score"]), None
        while (end := position.outcome()) is None and position.ply < self._limit:
            if position.may_declare():
                winner = position.turn
                break
            score, move = self._searcher.search(position, nodes)
            if abs(score) >= DECIDED:
                winner = position.turn if score > 0 else 1 - position.turn
                break
            if len(columns["score"]) == first and abs(score) > MAX_IMBALANCE:
                return False
            if abs(score) <= self._max_score:
                self._add_position(position, score, move, columns)
            if self._variant.die:
                roll = rng.randint(1, FACES)
                moves, best = allowed_codes(position, roll), self._searcher.reply(self._variant.files, roll, move)
                move = best if best in moves else moves[0]  # the search has no best move if all moves lose
            position.push(position.usi(move))
        if end is not None:
            winner = end.winner
        sides = columns["side"][first:]
        columns["result"] += [0 if winner is None else 1 if winner == side else -1 for side in sides]
        return bool(sides)

    def _add_position(self, position: BasePosition, score: int, move: int, columns: Columns) -> None:
        fields, squares = position.fields, self._variant.squares
        columns["board"].append(fields["board"][:squares].tobytes())
        if isinstance(position, OnitamaPosition):
            columns["hand"].append(bytes(position.cards))
            forced = bool(fields["threat"][int(fields["ply"])])
        else:
            columns["hand"].append(fields["hand"][:, 1 : 1 + self._hand_types].tobytes())
            forced = position.in_check
        captures = not move & int(DROP) and fields["board"][move & int(SQUARE_MASK)] != 0
        columns["side"].append(position.turn)
        columns["ply"].append(position.ply)
        columns["score"].append(score)
        if self._variant.die:
            # Before the roll, it is unknown whether a capture will be allowed, so captures do not count here.
            columns["quiet"].append(not (forced or self._searcher.may_win_now))
        else:
            columns["quiet"].append(not (forced or captures or move & self._promotion))


@cache
def _player(variant: Variant, thread: int) -> _Player:
    """Return a player for a variant. Results are cached, so that each `thread` keeps a player of its own. A cluster's
    worker may have several threads."""
    return _Player(variant)


class Pace(NamedTuple):
    """The speed of a worker while all workers are busy: seconds per position, and positions per game."""

    seconds: float
    game: float


def play_trial(recipe: Recipe, number: int) -> Pace:
    """Return the pace of this worker, measured by playing a small chunk."""
    play_chunk(replace(recipe, positions=1), number)  # load or compile the native library before the measurement
    started = time.perf_counter()
    chunk = play_chunk(replace(recipe, positions=min(TRIAL_POSITIONS, recipe.positions)), number)
    seconds = time.perf_counter() - started
    return Pace(seconds / len(chunk), len(chunk) / (1 + int(chunk.arrays["game"][-1])))


def measure(recipe: Recipe, workers: Callers) -> Pace:
    """Return the mean pace of the workers while all of them are busy. Raises DataError if a worker process ends,
    TooFewOpenings if the variant has too few openings."""
    trials = [workers.call(play_trial, recipe, number) for number in range(workers.concurrency)]
    gone: tuple[type[BaseException], ...] = (BrokenProcessPool, *workers.worker_errors)
    try:
        found = [result_of(trial) for trial in trials]
    except gone as error:
        raise DataError(f"a worker process ended unexpectedly: {' '.join(str(error).split())}") from None
    return Pace(fmean(pace.seconds for pace in found), fmean(pace.game for pace in found))


def generate(
    recipe: Recipe, folder: Path, numbers: list[int], workers: Callers, on_chunk: Callable[[int], None]
) -> None:
    """Make the chunks `numbers` and write them to a folder. `on_chunk` is called after each chunk with the number of
    its positions. Raises DataError if a worker has another version of the engine or a file cannot be written,
    TooFewOpenings if the variant has too few openings, WorkError if a chunk is lost repeatedly."""
    head = head_of(recipe)

    def play(number: int) -> Future[Chunk]:
        return workers.call(play_chunk, recipe, number)

    for number, chunk in finished("chunk", iter(numbers), play, workers, {}):
        compare(chunk.head, {**head, "chunk": number}, f"chunk {number}, as a worker played it,")
        write(folder, number, chunk)
        on_chunk(len(chunk))
