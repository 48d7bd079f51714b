"""A position for scripts, in the style of python-chess."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kogoma.rules.base_position import BasePosition
from kogoma.rules.outcome import Outcome
from kogoma.rules.position import new_position
from kogoma.rules.variants import DEFAULT, Variant, find, infer


class Position:
    """A position of any variant and the moves that led to it. Moves are strings in USI notation.

    >>> position = Position("minishogi")
    >>> position.push("3e3d")
    >>> position
    Position('minishogi', 'rbsgk/4p/5/P4/KGSBR b - 1', ['3e3d'])
    >>> position == Position(sfen="rbsgk/4p/5/P1S2/KG1BR w - 2")
    True
    >>> position.pop(), position.moves
    ('3e3d', [])

    Two positions are equal if variant, board, hands, side to move and move number are equal; the moves that led to them
    do not matter. `hash()` uses the same data, so every move changes it. Positions can be pickled.
    """

    def __init__(
        self, variant: Variant | str | None = None, sfen: str | None = None, moves: Iterable[str] = ()
    ) -> None:
        """Set up the variant's start position (default shogi) or an SFEN, and play `moves`. Without `variant`,
        board size and pieces of the SFEN select it. Raises ValueError for an invalid position or an illegal move."""
        if variant is None:
            variant = DEFAULT if sfen is None else infer(sfen, DEFAULT)
        self.game: BasePosition = new_position(variant, sfen)
        for move in moves:
            self.game.push(move)

    @property
    def variant(self) -> Variant:
        """The variant whose rules apply."""
        return self.game.variant

    @property
    def turn(self) -> int:
        """The side to move: 0 for Black, 1 for White."""
        return self.game.turn

    @property
    def ply(self) -> int:
        """The number of plies played, counted from move number 1 of the start SFEN."""
        return self.game.ply

    @property
    def start_sfen(self) -> str:
        """The SFEN from which the moves were played."""
        return self.game.start_sfen

    @property
    def moves(self) -> list[str]:
        """The moves played."""
        return list(self.game.moves)

    def sfen(self) -> str:
        """Return the position as SFEN, with the move number."""
        return self.game.sfen()

    def legal_moves(self) -> list[str]:
        """Return the legal moves, in no particular order, even if the game has ended by repetition or a move limit."""
        return self.game.legal_moves()

    def push(self, move: str) -> None:
        """Play a move. Raises ValueError, and changes nothing, if it is not legal."""
        self.game.push(move)

    def pop(self) -> str:
        """Take the last move back and return it. Raises ValueError at the start position."""
        last = self.game.moves[-1:]
        self.game.pop()
        return last[0]

    def is_check(self) -> bool:
        """Return whether the side to move is in check."""
        return self.game.in_check

    def checkers(self) -> list[str]:
        """Return the squares of the pieces that give check."""
        return self.game.checkers

    def outcome(self) -> Outcome | None:
        """Return how the game has ended by its rules, or None if it goes on.

        >>> Position(sfen="4k/4G/4P/5/K4 w - 1").outcome()
        Outcome(winner=0, reason='checkmate')
        """
        return self.game.outcome()

    def perft(self, depth: int) -> int:
        """Return the number of leaf nodes of the move tree of `depth` plies."""
        return self.game.perft(depth)

    def divide(self, depth: int) -> Iterator[tuple[str, int]]:
        """Yield each legal move and the number of leaf nodes below it; the sum is `perft(depth)`."""
        return self.game.divide(depth)

    def copy(self) -> Position:
        """Return an independent copy of the game."""
        twin = object.__new__(type(self))
        twin.game = self.game.copy()
        return twin

    __copy__ = copy

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[str, str]:
        return self.variant.name, self.sfen()

    def __reduce__(self) -> tuple[type[Position], tuple[str, str, list[str]]]:
        return type(self), (self.variant.name, self.start_sfen, self.moves)

    def __repr__(self) -> str:
        words = [self.variant.name, self.start_sfen, *([self.moves] if self.moves else [])]
        return f"Position({', '.join(map(repr, words))})"

    def __str__(self) -> str:
        """Return a diagram with hands or cards, SFEN, hash key and checkers."""
        return str(self.game)


def as_game(position: Position | BasePosition | str, variant: Variant | str = DEFAULT) -> BasePosition:
    """Return the `BasePosition` of a `Position`, an SFEN or "startpos". `variant` is the variant of "startpos". An SFEN
    belongs to `variant` if its board size and pieces fit, otherwise to the first variant that they fit. Raises
    ValueError for an invalid SFEN or an unknown variant."""
    if isinstance(position, Position):
        return position.game
    if isinstance(position, BasePosition):
        return position
    game = find(variant) if isinstance(variant, str) else variant
    return new_position(game) if position == "startpos" else new_position(infer(position, game), position)
