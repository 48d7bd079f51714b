"""A position for scripts, in the style of python-chess."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from ctypes import addressof, c_uint16
from functools import cache

from kogoma.api.drawing import board_svg
from kogoma.lab.kifu.grammar import has_kanji, target_of
from kogoma.lab.kifu.japanese_moves import ki2_move, usi_of
from kogoma.lab.kifu.kif import diagram
from kogoma.rules.base_position import BasePosition
from kogoma.rules.layout import MAX_MOVES
from kogoma.rules.library import rules_library
from kogoma.rules.notation import move_to_usi, parse_square, piece_letter, square_name
from kogoma.rules.onitama import notation as onitama
from kogoma.rules.onitama.position import OnitamaPosition
from kogoma.rules.outcome import Outcome
from kogoma.rules.position import Position as ShogiPosition
from kogoma.rules.position import new_position
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.variants import DEFAULT, Variant, find, infer
from kogoma.search.tablebase.dobutsu.values import open_tablebase
from kogoma.search.tablebase.onitama.values import value_of_ending
from kogoma.usi_engine.parse import parse_position

BLACK, WHITE = 0, 1
"""The sides: Black (Sente) moves first, White (Gote) second."""

_MoveCodes = c_uint16 * MAX_MOVES


class _UsiNames(dict[int, str]):
    """The USI notation of a shogi variant's move codes, filled in when they are first needed."""

    def __init__(self, variant: Variant) -> None:
        super().__init__()
        self._variant = variant

    def __missing__(self, code: int) -> str:
        usi = self[code] = move_to_usi(self._variant, code)
        return usi


