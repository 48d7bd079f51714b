"""The dialects in which other engines write moves, positions and names of variants.

In UCI, files are counted from the other side (USI `2e3d` is `d1c2`, `P*3c` is `P@c3`), and Black, who moves first, is
`w` in a FEN. If a promoted piece is unpromoted by a move, some engines write `+` as for promotions, and Fairy-Stockfish
writes `-` (https://fairy-stockfish.github.io/): `UsiEngine` determines the sign with a test position.
"""

from __future__ import annotations

import random
import re
from functools import cache

from kogoma.rules.base_position import BasePosition
from kogoma.rules.move_text import read_move
from kogoma.rules.position import new_position
from kogoma.rules.variants import Promotion, Variant

PEER_VARIANTS = {  # other engines' names, by our name
    "minishogi": ("mini", "5x5+5_shogi"),
    "minishogi-codingame": ("minishogi", "mini", "5x5+5_shogi"),
    "judkins": ("judkinshogi", "6x6+6_shogi"),
    "kyoto": ("kyotoshogi",),
    "micro": ("microshogi",),
}
GAMES, PLIES = 200, 100  # number and maximum length of random games that are searched for an example
_UCI_MOVE = re.compile(r"(?:(\+?[A-Za-z])[*@]|([a-z0-9][a-z0-9]))([a-z0-9][a-z0-9])([+=-]?)")


def square_to_uci(square: str, files: int, ranks: int) -> str:
    """Return a USI square in UCI notation: `2e` is `d1` on a 5x5 board."""
    return chr(ord("a") + files - int(square[0])) + str(ranks - (ord(square[1]) - ord("a")))


def square_to_usi(square: str, files: int, ranks: int) -> str:
    """Return a UCI square in USI notation: `d1` is `2e` on a 5x5 board. Raises ValueError if `square` is not a UCI
    square."""
    if not ("a" <= square[0] <= "i" and square[1].isdigit()):
        raise ValueError(f"not a square: {square!r}")
    return str(files - (ord(square[0]) - ord("a"))) + chr(ord("a") + ranks - int(square[1]))


def move_to_uci(usi: str, files: int, ranks: int) -> str:
    """Return a USI move in UCI notation: `2b2a+` is `d4d5+`, `P*3c` is `P@c3`."""
    if "*" in usi:
        piece, square = usi.split("*")
        return f"{piece}@{square_to_uci(square, files, ranks)}"
    return square_to_uci(usi[:2], files, ranks) + square_to_uci(usi[2:4], files, ranks) + usi[4:]


def move_to_usi(move: str, files: int, ranks: int) -> str:
    """Return a UCI move in USI notation: `d4d5+` is `2b2a+`, `P@c3` is `P*3c`. Raises ValueError if `move` is not a UCI
    move."""
    if not (found := _UCI_MOVE.fullmatch(move)):
        raise ValueError(f"not a move: {move[:20]!r}")
    letter, origin, to, sign = found.groups()
    target = square_to_usi(to, files, ranks)
    if letter:
        return f"{letter.upper()}*{target}"
    return square_to_usi(origin, files, ranks) + target + sign.replace("=", "").replace("-", "+")


def is_move(text: str) -> bool:
    """Return whether a text is a move in any notation of an engine."""
    return bool(_UCI_MOVE.fullmatch(text)) or read_move(text) is not None


def sfen_to_fen(sfen: str) -> str:
    """Return an SFEN as FEN: `rbsgk/4p/5/P4/KGSBR b 2P 3` is `rbsgk/4p/5/P4/KGSBR[PP] w 0 2`."""
    board, turn, hands, number, *_ = [*sfen.split(), "-", "1"][:4] if len(sfen.split()) < 4 else sfen.split()
    pocket = "".join(letter * int(count or 1) for count, letter in re.findall(r"(\d*)([A-Za-z])", hands))
    return f"{board}[{pocket}] {'wb'['bw'.index(turn)]} 0 {(int(number) + 1) // 2}"


class Dialect:
    """An engine's notation of the moves of one game. `notation` is "usi" or "uci"; `turn_back_sign` is the
    suffix of a move that unpromotes a piece."""

    def __init__(self, variant: Variant, start_sfen: str, notation: str, turn_back_sign: str = "+") -> None:
        self._shape = variant.files, variant.ranks
        self._usi = notation == "usi"
        self._moves: list[str] = []
        self._position: BasePosition | None = None  # tracked only if notation depends on it
        self._sign = turn_back_sign
        if turn_back_sign != "+" and variant.promotion is not Promotion.IN_ZONE:
            self._position = new_position(variant, start_sfen)

    def moves(self, position: BasePosition) -> list[str]:
        """Return all moves of a game in the engine's notation. `position` is the current position of the game."""
        if self._usi and self._position is None:
            return position.moves
        for usi in position.moves[len(self._moves) :]:
            self._moves.append(self.write(usi))
        return self._moves

    def to_usi(self, move: str) -> str:
        """Return an engine's move in USI notation. Raises ValueError if it is not in the engine's notation."""
        if not self._usi:
            return move_to_usi(move, *self._shape)
        usi = read_move(move.replace("@", "*").removesuffix("="))
        if usi is None:
            raise ValueError(f"not a move: {move[:20]!r}")
        return usi

    def write(self, usi: str) -> str:
        """Return the next move of the game, given as USI, in the engine's notation. If the dialect keeps the current
        position, the move is also played in that position."""
        text = usi if self._usi else move_to_uci(usi, *self._shape)
        if self._position is not None:
            if usi.endswith("+") and turned(self._position, usi[:2]):
                text = text[:-1] + self._sign
            self._position.push(usi)
        return text


@cache
def turn_back_example(variant: Variant) -> tuple[str, str] | None:
    """Return an SFEN and a move that unpromotes a piece in this position, or None if no such example is found. An
    engine that ignores the move then answers with an illegal move, because no move is legal both before and after
    it."""
    if variant.promotion is Promotion.IN_ZONE or variant.cards:
        return None
    rng = random.Random(0)
    for _ in range(GAMES):
        position = new_position(variant)
        while position.outcome() is None and len(position.moves) < PLIES:
            moves = position.legal_moves()
            for usi in moves:
                if usi.endswith("+") and turned(position, usi[:2]):
                    sfen = position.sfen()
                    position.push(usi)
                    answers = position.legal_moves() if position.outcome() is None else []
                    position.pop()
                    if answers and not set(answers) & set(moves):
                        return sfen, usi
            position.push(rng.choice(moves))
    return None


def turned(position: BasePosition, square: str) -> bool:
    """Return whether the piece on a square is promoted."""
    variant = position.variant
    column, row = variant.files - int(square[0]), ord(square[1]) - ord("a")
    cell = int(position.struct["board"][0, row * variant.files + column])
    return bool(cell) and variant.pieces[(cell & 15) - 1].letter.startswith("+")
