"""Prove that a dice game is decided: won or lost for every sequence of rolls."""

from __future__ import annotations

import numpy as np

from kogoma.eval.types import Game
from kogoma.native.bitboard import ONE, ZERO
from kogoma.native.kernel import entry_point, kernel
from kogoma.native.types import Flag, Int
from kogoma.rules.make_move import make, unmake
from kogoma.rules.movegen import generate
from kogoma.rules.types import Ply, Position
from kogoma.search.dice.curve import FULL
from kogoma.search.dice.expectimax import sort_by_file
from kogoma.search.dice.leaf import NOT_OVER, ended_value, stuck_value
from kogoma.search.dice.values import DICE_STRUCTS, NAMED
from kogoma.search.node import look_at_clock
from kogoma.search.types import Thread


@kernel
def some_move(game: Game, position: Position, thread: Thread, plies: Ply, ply: Ply, file: Int) -> Flag:
    """Return whether one of the moves to the board's file `file` certainly wins within `plies`, counting the move
    itself."""
    for i in range(thread.first[ply, file], thread.end[ply, file]):
        make(game.rules, position, np.uint64(thread.move[ply, i]))
        won = decided(game, position, thread, plies - 1, ply + 1, np.int64(0))
        unmake(game.rules, position)
        if won != 0:
            return True
    return False


@entry_point(**DICE_STRUCTS, plies=int, ply=int, winning=int)
def decided(game: Game, position: Position, thread: Thread, plies: Ply, ply: Ply, winning: Int) -> Int:
    """With `winning` 1, return 1 if the side to move, before its roll, wins within `plies` whatever is rolled. With
    `winning` 0, return 1 if it loses within `plies` whatever is rolled. Return 0 in all other cases, and if the search
    ends early because `thread.proof_nodes` is used up or `thread.stop` is set."""
    rules = game.rules
    thread.proof_nodes -= 1
    look_at_clock(thread, thread.proof_nodes)
    if thread.proof_nodes < 0 or thread.stop != 0:
        return np.int64(0)
    wanted = np.int64(FULL) if winning != 0 else np.int64(-FULL)
    value = ended_value(rules, position, thread)
    if value != NOT_OVER:
        return np.int64(value == wanted)
    count = generate(rules, position, thread.list[ply])
    if count == 0:
        return np.int64(stuck_value(rules, position, thread) == wanted)
    if plies <= 0:
        return np.int64(0)
    i = ZERO
    if winning == 0:
        while i < count:
            make(rules, position, np.uint64(thread.list[ply, i]))
            won = decided(game, position, thread, plies - 1, ply + 1, np.int64(1))
            unmake(rules, position)
            if won == 0:
                return np.int64(0)
            i += ONE
        return np.int64(1)
    files = sort_by_file(rules, position, thread, ply, count)
    while i < files:
        file = thread.file_order[ply, i]
        # The moves to files that no face of the die names (`file` is NAMED) matter only if there are no others.
        if file < NAMED or files == 1:
            if not some_move(game, position, thread, plies, ply, file):
                return np.int64(0)
        i += ONE
    return np.int64(1)


@entry_point(**DICE_STRUCTS, plies=int, winning=int)
def certain(game: Game, position: Position, thread: Thread, plies: Ply, winning: Int) -> Int:
    """With `winning` 1, return 1 if the move `thread.root_best` wins within `plies` whatever is rolled. With `winning`
    0, return 1 if every move in `thread.root_move` loses within `plies` whatever is rolled. In all other cases return 0
    (see `decided`)."""
    count = thread.root_count
    if winning != 0:
        count = np.int64(1)
    for i in range(count):
        make(game.rules, position, thread.root_best if winning != 0 else np.uint64(thread.root_move[i]))
        sure = decided(game, position, thread, plies - 1, np.int64(1), 1 - winning)
        unmake(game.rules, position)
        if sure == 0:
            return np.int64(0)
    return np.int64(1)