_usi_names = cache(_UsiNames)


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
        """Set up the variant's start position (default shogi) or an SFEN, and play `moves`. If `variant` is None, the
        board size and pieces of the SFEN select it. Raises ValueError for an invalid position or an illegal move,
        TypeError for an argument of a wrong type."""
        if not isinstance(variant, Variant | str | None):
            raise TypeError(f"variant must be a Variant or its name, not {variant!r:.40}")
        if not isinstance(sfen, str | None):
            raise TypeError(f"sfen must be text, not {sfen!r:.40}")
        if isinstance(moves, str):
            raise TypeError(f"moves must be a list of moves, not {moves!r:.40}")
        if variant is None:
            variant = DEFAULT if sfen is None else infer(sfen, DEFAULT)
        elif isinstance(variant, str) and "/" in variant:
            raise ValueError(
                f"variant must be a variant's name, not {variant!r:.60}; give an SFEN as Position(sfen=...)"
            )
        self._game: BasePosition = new_position(variant, sfen)
        for move in moves:
            self.push(move)

    @classmethod
    def from_usi(cls, command: str, variant: Variant | str = DEFAULT) -> Position:
        """Return the position that a USI command means: `position startpos moves ...`, `position sfen ... moves ...`,
        or the same without the word `position`. `variant` is the variant of "startpos". An SFEN belongs to `variant` if
        its board size and pieces fit, otherwise to the first variant that they fit. Raises ValueError for an invalid
        command, position or move.

        >>> Position.from_usi("position startpos moves 3e3d", "minishogi")
        Position('minishogi', 'rbsgk/4p/5/P4/KGSBR b - 1', ['3e3d'])
        >>> Position.from_usi("sfen 4k/4G/4P/5/K4 w - 1").is_game_over()
        True
        """
        words = _text("command", command).split()
        sfen, moves = parse_position(words[1:] if words[:1] == ["position"] else words)
        start = as_position("startpos" if sfen is None else sfen, variant)
        return cls(start.variant, start.start_sfen, moves)

    @property
    def variant(self) -> Variant:
        """The variant whose rules apply."""
        return self._game.variant

    @property
    def turn(self) -> int:
        """The side to move: 0 for Black, 1 for White."""
        return self._game.turn

    @property
    def ply(self) -> int:
        """The position's move number minus 1. This is the number of plies played if the game began at move number 1."""
        return self._game.ply

    @property
    def start_sfen(self) -> str:
        """The SFEN of the position from which the moves were played."""
        return self._game.start_sfen

    @property
    def moves(self) -> list[str]:
        """The moves played from `start_sfen`, in USI notation."""
        return list(self._game.moves)

    def sfen(self) -> str:
        """Return the position as SFEN, with the move number."""
        return self._game.sfen()

    @property
    def key(self) -> int:
        """The Zobrist hash key: 64 bits of board, hands or cards, and side to move. Positions with equal keys count as
        repetitions of one position."""
        return self._game.key

    def piece_at(self, square: str) -> str | None:
        """Return the piece on a square as its SFEN letter ("P" Black's pawn, "+p" White's promoted pawn), or None.
        Raises ValueError if the board has no such square.

        >>> Position("minishogi").piece_at("5e"), Position("minishogi").piece_at("3c")
        ('K', None)
        """
        return self.pieces().get(self._square(square))

    def pieces(self) -> dict[str, str]:
        """Return the pieces on the board as a dict from squares to SFEN letters."""
        board = self._game.fields["board"][: self.variant.squares].tolist()
        return {
            self._square_name(square): piece_letter(self.variant, cell) for square, cell in enumerate(board) if cell
        }

    def hand(self, side: int) -> dict[str, int]:
        """Return the pieces that a side (0 Black, 1 White) has in hand, as a dict from upper-case letters to counts. It
        is empty in Onitama.

        >>> Position(sfen="4k/5/5/5/K4 b 2Gp 1").hand(0)
        {'G': 2}
        """
        if side not in (0, 1):
            raise ValueError(f"side must be 0 or 1, not {side!r:.40}")
        if not isinstance(self._game, ShogiPosition):
            return {}
        counts = self._game.fields["hand"][side].tolist()
        return {piece.letter: counts[number] for number, piece in enumerate(self.variant.pieces, 1) if counts[number]}

    def king(self, side: int) -> str | None:
        """Return the square of the king (or master) of a side, or None if it is not on the board."""
        royal = next(piece.letter for piece in self.variant.pieces if piece.royal)
        letter = royal.lower() if side else royal
        return next((square for square, piece in self.pieces().items() if piece == letter), None)

    def legal_moves(self) -> list[str]:
        """Return the legal moves, in no particular order, even if the game has ended by repetition or a move limit."""
        game = self._game
        if not isinstance(game, ShogiPosition):
            return game.legal_moves()
        codes = _MoveCodes()
        count = _generator(layout_of(game.variant))(*game.addresses, addressof(codes), 0)
        names = _usi_names(game.variant)
        return [names[code] for code in codes[:count]]

    def is_legal(self, move: str) -> bool:
        """Return whether a move is legal. Raises TypeError if it is not text."""
        try:
            self._game.code(_text("move", move))
        except ValueError:
            return False
        return True

    def gives_check(self, move: str) -> bool:
        """Return whether a legal move gives check. Raises ValueError if it is not legal."""
        after = self._game.copy()
        after.push(_text("move", move))
        return after.in_check

    def move_text(self, move: str) -> str:
        """Return a legal move as Japanese text (KI2 without the mark of the side). Raises ValueError for an illegal
        move, and in variants whose pieces have no kanji.

        >>> Position("minishogi").move_text("3e3d")
        '３四銀'
        """
        game = self._with_kanji()
        usi = game.usi(game.code(_text("move", move)))
        return ki2_move(game, usi, target_of(game.moves[-1]) if game.moves else "")

    def parse_move(self, text: str) -> str:
        """Return the USI notation of a legal move given as Japanese text or in USI notation. Raises ValueError if no
        legal move fits, or several.

        >>> Position("minishogi").parse_move("▲３四銀")
        '3e3d'
        """
        if self.is_legal(text):
            return self._game.usi(self._game.code(text))
        game = self._with_kanji()
        return game.usi(game.code(usi_of(game, text)))

    def _with_kanji(self) -> ShogiPosition:
        if not isinstance(self._game, ShogiPosition) or not has_kanji(self.variant):
            raise ValueError(f"the pieces of {self.variant.name} have no Japanese names")
        return self._game

    def _square_name(self, square: int) -> str:
        is_shogi = isinstance(self._game, ShogiPosition)
        return square_name(self.variant, square) if is_shogi else onitama.square_name(self.variant, square)

    def _square(self, name: str) -> str:
        """Return `name` if the board has a square of this name. Raises TypeError if it is not text, ValueError if there
        is no such square."""
        if isinstance(self._game, ShogiPosition):
            parse_square(self.variant, _text("square", name))
        elif _text("square", name) not in map(self._square_name, range(self.variant.squares)):
            raise ValueError(f"no square {name!r:.20}: squares are a1 to e5")
        return name

    def push(self, move: str) -> None:
        """Play a move. Raises ValueError, and changes nothing, if it is not legal; TypeError if it is not text."""
        self._game.push(_text("move", move))

    def pop(self) -> str:
        """Take the last move back and return it. Raises ValueError at the start position."""
        last = self._game.moves[-1:]
        self._game.pop()
        return last[0]

    def is_check(self) -> bool:
        """Return whether the side to move is in check."""
        return self._game.in_check

    def checkers(self) -> list[str]:
        """Return the squares of the opponent's pieces that give check."""
        return self._game.checkers

    def outcome(self) -> Outcome | None:
        """Return how the game has ended by its rules, or None if it goes on.

        >>> Position(sfen="4k/4G/4P/5/K4 w - 1").outcome()
        Outcome(winner=0, reason='checkmate')
        """
        return self._game.outcome()

    @property
    def times_seen(self) -> int:
        """How often this position has occurred in the game; 1 if it is new."""
        return self._game.times_seen

    def tablebase(self) -> int | None:
        """Return the value of this position in a tablebase: 0 for a draw, otherwise the number of plies to the end of
        the game with best play, positive if the side to move wins, negative if it loses. Earlier occurrences of a
        position and the limit on the length of a game are ignored. Return None if the game has ended, if there is no
        tablebase of the variant, or if it has no entry for this position (docs/tablebase.md).

        Dobutsu's tablebase is the file that `solve` has written into the engine's cache folder. Onitama's endings with
        at most four men are computed by the first call for five cards, which takes seconds. Raises ValueError if the
        file is damaged."""
        if isinstance(self._game, OnitamaPosition):
            return None if self.outcome() is not None else value_of_ending(self._game)
        found = open_tablebase("", self.variant)
        return None if found is None or self.outcome() is not None else found.value(self._game)

    def may_declare(self) -> bool:
        """Return whether the side to move may declare a win, which only 9x9 shogi allows."""
        return self._game.may_declare()

    def is_game_over(self) -> bool:
        """Return whether the game has ended by its rules, so that `outcome()` is not None."""
        return self.outcome() is not None

    def svg(self, *, flipped: bool = False, dice: int | None = None, size: int = 400) -> str:
        """Return a drawing of the position with hands, cards or die, as an SVG document `size` pixels wide; notebooks
        show it by themselves. The last move and a king in check are highlighted, and the frame of the side to move is
        blue. Black is at the bottom, or at the top if `flipped`. `dice` is the roll of the die from 1 to 6, in variants
        with a die. Raises ValueError for other numbers.

        >>> Position("minishogi").svg(size=200).startswith("<svg ")
        True
        """
        if dice is not None and not (self.variant.die and dice in range(1, 7)):
            raise ValueError(f"dice must be a roll from 1 to 6 in a variant with a die, not {dice!r:.40}")
        return board_svg(self._game, flipped=flipped, dice=dice, size=size)

    def _repr_svg_(self) -> str:
        return self.svg()

    def kanji(self) -> str:
        """Return a diagram with Japanese piece names, as KIF files contain it. White's pieces are marked by "v". Raises
        ValueError for a variant whose pieces have no Japanese names.

        >>> print(Position(sfen="4k/4+P/5/5/K4 w Gp 1").kanji())
        後手の持駒：歩
          ５ ４ ３ ２ １
        +---------------+
        | ・ ・ ・ ・v玉|一
        | ・ ・ ・ ・ と|二
        | ・ ・ ・ ・ ・|三
        | ・ ・ ・ ・ ・|四
        | 玉 ・ ・ ・ ・|五
        +---------------+
        先手の持駒：金
        後手番
        """
        return "\n".join(diagram(self._with_kanji()))

    def perft(self, depth: int) -> int:
        """Return the number of leaf nodes of the move tree of `depth` plies."""
        return self._game.perft(depth)

    def divide(self, depth: int) -> Iterator[tuple[str, int]]:
        """Yield (move, number of leaf nodes below it) for each legal move. The sum of the numbers is `perft(depth)`."""
        return self._game.divide(depth)

    def copy(self) -> Position:
        """Return an independent copy of the position and its moves."""
        twin = object.__new__(type(self))
        twin._game = self._game.copy()
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
        return str(self._game)


