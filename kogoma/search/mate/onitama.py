"""The kernels of Onitama's rules for the mate solver. A check is a threat to win by the next move.

Onitama has no hands and no interpositions, and nothing is computed before a move is made. Each of the
kernels `nothing`, `never`, `empty` and `unchanged` replaces several shogi kernels, so they take any arguments.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ZERO
from kogoma.native.kernel import kernel
from kogoma.native.types import Flag, Int, Word
from kogoma.rules.onitama.moves import generate, key_after
from kogoma.rules.types import Key, Move, MoveList, Position, Rules
from kogoma.search.mate.checks import keep_forcing
from kogoma.search.types import MateState


@kernel
def nothing(rules: Rules, position: Position, *others: Any) -> None:
    """Do nothing: Onitama does not need the kernels that this one replaces."""
    return


@kernel
def never(rules: Rules, position: Position, *others: Any) -> Flag:
    """Return False. This replaces `is_between`, because Onitama has no interpositions, and `has_reply`, so that every
    move is made to see whether it wins."""
    return False


@kernel
def empty(rules: Rules, position: Position, *others: Any) -> Any:
    """Return 0, which stands for an empty hand or for no move, because Onitama has no hands and no interpositions."""
    return ZERO


@kernel
def unchanged(rules: Rules, position: Position, before: Word, *others: Any) -> Any:
    """Return `before` unchanged. This replaces shogi's kernels that update a packed hand, because Onitama has no hands,
    and the kernel that updates a hash key after an interposition, because Onitama has no interpositions."""
    return before


@kernel
def generate_forcing(rules: Rules, position: Position, mate: MateState, moves: MoveList) -> Int:
    """Write the attacker's candidate moves into `moves`, and return their number. These are threats to win and moves
    that win at once, or every legal move if `mate.every_move` is set."""
    count = generate(rules, position, moves)
    return count if mate.every_move != 0 else keep_forcing(rules, position, moves, count)


@kernel
def board_key(rules: Rules, position: Position) -> Any:
    """Return the hash key of the position. (In shogi, the board key leaves out the hands, but Onitama has none.)"""
    return position.key[position.ply]


@kernel
def board_key_after(rules: Rules, position: Position, key: Key, move: Move) -> Key:
    """Return the hash key of the position after `move`."""
    return key_after(rules, position, move)


@kernel
def count_between(rules: Rules, position: Position) -> Int:
    """Return 0, because Onitama has no interpositions."""
    return np.int64(0)


@kernel
def prepare_replies(rules: Rules, position: Position, mate: MateState) -> None:
    """Set `mate.prepared` and `mate.flights` to 0. In shogi, this kernel prepares an estimate of the number of replies
    to each check; in Onitama there is no such estimate."""
    mate.prepared = 0
    mate.flights = 0


@kernel
def guess_replies(rules: Rules, position: Position, mate: MateState, move: Move) -> Int:
    """Return 1 as the estimated number of replies to a move."""
    return np.int64(1)


@kernel
def earlier(rules: Rules, position: Position, mate: MateState, key: Key, entry: Int) -> Any:
    """If the position with the hash key `key` occurred on the search path, return its row there, otherwise 0. Onitama
    allows repetitions, but they make no progress towards a win. Positions are compared from index `entry` back, in
    steps of two plies."""
    while entry >= mate.root_ply:
        if position.key[np.uint64(entry)] == key:
            return entry - mate.root_ply + 1
        entry -= np.int64(2)
    return np.int64(0)
