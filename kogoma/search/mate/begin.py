"""The beginning of a problem: the solver's own copy of the position, and a record that knows nothing of it yet."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO
from kogoma.native.kernel import entry, kernel
from kogoma.native.memory import copy_bytes
from kogoma.search.mate.entries import begin_small
from kogoma.search.mate.record import MATE_RECORDS


@kernel
def copy_position(position: Any, mate: Any, source: Any) -> None:
    """Make the position what the record at the address `source` is, as far as its history goes."""
    part = ZERO
    while part < mate.part_count:
        offset = mate.parts[part, 0]
        count = mate.parts[part, 1] + mate.parts[part, 2] * (position.ply + ONE)  # the first part holds the ply
        copy_bytes(mate.copy + offset, source + offset, count)
        part += ONE


@entry(**MATE_RECORDS, source=int, number=int, defending=int, node_limit=int, deadline=int, same_hands=int)
def begin(
    rules: Any,
    position: Any,
    mate: Any,
    source: Any,
    number: Any,
    defending: Any,
    node_limit: Any,
    deadline: Any,
    same_hands: Any,
) -> Any:
    """Get ready for a problem: `source` is the address of its position, `number` that of the search, which no other
    one with this table has, `defending` 1 where the side that is not to move is to mate; the others are as in the
    record. 0."""
    copy_position(position, mate, np.uint64(source))
    mate.stop = 0
    mate.node_limit = node_limit
    mate.deadline = deadline
    mate.attacker = position.side ^ np.uint64(defending)
    mate.every_move = 0
    mate.same_hands = same_hands
    begin_small(mate)
    mate.salt = np.uint64(number) * np.uint64(0xD1342543DE82EF95) + np.uint64(0x9E3779B97F4A7C15)
    mate.generation = np.uint64(number % np.int64(255) + 1)
    mate.nodes = 0
    mate.seldepth = 0
    return np.int64(0)
