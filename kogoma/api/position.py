"""A game's position for scripts, in the manner of python-chess."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kogoma.rules.base_position import BasePosition
from kogoma.rules.outcome import Outcome
from kogoma.rules.position import new_position
from kogoma.rules.variants import DEFAULT, Variant, find, infer


class Position:
    """A position and the moves that led to it, in any game. Moves are text, as USI writes them.

    >>> position = Position("minishogi")
    >>> position.push("3e3d")
    >>> position
    Position('minishogi', 'rbsgk/4p/5/P4/KGSBR b - 1', ['3e3d'])
    >>> position == Position(sfen="rbsgk/4p/5/P1S2/KG1BR w - 2")
    True
    >>> position.pop(), position.moves
    ('3e3d', [])

    Two are equal where game, board, hands, side to move and move number are: how it came to be does not count. The
    hash agrees with that, so it changes with every move. They can be pickled.
    """

    def __init__(
        self, variant: Variant | str | None = None, sfen: str | None = None, moves: Iterable[str] = ()
    ) -> None:
        """The start of the variant (shogi), or an SFEN, whose board tells its game where none is named; then `moves`
        are played. ValueError, in one line, for what is no position or no legal move."""
        if variant is None:
            variant = DEFAULT if sfen is None else infer(sfen, DEFAULT)
        self.game: BasePosition = new_position(variant, sfen)
        for move in moves:
            self.game.push(move)

    @property
    def variant(self) -> Variant:
        """The game that is played."""
        return self.game.variant

    @property
    def turn(self) -> int:
        """0 if Black is to move, 1 if White is."""
        return self.game.turn

    @property
    def ply(self) -> int:
        """Plies played, counting from move number 1 of the start's SFEN."""
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
        """The position as SFEN, with the move number."""
        return self.game.sfen()

    def legal_moves(self) -> list[str]:
        """The legal moves, in no particular order; also where the game has ended by a repetition or its length."""
        return self.game.legal_moves()

    def push(self, move: str) -> None:
        """Play a move; ValueError, and nothing changed, if it is not legal."""
        self.game.push(move)

    def pop(self) -> str:
        """Take the last move back, and return it; ValueError at the start."""
        last = self.game.moves[-1:]
        self.game.pop()
        return last[0]

    def is_check(self) -> bool:
        """True if the side to move is in check."""
        return self.game.in_check

    def checkers(self) -> list[str]:
        """Squares of the pieces that give check."""
        return self.game.checkers

    def outcome(self) -> Outcome | None:
        """How the game has ended by its rules, or None while it goes on.

        >>> Position(sfen="4k/4G/4P/5/K4 w - 1").outcome()
        Outcome(winner=0, reason='checkmate')
        """
        return self.game.outcome()

    def perft(self, depth: int) -> int:
        """How many games of `depth` plies can follow."""
        return self.game.perft(depth)

    def divide(self, depth: int) -> Iterator[tuple[str, int]]:
        """Perft of `depth` by first move."""
        return self.game.divide(depth)

    def copy(self) -> Position:
        """The same game, to be played on without touching this one."""
        twin = object.__new__(type(self))
        twin.game = self.game.copy()
        return twin

    __copy__ = copy

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self._what() == other._what()

    def __hash__(self) -> int:
        return hash(self._what())

    def _what(self) -> tuple[str, str]:
        return self.variant.name, self.sfen()

    def __reduce__(self) -> tuple[type[Position], tuple[str, str, list[str]]]:
        return type(self), (self.variant.name, self.start_sfen, self.moves)

    def __repr__(self) -> str:
        words = [self.variant.name, self.start_sfen, *([self.moves] if self.moves else [])]
        return f"Position({', '.join(map(repr, words))})"

    def __str__(self) -> str:
        """A diagram with hands or cards, SFEN, key and checkers."""
        return str(self.game)


def as_game(position: Position | BasePosition | str, variant: Variant | str = DEFAULT) -> BasePosition:
    """The rules' own object for a position, an SFEN or "startpos". `variant` is the game of "startpos", and of an SFEN
    whose board several games share. ValueError for a bad SFEN or an unknown game."""
    if isinstance(position, Position):
        return position.game
    if isinstance(position, BasePosition):
        return position
    game = find(variant) if isinstance(variant, str) else variant
    return new_position(game) if position == "startpos" else new_position(infer(position, game), position)
