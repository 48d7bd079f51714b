"""Direct calls of the dice variants' search and of a simple search without pruning, and positions for comparing the
two."""

from __future__ import annotations

import random
import time
from functools import cache
from typing import Any

import numpy as np

from kogoma.eval.game import default_game
from kogoma.native.library import Library
from kogoma.rules.position import Position
from kogoma.rules.rules_struct import layout_of
from kogoma.search.dice.curve import chance_curve
from kogoma.search.dice.values import NO_LIMIT, dice_thread_dtype
from kogoma.search.library import dice_library
from kogoma.search.table_memory import Table


def record_of(table: Table, moves: list[int], layout: str = "64") -> np.ndarray[Any, Any]:
    """Return a search thread's struct for a position with these legal moves. With the struct's settings, a search uses
    no reductions, and only table values of equal depth, so it is exact."""
    array = np.zeros(1, dice_thread_dtype(layout))
    record = array[0]
    record["tt"], record["tt_mask"] = table.address, table.buckets - 1
    record["tt_exact"] = record["full_depth"] = 1
    record["last_ply"], record["chance_curve"][:] = NO_LIMIT, chance_curve()
    record["root_count"], record["root_move"][: len(moves)] = len(moves), moves
    return array


def pruned(position: Position, depth: int, table: Table) -> tuple[int, int, float]:
    """Search with pruning, by iterative deepening up to `depth` with an empty table. Return the value before the roll,
    the number of nodes, and the elapsed seconds."""
    table.clear()
    table.wait()
    game = default_game(position.variant)
    layout = layout_of(position.variant)
    thread = record_of(table, position.legal_codes(), layout)
    thread[0]["last_ply"] = position.variant.max_plies or NO_LIMIT
    record, value = position.struct.copy(), 0
    library = dice_library(layout)
    library.load()
    started = time.perf_counter()
    for step in range(1, depth + 1):
        value = library("expectimax", game, record, thread, step, 0)
    return value, int(thread[0]["nodes"]), time.perf_counter() - started


@cache
def plain_library(layout: str = "64") -> Library:
    """Return the native library of the searches without pruning: of expectimax, and for mates."""
    return Library("plain", ("oracles.plain_expectimax", "oracles.forced_mates"), layout, "tests")


def plain(position: Position, depth: int, table: Table) -> tuple[int, int, float]:
    """Search to `depth` without pruning. Return the value before the roll, the number of nodes, and the elapsed
    seconds."""
    game = default_game(position.variant)
    layout = layout_of(position.variant)
    thread = record_of(table, [], layout)
    thread[0]["last_ply"] = position.variant.max_plies or NO_LIMIT
    record = position.struct.copy()
    library = plain_library(layout)
    library.load()
    started = time.perf_counter()
    value = library("plain_value", game, record, thread, depth, 0)
    return value, int(thread[0]["nodes"]), time.perf_counter() - started


def middle_games(count: int, variant: str = "dice", seed: int = 1) -> list[Position]:
    """Return `count` positions. Each is the position of a random game after 6 to 40 plies."""
    chance = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        position = Position(variant)
        for _ in range(chance.randint(6, 40)):
            moves = sorted(position.legal_moves())
            if not moves:
                break
            position.push(chance.choice(moves))
        if position.outcome() is None:
            found.append(position)
    return found