@cache
def _generator(layout: str) -> Callable[..., int]:
    """Return the native function that writes the codes of the legal moves of a position to a buffer and returns their
    number. It is compiled for positions of this layout."""
    return rules_library(layout).function("legal_moves", 4)


def _text(name: str, value: object) -> str:
    """Return `value` if it is text. Otherwise raise TypeError; `name` is the name of the value in its message."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text in USI notation, not {value!r:.40}")
    return value


def as_position(position: Position | str, variant: Variant | str = DEFAULT) -> Position:
    """Return the position that a `Position`, an SFEN or "startpos" means. `variant` is the variant of "startpos". An
    SFEN belongs to `variant` if its board size and pieces fit, otherwise to the first variant that they fit. Raises
    ValueError for an invalid SFEN or an unknown variant, TypeError if `position` is none of these."""
    if isinstance(position, Position):
        return position
    if not isinstance(position, str):
        raise TypeError(f"position must be a Position, an SFEN or 'startpos', not {position!r:.40}")
    variant = find(variant) if isinstance(variant, str) else variant
    return Position(variant) if position == "startpos" else Position(infer(position, variant), position)


def game_of(position: Position | str) -> BasePosition:
    """Return a copy of the position that a `Position`, an SFEN or "startpos" means, for a search. Raises what
    `as_position` raises."""
    return as_position(position)._game.copy()
