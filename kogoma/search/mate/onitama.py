"""What the solver asks of Onitama's rules. A check is a threat to win by the next move. There are no hands, nothing is
put between, and nothing is known of a move before it is made: the first kernels here each stand for several of shogi's,
with whatever arguments these take."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ZERO
from kogoma.native.kernel import kernel
from kogoma.rules.onitama.moves import generate, key_after
from kogoma.rules.types import Key, Move, MoveList, Position, Rules
from kogoma.search.mate.checks import keep_forcing
from kogoma.search.types import MateState


@kernel
def nothing(rules: Rules, position: Position, *others: Any) -> None:
    """Do nothing."""
    return


@kernel
def never(rules: Rules, position: Position, *others: Any) -> Any:
    """False."""
    return False


@kernel
def empty(rules: Rules, position: Position, *others: Any) -> Any:
    """An empty hand, or no move."""
    return ZERO


@kernel
def unchanged(rules: Rules, position: Position, before: Any, *others: Any) -> Any:
    """The hand or the key as it was."""
    return before


@kernel
def generate_forcing(rules: Rules, position: Position, mate: MateState, moves: MoveList) -> Any:
    """Write the attacker's moves; how many there are."""
    count = generate(rules, position, moves)
    return count if mate.every_move != 0 else keep_forcing(rules, position, moves, count)


@kernel
def board_key(rules: Rules, position: Position) -> Any:
    """The position's key."""
    return position.key[position.ply]


@kernel
def board_key_after(rules: Rules, position: Position, key: Key, move: Move) -> Any:
    """The same after a move."""
    return key_after(rules, position, move)


@kernel
def count_between(rules: Rules, position: Position) -> Any:
    """0: nothing can be put anywhere."""
    return np.int64(0)


@kernel
def survey(rules: Rules, position: Position, mate: MateState) -> None:
    """Nothing is known of a move before it is made."""
    mate.surveyed = 0
    mate.flights = 0


@kernel
def guess_replies(rules: Rules, position: Position, mate: MateState, move: Move) -> Any:
    """1."""
    return np.int64(1)


@kernel
def earlier(rules: Rules, position: Position, mate: MateState, key: Key, entry: Any) -> Any:
    """The row in which a position with that key stood before, or 0. The rules know no repetition, but whoever repeats
    has not come nearer to a win."""
    while entry >= mate.root_ply:
        if position.key[np.uint64(entry)] == key:
            return entry - mate.root_ply + 1
        entry -= np.int64(2)
    return np.int64(0)
