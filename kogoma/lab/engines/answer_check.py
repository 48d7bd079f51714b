"""Check an engine's answers against the rules, for matches and for games on the web page."""

from __future__ import annotations

from kogoma.lab.engines import faults
from kogoma.lab.engines.base import Engine
from kogoma.rules.base_position import BasePosition
from kogoma.rules.dice.die import allowed
from kogoma.search.answers import DECLARATION, RESIGN


def checked(engine: Engine, position: BasePosition, move: str, roll: int | None) -> str:
    """Return a valid answer of an engine: RESIGN, DECLARATION or a legal move in USI notation. Raises EngineError for a
    move that is illegal or not allowed by the die roll, and for a declaration that the rules do not allow."""
    if move == RESIGN:
        return move
    if move == DECLARATION:
        if any(position.variant.declaration) and position.may_declare():
            return move
        raise engine.make_fault(faults.ILLEGAL_MOVE, f"declares a win that the rules do not allow in {position.sfen()}")
    try:
        usi = position.usi(position.code(move))
    except ValueError as error:
        raise engine.make_fault(faults.ILLEGAL_MOVE, str(error)) from None
    if roll is not None and usi not in allowed(position, roll):
        raise engine.make_fault(faults.ILLEGAL_MOVE, f"{usi} not allowed by the roll {roll} in {position.sfen()}")
    return usi
