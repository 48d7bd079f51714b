"""The rules of the die for kernels."""

from __future__ import annotations

from kogoma.native.bitboard import any_of, load_bb
from kogoma.native.kernel import kernel
from kogoma.native.types import Flag
from kogoma.rules.types import Position, Rules
from kogoma.rules.variants import Die

UNLESS_IN_CHECK = int(Die.UNLESS_IN_CHECK)


@kernel
def free_choice(rules: Rules, position: Position) -> Flag:
    """Return whether the side to move may play any legal move whatever it rolls, because it is in check in a variant
    where checks suspend the die."""
    return rules.die == UNLESS_IN_CHECK and any_of(load_bb(position.checkers, position.ply))
