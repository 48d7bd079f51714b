"""What the solver asks of Onitama's rules, by the names of `search.mate.checks`. There are no hands, and nothing is put
between; a check is a threat to win by the next move."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO
from kogoma.native.kernel import kernel
from kogoma.rules.onitama.make_move import key_after, make, unmake
from kogoma.rules.onitama.moves import generate, is_in_check, over


@kernel
def set_check_info(rules: Any, position: Any) -> None:
    """Nothing: threats are found as moves are made."""
    return


@kernel
def generate_forcing(rules: Any, position: Any, mate: Any, moves: Any) -> Any:
    """Write the attacker's moves; how many there are."""
    count = generate(rules, position, moves)
    if mate.every_move != 0:
        return count
    n = ZERO
    i = ZERO
    while i < count:
        move = np.uint64(moves[i])
        make(rules, position, move)
        forces = is_in_check(position) or over(rules, position)
        unmake(rules, position)
        if forces:
            moves[n] = np.uint16(move)
            n += ONE
        i += ONE
    return n


@kernel
def hand_word(rules: Any, position: Any, side: Any) -> Any:
    """An empty hand."""
    return ZERO


@kernel
def board_key(rules: Any, position: Any) -> Any:
    """The position's key."""
    return position.key[position.ply]


@kernel
def board_key_after(rules: Any, position: Any, key: Any, move: Any) -> Any:
    """The same after a move."""
    return key_after(rules, position, move)


@kernel
def hand_after(rules: Any, position: Any, hand: Any, move: Any) -> Any:
    """The hand as it was."""
    return hand


@kernel
def need_before(rules: Any, position: Any, need: Any, move: Any) -> Any:
    """The hand as it was."""
    return need


@kernel
def count_between(rules: Any, position: Any) -> Any:
    """0: nothing can be put anywhere."""
    return np.int64(0)


@kernel
def kept_back(rules: Any, position: Any) -> Any:
    """An empty hand."""
    return ZERO


@kernel
def recapture(rules: Any, position: Any, move: Any) -> Any:
    """0: there is none."""
    return ZERO


@kernel
def key_nearer(rules: Any, position: Any, key: Any, capture: Any) -> Any:
    """The key as it was."""
    return key


@kernel
def survey(rules: Any, position: Any, mate: Any) -> None:
    """Nothing is known of a move before it is made."""
    mate.surveyed = 0
    mate.flights = 0


@kernel
def has_reply(rules: Any, position: Any, mate: Any, move: Any) -> Any:
    """False: there may be one."""
    return False


@kernel
def guess_replies(rules: Any, position: Any, mate: Any, move: Any) -> Any:
    """1."""
    return np.int64(1)


@kernel
def is_between(rules: Any, position: Any, move: Any) -> Any:
    """False."""
    return False


@kernel
def give_back(rules: Any, position: Any, kind: Any, step: Any) -> None:
    """Nothing."""
    return


@kernel
def earlier(rules: Any, position: Any, mate: Any, key: Any, entry: Any) -> Any:
    """The row in which a position with that key stood before, or 0. The rules know no repetition, but whoever repeats
    has not come nearer to a win."""
    while entry >= mate.root_ply:
        if position.key[np.uint64(entry)] == key:
            return entry - mate.root_ply + 1
        entry -= np.int64(2)
    return np.int64(0)
