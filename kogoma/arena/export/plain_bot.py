"""A bot in plain Python for four games: Minishogi, Dice-Shogi and Onitama on CodinGame, Generals on CodeAbbey.

The file needs only Python's standard library. From top to bottom, it contains the settings, the pieces and their
values, a class with the rules of the three games that are played with shogi pieces, one with the rules of Onitama, the
search, the search for games with a die, and the code that reads the arena's lines and answers them.

Squares are numbered from 0, row by row from the top left. A set of squares is an integer, in which the bit 1 << square
stands for a square. A move is an integer too: the target, plus 64 times the origin, plus 4096 times a number that
depends on the game (1 for a promotion, the card in Onitama). A drop has the origin DROP plus the number of the piece.

Scores are in centipawns (a hundredth of a pawn) for the side to move, unless a comment says otherwise.
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import queue
import random
import re
import sys
import threading
import time
import zlib
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

# ---- Settings. The export replaces the values of the next five lines. ----
GAME = ""  # minishogi, dice, onitama, generals, or codeabbey, which counts moves (problem 469)
MARGIN = 20  # ms of every turn that stay unused, for the way to the referee
HASH_MB = 16  # size of the table of searched positions, roughly
CHAT = False  # whether each answer ends with the depth and the score of the search
BOOK = ""  # the opening book: pairs of a position's checksum (`Bot.book_move`) and a move
# ---- End of the settings. ----

GAMES = ("minishogi", "dice", "onitama", "generals", "codeabbey")
FIRST_TURN = 500  # ms from the start of the process to the first answer: arenas allow 1000
TURN = {"minishogi": 100, "dice": 100, "onitama": 50}  # ms for any other answer
LAST_PLY = {"minishogi": 300, "dice": 300, "onitama": 200}  # the game is a draw after this ply

# ======== The games that are played with shogi pieces ========

# Directions as the owner of a piece sees the board: columns to the right, rows forward.
DIRECTIONS = {
    "N": (0, 1), "S": (0, -1), "E": (1, 0), "W": (-1, 0), "NE": (1, 1), "NW": (-1, 1), "SE": (1, -1), "SW": (-1, -1),
}  # fmt: skip
STRAIGHT, DIAGONAL = "N S E W", "NE NW SE SW"
GOLDEN = "N S E W NE NW"


class Piece(NamedTuple):
    """How a piece moves, and what it is worth. The values are the engine's weights, from kogoma/eval/weights, which
    were fitted to the results of games. Those of Generals are derived from the numbers of squares that pieces reach."""

    steps: str = ""  # directions in which it moves one square
    slides: str = ""  # directions in which it moves any number of empty squares
    promotes_to: str = ""
    value: int = 0  # on the board
    in_hand: Tuple[int, ...] = ()  # of the first such piece in hand, of the second one
    mobility: int = 0  # for each square that it can move to
    can_promote: int = 0  # if its next move can promote it
    near_king: int = 0  # danger for the enemy king, for each square beside the king that the piece attacks
    held: int = 0  # danger for the enemy king, for each such piece in hand
    hanging: int = 0  # loss if it is attacked and not defended, and the opponent moves
    loose: int = 0  # the same, but its owner moves
    squares: str = ""  # added to `value` on each square of the board, as its owner sees it


MINISHOGI_PIECES = {
    "P": Piece("N", "", "+P", 131, (241, 168), 37, -18, 57, 12, 164, 56,
         "0 0 0 0 0 -75 18 79 6 -52 2 40 26 -60 -36 67 -114 -33 -22 -70 264 -12 40 48 -76"),
    "S": Piece("N NE NW SE SW", "", "+S", 666, (678, 408), 17, -5, 19, 12, 95, 45,
         "-176 2 -32 -76 48 -122 -68 176 176 20 -33 32 244 208 144 -71 63 98 62 -104 -144 8 -12 -121 -170"),
    "G": Piece(GOLDEN, "", "", 613, (685, 506), 26, 0, 28, 48, 64, 46,
         "-276 -288 31 176 -224 -220 94 280 -176 -56 10 103 224 110 138 -36 103 167 84 -114 -112 91 109 -23 -104"),
    "B": Piece("", DIAGONAL, "+B", 734, (813, 661), 26, -84, 12, 18, 328, 102,
         "178 156 160 -60 16 -7 187 124 -4 -20 -53 29 207 -34 33 53 211 -58 44 24 147 6 -82 -112 36"),
    "R": Piece("", STRAIGHT, "+R", 996, (952, 922), 0, 51, 9, 18, 512, 212,
         "204 248 150 192 24 32 -24 28 32 -36 -68 -53 -180 52 -24 -76 -129 -82 -9 -84 -172 -17 53 59 -49"),
    "+P": Piece(GOLDEN, "", "", 358, (), 57, 0, 25, 0, 152, -28,
         "-86 -168 74 -64 -41 82 66 8 -64 -24 88 16 176 0 0 -176 -176 0 0 0 0 0 0 0 0"),
    "+S": Piece(GOLDEN, "", "", 466, (), 13, 0, 47, 0, 452, -6,
         "-140 -47 31 -64 -176 -4 192 192 80 192 -176 176 176 0 0 0 112 -176 0 0 0 0 0 0 0"),
    "+B": Piece(STRAIGHT, DIAGONAL, "", 967, (), 22, 0, 18, 0, 98, -4,
         "82 -10 -40 2 -16 48 112 128 24 -176 -160 8 56 20 176 -176 64 -66 54 120 -64 -176 -176 152 64"),
    "+R": Piece(DIAGONAL, STRAIGHT, "", 1342, (), -6, 0, 10, 0, 452, 111,
         "-25 12 -3 96 48 -47 28 176 -8 -12 72 15 -16 176 176 -48 -20 36 8 128 -112 -48 132 -176 -32"),
    "K": Piece(STRAIGHT + " " + DIAGONAL,
         squares="124 48 192 64 160 20 128 -144 -160 96 23 4 -180 -192 -112 84 -12 -68 29 -8 35 -20 -111 -95 -120"),
}  # fmt: skip
GENERALS_PIECES = {
    "P": Piece("N", "", "T", 212, (258, 232, 206, 181), 20, 74, 25, 8, 64, 25),
    "Y": Piece("NE NW S", "", "", 333, (385, 346), 20, 0, 25, 12, 100, 40),
    "R": Piece("N SE SW", "", "", 333, (385, 346), 20, 0, 25, 12, 100, 40),
    "C": Piece("N NE NW S", "", "", 458, (516, 464), 20, 0, 25, 15, 137, 55),
    "X": Piece(DIAGONAL, "", "", 417, (473, 426), 20, 0, 25, 14, 125, 50),
    "S": Piece("N NE NW SE SW", "", "", 542, (604, 544), 20, 0, 25, 18, 163, 65),
    "G": Piece(GOLDEN, "", "", 708, (778, 700), 20, 0, 25, 23, 212, 85),
    "V": Piece("E W", "N S", "", 730, (802, 722), 12, 0, 12, 24, 219, 88),
    "H": Piece("N S", "E W", "", 730, (802, 722), 12, 0, 12, 24, 219, 88),
    "T": Piece(GOLDEN, "", "", 708, (), 20, 0, 25, 0, 212, 85),
    "K": Piece(STRAIGHT + " " + DIAGONAL),
}
# Danger by the number of squares to which the king can flee, the value of the right to move, and the danger of an
# undefended square beside the king. The penalty for a danger is its square divided by 75, up to a limit.
MINISHOGI_KING = ((37, 54, 61, 71, 94, 117, 115, 111, 145), 79, 19, 591)
GENERALS_KING = ((120, 100, 85, 70, 60, 50, 45, 40, 40), 40, 20, 600)
DEFENDER = 6  # by which each defended square beside the king reduces the danger
OPEN = 0.65  # probability that the next square on the way of a sliding piece is empty

WHITE = 16  # added to the number of a piece that belongs to White
DROP = 48  # added to the number of a piece that is dropped
PROMOTES = 4096  # added to a move that promotes the piece


class Memo(Dict[Any, Any]):
    """A dict that computes missing values with a function, and keeps them as long as they are not too many."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, key: Any) -> Any:
        if len(self) > 100_000:
            self.clear()
        value = self[key] = self.function(key)
        return value


def squares_of(bits: int) -> Tuple[int, ...]:
    """Return the squares of a set in ascending order."""
    return tuple(square for square in range(bits.bit_length()) if bits >> square & 1)


SQUARES = Memo(squares_of)
COUNT = Memo(lambda bits: bin(bits).count("1"))


class Rules:
    """The tables of a game with shogi pieces. Most are indexed by the number of a piece: 1, 2, ... for Black's pieces,
    and WHITE more for White's. Pieces are numbered in the order of their table; the first `in_hand` can be held."""

    def __init__(self, game: str) -> None:
        """Compute the tables of the game."""
        self.generals = game in ("generals", "codeabbey")
        self.size = size = 6 if self.generals else 5
        self.pieces = pieces = GENERALS_PIECES if self.generals else MINISHOGI_PIECES
        self.start = "rbsgk/4p/5/P4/KGSBR b -"
        self.letters = list(pieces)
        self.in_hand = sum(bool(piece.in_hand) for piece in pieces.values())
        self.all = (1 << size * size) - 1
        self.king = len(pieces)
        self.escape, self.tempo, self.weak, self.most_danger = GENERALS_KING if self.generals else MINISHOGI_KING
        chance = random.Random(469)

        def table(default: Any) -> List[Any]:
            return [default] * 32

        self.moves, self.plain, self.promoting = table([]), table([]), table([])  # see `_moves`
        self.promotion = table([])  # by origin: the targets of moves that can promote the piece
        self.at, self.keys = table([]), [[chance.getrandbits(64) for _ in range(36)] for _ in range(32)]
        self.hand_keys = [[chance.getrandbits(64) for _ in range(40)] for _ in range(32)]
        self.side_key = chance.getrandbits(64)
        self.hand_value = table([0] * 40)  # by number in hand: the value of the last of them
        self.captured = table(0)  # the piece that the captor gets into the hand
        self.promoted, self.exchange, self.promotion_gain = table(0), table(0), table(0)
        self.mobility, self.can_promote, self.near_king = table(0), table(0), table(0)
        self.held, self.hanging, self.loose = table(0), table(0), table(0)
        self.drop_squares, self.drops = table(0), table({})
        self.pins: List[List[Dict[int, int]]] = table([])  # by square and enemy king: the squares between them
        for side in (0, WHITE):
            for number, (letter, piece) in enumerate(pieces.items(), side + 1):
                self._add(number, letter, piece)
        self.zone = [self.moves[self.king][square][1][0] | 1 << square for square in range(size * size)]
        self.files = [sum(1 << row * size + file for row in range(size)) for file in range(size)]

    def walk(self, number: int, square: int, direction: str, most: int) -> List[int]:
        """Return up to `most` squares from `square` in a direction, as the owner of the piece sees it."""
        (right, forward), sign = DIRECTIONS[direction], -1 if number > WHITE else 1
        row, column = divmod(square, self.size)
        found: List[int] = []
        while len(found) < most:
            row, column = row - sign * forward, column + sign * right
            if not (0 <= row < self.size and 0 <= column < self.size):
                break
            found.append(row * self.size + column)
        return found

    def _add(self, number: int, letter: str, piece: Piece) -> None:
        """Fill the tables of one piece of one side."""
        size, squares = self.size, range(self.size * self.size)
        side, other = number & WHITE, WHITE - (number & WHITE)
        base = piece if piece.in_hand else next((p for p in self.pieces.values() if p.promotes_to == letter), piece)
        hand = list(base.in_hand) or [0]
        better = self.pieces.get(piece.promotes_to)
        self.captured[number] = next((n for n, p in enumerate(self.pieces.values(), 1) if p is base), 0) + other
        self.promoted[number] = self.letters.index(piece.promotes_to) + 1 + side if better else 0
        self.hand_value[number] = [0] + hand + [hand[-1]] * 40
        self.exchange[number] = piece.value + hand[0]
        self.promotion_gain[number] = better.value - piece.value if better else 0
        self.mobility[number], self.can_promote[number] = piece.mobility, piece.can_promote
        self.near_king[number], self.held[number] = piece.near_king, piece.held
        self.hanging[number], self.loose[number] = piece.hanging, piece.loose

        self.moves[number] = [self._reach(number, piece, square) for square in squares]
        values = self._square_values(number, piece)
        self.at[number] = [piece.value + values[len(values) - 1 - square if side else square] for square in squares]
        stuck = sum(1 << square for square in squares if not self.moves[number][square][1][0])
        self.drop_squares[number] = self.all if self.generals else self.all & ~stuck
        self.drops[number] = Memo(lambda bits: tuple((DROP + number - side) * 64 + to for to in squares_of(bits)))
        zone = ((1 << size) - 1) << (size * (size - 1) if side else 0)
        self.promotion[number] = [(self.all if zone >> square & 1 else zone) if better else 0 for square in squares]
        forced = stuck if better else 0
        self.plain[number] = [
            Memo(lambda bits, start=square * 64: tuple(start + to for to in squares_of(bits & ~forced)))  # type: ignore[misc]
            for square in squares
        ]
        self.promoting[number] = [
            Memo(lambda bits, start=square * 64 + PROMOTES: tuple(start + to for to in squares_of(bits)))  # type: ignore[misc]
            for square in squares
        ]
        self.pins[number] = [
            {
                end: sum(1 << between for between in way[:index])
                for way in (self.walk(number, square, direction, size) for direction in piece.slides.split())
                for index, end in enumerate(way)
            }
            for square in squares
        ]

    def _reach(self, number: int, piece: Piece, square: int) -> Tuple[int, Dict[int, int]]:
        """Return (mask, reach): the squares whose pieces can block the piece on `square`, and a dict that maps the
        occupied ones of them to the squares that the piece attacks."""
        steps = sum(1 << to for direction in piece.steps.split() for to in self.walk(number, square, direction, 1))
        ways = [self.walk(number, square, direction, self.size) for direction in piece.slides.split()]
        mask = sum(1 << to for way in ways for to in way[:-1])
        reach: Dict[int, int] = {}
        occupied = mask
        while True:  # `occupied` takes on every subset of `mask`
            found = steps
            for way in ways:
                for to in way:
                    found |= 1 << to
                    if occupied >> to & 1:
                        break
            reach[occupied] = found
            if not occupied:
                return mask, reach
            occupied = (occupied - 1) & mask

    def _square_values(self, number: int, piece: Piece) -> List[int]:
        """Return what is added to the value of a piece on each square. In Generals, squares from which the piece
        reaches more squares are better, and a king should stay in its own rows."""
        if piece.squares:
            return [int(value) for value in piece.squares.split()]
        squares = range(self.size * self.size)
        if not piece.value:
            return [-8 * (self.size - 1 - square // self.size) for square in squares]
        counts = [
            sum(len(self.walk(1, square, direction, 1)) for direction in piece.steps.split())
            + sum(
                OPEN**distance
                for direction in piece.slides.split()
                for distance in range(len(self.walk(1, square, direction, self.size)))
            )
            for square in squares
        ]
        mean = sum(counts) / len(counts)
        return [round(30 * (count - mean)) for count in counts]


class ShogiPosition:
    """A position of Minishogi, Dice-Shogi or Generals. A move makes a new position (`after`). Names that begin with
    `my` belong to the side to move, those with `their` to the opponent. Positions remember the positions that were made
    from them, because the search returns to each of them several times."""

    __slots__ = (
        "rules", "side", "board", "hands", "my_pieces", "their_pieces", "my_king", "their_king", "key", "score",
        "children", "looked", "in_check", "my_attacks", "my_double", "their_attacks", "my_guards", "their_guards",
        "reaches", "allowed", "pinned", "terms", "my_danger", "their_danger", "value", "mating",
    )  # fmt: skip

    rules: Rules
    side: int  # 0 Black, 1 White
    board: List[int]  # the number of the piece on each square, 0 if it is empty
    hands: List[int]  # the number of pieces in hand, by the number of the piece
    my_pieces: int
    their_pieces: int
    my_king: int  # square
    their_king: int
    key: int  # a random number that stands for the position
    score: int  # value of all pieces, those of the side to move minus those of the opponent
    children: Dict[int, ShogiPosition]  # by move
    looked: bool  # whether `look` has computed the values below
    in_check: bool
    my_attacks: int  # squares attacked
    my_double: int  # squares attacked by two pieces or more
    their_attacks: int
    my_guards: int  # squares attacked by pieces other than the king
    their_guards: int
    reaches: List[Tuple[int, int, int]]  # square, number and attacked squares of each piece of the side to move
    allowed: int  # squares to which pieces other than the king may move: all of them unless in check
    pinned: Dict[int, int]  # by square of a pinned piece: the squares to which it may move
    terms: int  # value of mobility and promotion threats
    my_danger: int  # danger of the king by attacks on the squares beside it
    their_danger: int
    value: Optional[int]  # the static evaluation
    mating: Optional[int]  # the result of `win_in_one`

    @classmethod
    def of(cls, rules: Rules, cells: List[int], hands: List[int], side: int) -> ShogiPosition:
        """Return the position with these pieces. Raises ValueError if a king is missing or can be captured."""
        new = cls()
        new.rules, new.side, new.board, new.hands = rules, side, cells, hands
        pieces, new.key, score = [0, 0], rules.side_key if side else 0, 0
        for square, piece in enumerate(cells):
            if piece:
                pieces[piece >> 4] |= 1 << square
                new.key ^= rules.keys[piece][square]
                score += rules.at[piece][square] * (-1 if piece > WHITE else 1)
        for piece, count in enumerate(hands):
            for number in range(1, count + 1):
                new.key ^= rules.hand_keys[piece][number]
                score += rules.hand_value[piece][number] * (-1 if piece > WHITE else 1)
        new.score = -score if side else score
        new.my_pieces, new.their_pieces = pieces[side], pieces[1 - side]
        kings = [rules.king, rules.king + WHITE]
        if any(cells.count(king) != 1 for king in kings):
            raise ValueError("each side must have one king")
        new.my_king, new.their_king = cells.index(kings[side]), cells.index(kings[1 - side])
        new._clear()
        if not rules.generals and new.takes_king():
            raise ValueError("the king of the side that does not move is in check")
        return new

    def _clear(self) -> None:
        self.children, self.looked, self.value, self.mating = {}, False, None, None

    def after(self, move: int) -> ShogiPosition:
        """Return the position after a move."""
        new = self.children.get(move)
        if new is not None:
            return new
        rules = self.rules
        new = ShogiPosition()
        board = self.board.copy()
        hands, key, score = self.hands, self.key ^ rules.side_key, self.score
        mine, theirs = self.my_pieces, self.their_pieces
        to, origin = move & 63, move >> 6 & 63
        new.their_king = self.my_king
        if origin >= DROP:
            piece = origin - DROP + (WHITE if self.side else 0)
            hands = hands.copy()
            count = hands[piece]
            hands[piece] = count - 1
            key ^= rules.hand_keys[piece][count]
            score -= rules.hand_value[piece][count]
            mine |= 1 << to
        else:
            piece, taken = board[origin], board[to]
            board[origin] = 0
            key ^= rules.keys[piece][origin]
            score -= rules.at[piece][origin]
            mine ^= 1 << to | 1 << origin
            if taken:
                theirs ^= 1 << to
                key ^= rules.keys[taken][to]
                score += rules.at[taken][to]
                held = rules.captured[taken]
                hands = hands.copy()
                count = hands[held] + 1
                hands[held] = count
                key ^= rules.hand_keys[held][count]
                score += rules.hand_value[held][count]
            if move & PROMOTES:
                piece = rules.promoted[piece]
            if origin == self.my_king:
                new.their_king = to
        board[to] = piece
        new.rules, new.side, new.board, new.hands = rules, 1 - self.side, board, hands
        new.my_pieces, new.their_pieces, new.my_king = theirs, mine, self.their_king
        new.key = key ^ rules.keys[piece][to]
        new.score = -score - rules.at[piece][to]
        new.children, new.looked, new.value, new.mating = {}, False, None, None
        self.children[move] = new
        return new

    def passed(self) -> ShogiPosition:
        """Return the position after a null move: the same with the opponent to move."""
        new = self.children.get(-1)
        if new is None:
            new = ShogiPosition()
            new.rules, new.side, new.board, new.hands = self.rules, 1 - self.side, self.board, self.hands
            new.my_pieces, new.their_pieces = self.their_pieces, self.my_pieces
            new.my_king, new.their_king = self.their_king, self.my_king
            new.key, new.score = self.key ^ self.rules.side_key, -self.score
            new._clear()
            self.children[-1] = new
        return new

    def look(self) -> bool:
        """Walk over all pieces, compute which squares they attack and how much their mobility is worth, and return
        whether the side to move is in check."""
        if self.looked:
            return self.in_check
        rules, board = self.rules, self.board
        moves, mobility = rules.moves, rules.mobility
        my_pieces, their_pieces = self.my_pieces, self.their_pieces
        occupied, my_king = my_pieces | their_pieces, 1 << self.my_king
        my_zone, their_zone, near_king = rules.zone[self.my_king], rules.zone[self.their_king], rules.near_king
        mine, theirs, double, terms, my_danger, their_danger = 0, 0, 0, 0, 0, 0
        reaches, checkers, sliders = [], [], []
        for square in SQUARES[my_pieces]:
            piece = board[square]
            mask, table = moves[piece][square]
            reach = table[occupied & mask]
            reaches.append((square, piece, reach))
            if square != self.my_king:
                double |= mine & reach
                mine |= reach
                terms += COUNT[reach & ~my_pieces] * mobility[piece]
                if reach & their_zone:
                    their_danger += COUNT[reach & their_zone] * near_king[piece]
                if reach & ~my_pieces & rules.promotion[piece][square]:
                    terms += rules.can_promote[piece]
        for square in SQUARES[their_pieces]:
            if square != self.their_king:
                piece = board[square]
                mask, table = moves[piece][square]
                reach = table[occupied & mask]
                theirs |= reach
                terms -= COUNT[reach & ~their_pieces] * mobility[piece]
                if reach & my_zone:
                    my_danger += COUNT[reach & my_zone] * near_king[piece]
                if reach & my_king:
                    checkers.append((square, mask, table))
                if mask:
                    sliders.append((square, piece))
                if reach & ~their_pieces & rules.promotion[piece][square]:
                    terms -= rules.can_promote[piece]
        self.my_guards, self.their_guards = mine, theirs
        my_zone, their_zone = my_zone ^ my_king, their_zone ^ 1 << self.their_king
        self.my_double = double | mine & my_zone
        self.my_attacks, self.their_attacks = mine | my_zone, theirs | their_zone
        self.reaches, self.terms, self.my_danger, self.their_danger = reaches, terms, my_danger, their_danger
        self.allowed, self.pinned = rules.all, {}
        self.in_check, self.looked = bool(checkers), True
        if checkers:
            self._find_evasions(checkers, occupied)
        if sliders:
            self._find_pins(sliders, occupied)
        return self.in_check

    def _find_evasions(self, checkers: List[Tuple[int, int, Dict[int, int]]], occupied: int) -> None:
        """Set the squares on which a move of another piece than the king ends a check."""
        for square, mask, table in checkers:
            between = self.rules.pins[self.board[square]][square].get(self.my_king, 0)
            self.allowed &= between | 1 << square
            # The king cannot flee along the line of the check either.
            self.their_attacks |= table[(occupied ^ 1 << self.my_king) & mask]

    def _find_pins(self, sliders: List[Tuple[int, int]], occupied: int) -> None:
        """Find the pieces that may not leave a line, because they protect their king."""
        for square, piece in sliders:
            between = self.rules.pins[piece][square].get(self.my_king)
            if between:
                blockers = between & occupied
                if blockers & self.my_pieces and not blockers & (blockers - 1):
                    self.pinned[blockers.bit_length() - 1] = between | 1 << square

    def takes_king(self) -> bool:
        """Return whether the side to move can capture the enemy king."""
        self.look()
        return bool(self.my_attacks >> self.their_king & 1)

    def evaluate(self) -> int:
        """Return the static evaluation."""
        if self.value is None:
            self.look()
            self.value = self.score + self.terms + self.rules.tempo
            self.value -= self._danger(
                self.my_danger, self.my_king, self.my_pieces, self.my_guards, self.their_attacks, 1 - self.side
            )
            self.value += self._danger(
                self.their_danger, self.their_king, self.their_pieces, self.their_guards, self.my_attacks, self.side
            )
            bare = self.my_pieces & self.their_attacks & ~self.my_attacks
            if bare:
                self.value -= sum([self.rules.loose[self.board[square]] for square in SQUARES[bare]])
            bare = self.their_pieces & self.my_attacks & ~self.their_attacks
            if bare:
                self.value += sum([self.rules.hanging[self.board[square]] for square in SQUARES[bare]])
        return self.value

    def _danger(self, danger: int, king: int, own: int, guards: int, attacks: int, enemy: int) -> int:
        """Return the penalty for the danger of a king, which grows with its square, because threats add up. `danger` is
        the part of the attacks on squares beside the king, `attacks` the squares that the enemy attacks, `guards` those
        that the king's own pieces attack, `enemy` the enemy's side."""
        rules = self.rules
        zone = rules.zone[king]
        danger += rules.escape[COUNT[(zone & ~own & ~attacks) & ~(1 << king)]]
        danger += rules.weak * COUNT[zone & attacks & ~guards] - DEFENDER * COUNT[zone & guards]
        first = enemy * WHITE + 1
        danger += sum(map(int.__mul__, self.hands[first : first + rules.in_hand], rules.held[1:]))
        return min(danger * danger // 75, rules.most_danger) if danger > 0 else 0

    def tactical(self) -> List[int]:
        """Return captures and promotions, best first: move + (gain + 32768) * 65536. The gain is what the move wins,
        minus an estimate of what the opponent's recapture wins."""
        self.look()
        rules, board, theirs, attacks = self.rules, self.board, self.their_pieces, self.their_attacks
        mine, free = self.my_pieces, ~self.their_attacks
        exchange, promotion_gain, pinned = rules.exchange, rules.promotion_gain, self.pinned
        found = []
        for square, piece, reach in self.reaches:
            targets = reach & (free if square == self.my_king else self.allowed)
            if pinned and square in pinned:
                targets &= pinned[square]
            captures, promotions = targets & theirs, targets & ~mine & rules.promotion[piece][square]
            if captures or promotions:
                moves = rules.plain[piece][square][captures]
                if promotions:
                    moves += rules.promoting[piece][square][promotions]
                for move in moves:
                    to = move & 63
                    gain = exchange[board[to]]
                    if move & PROMOTES:
                        gain += promotion_gain[piece]
                    if attacks >> to & 1:
                        gain -= exchange[piece] // 2 if self.my_double >> to & 1 else exchange[piece]
                    found.append((gain + 32768 << 16) + move)
        found.sort(reverse=True)
        return found

    def quiets(self) -> List[int]:
        """Return the moves that neither capture nor promote, and the drops. A pawn drop that mates is included."""
        self.look()
        rules, free = self.rules, ~self.their_attacks
        empty = rules.all & ~(self.my_pieces | self.their_pieces)
        found: List[int] = []
        for square, piece, reach in self.reaches:
            targets = reach & empty & (free if square == self.my_king else self.allowed)
            if self.pinned and square in self.pinned:
                targets &= self.pinned[square]
            if targets:
                found += rules.plain[piece][square][targets]
        empty &= self.allowed
        if empty:
            for piece in self.held():
                found += rules.drops[piece][empty & self.droppable(piece)]
        return found

    def held(self) -> List[int]:
        """Return the kinds of pieces that the side to move has in hand."""
        first = WHITE + 1 if self.side else 1
        return [piece for piece in range(first, first + self.rules.in_hand) if self.hands[piece]]

    def droppable(self, piece: int) -> int:
        """Return the squares on which a piece may be dropped if they are empty. A pawn may not be dropped on a file
        with another pawn of its side (nifu), except in Generals."""
        rules = self.rules
        squares: int = rules.drop_squares[piece]
        if piece & 15 == 1 and not rules.generals and piece in self.board:
            for square in SQUARES[self.my_pieces]:
                if self.board[square] == piece:
                    squares &= ~rules.files[square % rules.size]
        return squares

    def is_pawn_mate(self, move: int) -> bool:
        """Return whether a move drops a pawn that mates, which is not allowed in Minishogi and Dice-Shogi."""
        if self.rules.generals or move >> 6 != DROP + 1:
            return False
        pawn = WHITE + 1 if self.side else 1
        if not self.rules.moves[pawn][move & 63][1][0] >> self.their_king & 1:
            return False
        return self.after(move).is_stuck()

    def is_stuck(self) -> bool:
        """Return whether the side to move has no legal move."""
        return not (self.tactical() or any(not self.is_pawn_mate(move) for move in self.quiets()))

    def legal(self) -> List[int]:
        """Return all legal moves; in Generals, those after which the king cannot be captured."""
        quiets = [move for move in self.quiets() if not self.is_pawn_mate(move)]
        return [encoded & 65535 for encoded in self.tactical()] + quiets

    def pseudo_legal(self) -> List[int]:
        """Return all moves of Generals, which has no check."""
        self.look()
        rules, found = self.rules, []
        empty = rules.all & ~(self.my_pieces | self.their_pieces)
        for square, piece, reach in self.reaches:
            reach &= ~self.my_pieces
            found += rules.plain[piece][square][reach]
            found += rules.promoting[piece][square][reach & rules.promotion[piece][square]]
        for piece in self.held():
            found += rules.drops[piece][empty]
        return found

    def checks(self) -> List[int]:
        """Return the quiet moves and drops that attack the enemy king and do not lose the piece at once."""
        rules, moves, king = self.rules, self.rules.moves, self.their_king
        occupied = self.my_pieces | self.their_pieces
        empty, other = rules.all & ~occupied & self.allowed, 0 if self.side else WHITE
        safe = ~self.their_attacks
        found: List[int] = []
        for square, piece, reach in self.reaches:
            if square != self.my_king:
                # A piece attacks the king from the squares that the same piece of the other side would attack from
                # the king's square.
                mask, table = moves[piece & 15 | other][king]
                spots = reach & empty & table[occupied & mask] & (safe | self.my_double)
                if spots and square not in self.pinned:
                    found += rules.plain[piece][square][spots]
        for piece in self.held():
            mask, table = moves[piece & 15 | other][king]
            spots = empty & table[occupied & mask] & (safe | self.my_attacks)
            if spots:
                found += [
                    move
                    for move in rules.drops[piece][spots & self.droppable(piece)]
                    if piece & 15 > 1 or not self.is_pawn_mate(move)
                ]
        return found

    def mates(self) -> Iterator[int]:
        """Yield moves that mate from a square beside the enemy king, which the king cannot recapture."""
        rules, moves, king, board = self.rules, self.rules.moves, self.their_king, self.board
        spots = rules.zone[king] & self.my_attacks & ~self.their_guards & ~self.my_pieces & self.allowed
        if not spots or self.in_check:
            return
        flights = rules.zone[king] & ~self.their_pieces & ~self.my_attacks & ~(1 << king)
        occupied = self.my_pieces | self.their_pieces
        other = 0 if self.side else WHITE
        held = [piece for piece in self.held() if piece & 15 > 1 or rules.generals]
        for spot in SQUARES[spots]:
            candidates = []
            if not board[spot]:
                candidates = [(piece, (DROP + (piece & 15)) * 64 + spot) for piece in held]
            if self.my_double >> spot & 1:
                for square, piece, reach in self.reaches:
                    if reach >> spot & 1 and square != self.my_king and square not in self.pinned:
                        move = square * 64 + spot
                        if rules.promotion[piece][square] >> spot & 1:
                            candidates.append((rules.promoted[piece], move + PROMOTES))
                            if piece & 15 == 1:
                                continue
                        candidates.append((piece, move))
            for piece, move in candidates:
                mask, table = moves[piece][spot]
                reach = table[(occupied | 1 << spot) & mask]
                if reach >> king & 1 and not flights & ~reach & ~(1 << spot) and self.after(move).is_stuck():
                    yield move

    def win_in_one(self) -> int:
        """Return a move that mates, or 0 if `mates` finds none."""
        if self.mating is None:
            self.mating = next(self.mates(), 0)
        return self.mating

    def risk(self, move: int) -> int:
        """Return an estimate of how much material a quiet move or a drop loses."""
        to, origin = move & 63, move >> 6 & 63
        if not self.their_attacks >> to & 1:
            return 0
        if origin >= DROP:
            worth: int = self.rules.exchange[origin - DROP]
            return worth // 2 if self.my_attacks >> to & 1 else worth
        worth = self.rules.exchange[self.board[origin]]
        return worth // 2 if self.my_double >> to & 1 else worth

    def name(self, move: int) -> str:
        """Return a move as the arena writes it."""
        size = self.rules.size
        to, origin = move & 63, move >> 6 & 63
        letter = self.rules.letters[origin - DROP - 1] if origin >= DROP else ""
        if self.rules.generals:
            start = f"! {letter}" if letter else f"{size - origin // size} {origin % size + 1}"
            return f"{start} {size - to // size} {to % size + 1}"
        if letter:
            start = (letter.lower() if self.side else letter) + "*"
        else:
            start = f"{size - origin % size}{origin // size + 1}"
        return f"{start}{size - to % size}{to // size + 1}" + ("+" if move & PROMOTES else "")

    def text(self) -> str:
        """Return the position as SFEN, without the move number."""
        rules, size = self.rules, self.rules.size
        letters = [self._letter(piece) if piece else "1" for piece in self.board]
        rows = ["".join(letters[start : start + size]) for start in range(0, size * size, size)]
        board = re.sub("1+", lambda empty: str(len(empty[0])), "/".join(rows))
        held = "".join(
            (str(self.hands[piece]) if self.hands[piece] > 1 else "") + self._letter(piece)
            for side in (0, WHITE)
            for piece in range(side + rules.in_hand, side, -1)
            if self.hands[piece]
        )
        return f"{board} {'bw'[self.side]} {held or '-'}"

    def _letter(self, piece: int) -> str:
        letter = self.rules.letters[(piece & 15) - 1]
        return letter.lower() if piece > WHITE else letter


def shogi_position(rules: Rules, text: str) -> ShogiPosition:
    """Return the position of an SFEN, of which the move number may be missing. Raises ValueError if it cannot be
    read."""
    board, turn, held = (*text.split(), "b", "-", "-")[:3] if len(text.split()) < 2 else (*text.split(), "-")[:3]
    if board.count("/") != rules.size - 1 or turn not in ("b", "w"):
        raise ValueError("this is not a position")

    def number(letter: str) -> int:
        return rules.letters.index(letter.upper()) + 1 + (WHITE if letter.islower() else 0)

    cells: List[int] = []
    for row in board.split("/"):
        for cell in re.findall(r"[0-9]|\+?[A-Za-z]", row):
            cells += [0] * int(cell) if cell.isdigit() else [number(cell)]
    if len(cells) != rules.size**2:
        raise ValueError(f"the board does not have {rules.size**2} squares")
    hands = [0] * 32
    for count, letter in re.findall("([0-9]*)([A-Za-z])", held):
        if number(letter) & 15 > rules.in_hand:
            raise ValueError(f"{letter} cannot be in hand")
        hands[number(letter)] += min(int(count or 1), 20)
    return ShogiPosition.of(rules, cells, hands, "bw".index(turn))


# ======== Onitama ========

# The steps of each card, as its player sees the board: columns to the right, rows forward.
CARDS = (
    ("eel", (-1, 1), (-1, -1), (1, 0)),
    ("crane", (0, 1), (-1, -1), (1, -1)),
    ("frog", (-2, 0), (-1, 1), (1, -1)),
    ("horse", (0, 1), (0, -1), (-1, 0)),
    ("boar", (0, 1), (-1, 0), (1, 0)),
    ("rooster", (1, 1), (1, 0), (-1, 0), (-1, -1)),
    ("crab", (0, 1), (-2, 0), (2, 0)),
    ("ox", (0, 1), (0, -1), (1, 0)),
    ("cobra", (1, 1), (1, -1), (-1, 0)),
    ("rabbit", (2, 0), (1, 1), (-1, -1)),
    ("dragon", (-2, 1), (2, 1), (-1, -1), (1, -1)),
    ("monkey", (-1, 1), (1, 1), (-1, -1), (1, -1)),
    ("goose", (-1, 1), (-1, 0), (1, 0), (1, -1)),
    ("elephant", (-1, 1), (1, 1), (-1, 0), (1, 0)),
    ("mantis", (-1, 1), (1, 1), (0, -1)),
    ("tiger", (0, 2), (0, -1)),
)
# Values, like those of the shogi pieces from kogoma/eval/weights. Squares are as the owner of the piece sees them.
STUDENT = 234
STUDENT_SQUARES = (-14, -24, -24, -24, -14, -2, 2, -33, 2, -2, 7, 27, 42, 27, 7, 7, 30, 45, 30, 7,
                   -28, -12, -19, -12, -28)  # fmt: skip
MASTER_SQUARES = (43, -17, 1, -17, 43, 78, 47, 29, 47, 78, 24, 67, 74, 67, 24, -67, -8, -5, -8, -67,
                  -114, -79, -58, -79, -114)  # fmt: skip
CENTRE_CARD = (-9, -12, -8, -8, -2, -3, -2, -8, -9, -8, 11, 4, -3, 13, 7, 13)  # for the side that takes the card next
ATTACK, ATTACK_LATER = 13, 7  # for each attacked square beside the enemy master: now, with the card in the centre
THREAT, ONITAMA_TEMPO = 42, 24  # a threat to win with the next move, and the right to move
HANGING, LOOSE = 208, 11  # for each student that can be captured for nothing: by the side to move, by the other
FLIGHT = (1, -17, -17, -13, -3, 18, 32, 32, 32)  # by the number of safe squares to which the master can move
PASS = 63  # the origin of a move that only exchanges cards
TEMPLE = (2, 22)  # the square on which the master of player 0, of player 1 wins


def card_steps(side: int, card: int, square: int) -> int:
    """Return the squares to which a piece on `square` moves with a card."""
    found, sign = 0, -1 if side else 1
    for right, forward in CARDS[card][1:]:
        row, column = square // 5 - sign * int(forward), square % 5 + sign * int(right)
        if 0 <= row < 5 and 0 <= column < 5:
            found |= 1 << row * 5 + column
    return found


STEPS = [[[card_steps(side, card, square) for square in range(25)] for card in range(16)] for side in (0, 1)]
AROUND = [
    sum(1 << to for to in range(25) if to != square and abs(to // 5 - square // 5) < 2 and abs(to % 5 - square % 5) < 2)
    for square in range(25)
]


def attacked_by(side: int, card: int) -> Memo:
    """Return a memo of the squares that a set of pieces attacks with a card."""
    steps = STEPS[side][card]
    return Memo(lambda pieces: sum(1 << to for to in range(25) if any(steps[s] >> to & 1 for s in squares_of(pieces))))


def moves_with(side: int, card: int) -> Memo:
    """Return a memo of all moves that a set of pieces has with a card."""
    steps, last = STEPS[side][card], card * PROMOTES
    return Memo(
        lambda pieces: [
            last + square * 64 + to for square in squares_of(pieces) for to in squares_of(steps[square] & ~pieces)
        ]
    )


ATTACKED = [[attacked_by(side, card) for card in range(16)] for side in (0, 1)]
CARD_MOVES = [[moves_with(side, card) for card in range(16)] for side in (0, 1)]
STUDENT_VALUES = [
    Memo(lambda bits: sum(STUDENT + STUDENT_SQUARES[square] for square in squares_of(bits))),
    Memo(lambda bits: sum(STUDENT + STUDENT_SQUARES[24 - square] for square in squares_of(bits))),
]


class OnitamaPosition:
    """A position of Onitama, with the same methods as ShogiPosition for the search. `in_check` means that the opponent
    threatens to win with its next move."""

    __slots__ = (
        "side", "my_pieces", "their_pieces", "my_king", "their_king", "my_cards", "their_cards", "centre", "key",
        "children", "looked", "in_check", "my_attacks", "their_attacks", "value", "winning",
    )  # fmt: skip

    def __init__(
        self, side: int, pieces: Tuple[int, int], kings: Tuple[int, int],
        my_cards: Tuple[int, int], their_cards: Tuple[int, int], centre: int,
    ) -> None:  # fmt: skip
        """`pieces`, `kings` (the masters) and cards belong to the side to move and to the opponent, in this order."""
        self.side = side
        self.my_pieces, self.their_pieces = pieces
        self.my_king, self.their_king = kings
        self.my_cards, self.their_cards, self.centre = my_cards, their_cards, centre
        cards = 1 << my_cards[0] | 1 << my_cards[1] | (1 << their_cards[0] | 1 << their_cards[1]) << 16 | centre << 32
        self.key = (((cards << 25 | pieces[0]) << 25 | pieces[1]) << 5 | kings[0]) << 6 | kings[1] << 1 | side
        self.children: Dict[int, OnitamaPosition] = {}
        self.looked = self.in_check = False
        self.value: Optional[int] = None
        self.winning = 0

    def after(self, move: int) -> OnitamaPosition:
        """Return the position after a move."""
        new = self.children.get(move)
        if new is not None:
            return new
        to, origin, card = move & 63, move >> 6 & 63, move >> 12
        first, second = self.my_cards
        kept = second if card == first else first
        mine, theirs, king = self.my_pieces, self.their_pieces, self.my_king
        if origin != PASS:
            mine ^= 1 << to | 1 << origin
            theirs &= ~(1 << to)
            if origin == king:
                king = to
        new = self.children[move] = OnitamaPosition(
            1 - self.side, (theirs, mine), (self.their_king, king), self.their_cards, (kept, self.centre), card
        )
        return new

    def passed(self) -> OnitamaPosition:
        """Return the position after a null move, which leaves the cards where they are."""
        new = self.children.get(-1)
        if new is None:
            new = self.children[-1] = OnitamaPosition(
                1 - self.side, (self.their_pieces, self.my_pieces), (self.their_king, self.my_king),
                self.their_cards, self.my_cards, self.centre,
            )  # fmt: skip
        return new

    def look(self) -> bool:
        """Compute the attacked squares and whether the side to move can win at once, and return whether the opponent
        threatens to win."""
        if not self.looked:
            self.looked = True
            side, mine, theirs = self.side, self.my_pieces, self.their_pieces
            (first, second), (third, fourth) = self.my_cards, self.their_cards
            self.my_attacks = ATTACKED[side][first][mine] | ATTACKED[side][second][mine]
            self.their_attacks = ATTACKED[1 - side][third][theirs] | ATTACKED[1 - side][fourth][theirs]
            temple = TEMPLE[side]
            flights = STEPS[side][first][self.my_king] | STEPS[side][second][self.my_king]
            if self.my_attacks >> self.their_king & 1 or flights >> temple & 1 and not mine >> temple & 1:
                self.winning = self._winning_move()
            temple, king = TEMPLE[1 - side], self.their_king
            flights = STEPS[1 - side][third][king] | STEPS[1 - side][fourth][king]
            self.in_check = bool(
                self.their_attacks >> self.my_king & 1 or flights >> temple & 1 and not theirs >> temple & 1
            )
        return self.in_check

    def _winning_move(self) -> int:
        for card in self.my_cards:
            for move in CARD_MOVES[self.side][card][self.my_pieces]:
                to, origin = move & 63, move >> 6 & 63
                if to == self.their_king or origin == self.my_king and to == TEMPLE[self.side]:
                    return int(move)
        return 0

    def win_in_one(self) -> int:
        """Return a move that captures the enemy master or reaches its temple, or 0."""
        self.look()
        return self.winning

    def evaluate(self) -> int:
        """Return the static evaluation."""
        if self.value is None:
            self.look()
            side, other, mine, theirs = self.side, 1 - self.side, self.my_pieces, self.their_pieces
            my_king, their_king, attacks, enemy = self.my_king, self.their_king, self.my_attacks, self.their_attacks
            my_students, their_students = mine ^ 1 << my_king, theirs ^ 1 << their_king
            value = ONITAMA_TEMPO + CENTRE_CARD[self.centre]
            value += STUDENT_VALUES[side][my_students] - STUDENT_VALUES[other][their_students]
            value += MASTER_SQUARES[24 - my_king if side else my_king]
            value -= MASTER_SQUARES[their_king if side else 24 - their_king]
            later, enemy_later = ATTACKED[side][self.centre][mine], ATTACKED[other][self.centre][theirs]
            value += ATTACK * (COUNT[AROUND[their_king] & attacks] - COUNT[AROUND[my_king] & enemy])
            value += ATTACK_LATER * (COUNT[AROUND[their_king] & later] - COUNT[AROUND[my_king] & enemy_later])
            value += HANGING * COUNT[their_students & attacks & ~enemy]
            value -= LOOSE * COUNT[my_students & enemy & ~attacks]
            value += 4 * COUNT[my_students & enemy & attacks]
            if self.in_check:
                value -= THREAT
            first, second = self.my_cards
            steps = STEPS[side]
            value += FLIGHT[COUNT[(steps[first][my_king] | steps[second][my_king]) & ~mine & ~enemy]]
            first, second = self.their_cards
            steps = STEPS[other]
            value -= FLIGHT[COUNT[(steps[first][their_king] | steps[second][their_king]) & ~theirs & ~attacks]]
            self.value = int(value)
        return self.value

    def legal(self) -> List[int]:
        """Return all moves. A player without a move passes, and chooses the card that it gives up."""
        first, second = self.my_cards
        moves: List[int] = (
            CARD_MOVES[self.side][first][self.my_pieces] + CARD_MOVES[self.side][second][self.my_pieces]
        )
        return moves or [card * PROMOTES + PASS * 64 for card in self.my_cards]

    def tactical(self) -> List[int]:
        """Return captures, best first, as ShogiPosition.tactical does."""
        theirs, enemy = self.their_pieces, self.their_attacks
        if not theirs & self.my_attacks:
            return []
        found = [
            ((STUDENT if not enemy >> (move & 63) & 1 else 0) + 32768 << 16) + move
            for move in self.legal()
            if theirs >> (move & 63) & 1
        ]
        found.sort(reverse=True)
        return found

    def quiets(self) -> List[int]:
        """Return the moves that capture nothing."""
        theirs = self.their_pieces
        if not theirs & self.my_attacks:
            return self.legal()
        return [move for move in self.legal() if not theirs >> (move & 63) & 1]

    def checks(self) -> List[int]:
        """Return no moves: the search of Onitama does not treat checks separately."""
        return []

    def risk(self, move: int) -> int:
        """Return an estimate of how much material a quiet move loses."""
        return 0

    def name(self, move: int) -> str:
        """Return a move as the arena writes it."""
        to, origin = move & 63, move >> 6 & 63
        if origin == PASS:
            return f"{move >> 12} PASS"
        return f"{move >> 12} {'ABCDE'[origin % 5]}{5 - origin // 5}{'ABCDE'[to % 5]}{5 - to // 5}"


def onitama_position(rows: List[str], cards: List[str], side: int) -> OnitamaPosition:
    """Return the position that the arena's lines show. Raises ValueError if a master or a card is missing."""
    cells = "".join(rows)
    kings = [cells.find("W"), cells.find("B")]
    owned: Dict[str, List[int]] = {"0": [], "1": [], "-1": []}
    for line in cards:
        owner, card = line.split()[:2]
        owned[owner].append(int(card))
    mine, theirs, centre = owned["01"[side]], owned["10"[side]], owned["-1"]
    if -1 in kings or cells.count("W") + cells.count("B") > 2:
        raise ValueError("each player must have one master")
    if (len(mine), len(theirs), len(centre)) != (2, 2, 1) or len({*mine, *theirs, *centre}) < 5:
        raise ValueError("each player must have two cards, and one must lie in the centre")
    pieces = [sum(1 << square for square, cell in enumerate(cells) if cell.upper() == letter) for letter in "WB"]
    return OnitamaPosition(
        side, (pieces[side], pieces[1 - side]), (kings[side], kings[1 - side]),
        (mine[0], mine[1]), (theirs[0], theirs[1]), centre[0],
    )  # fmt: skip


# ======== The search ========

INFINITE = 1_000_000
WON = 100_000  # a won game; fewer plies are better, so a win in n plies has the score WON - n
DECIDED = 90_000  # scores beyond it are wins and losses
MAX_PLY = 60
EXACT, LOWER, UPPER = 0, 1, 2  # whether the score in the table is the score, a lower or an upper bound
HISTORY_LIMIT = 16384
CLOCK_EVERY = 64  # nodes between two looks at the clock
ENTRY_BYTES = 300  # of memory, for an entry of the table

# Late move reductions, in plies, by depth and number of the move.
REDUCTIONS = [
    [int(0.67 + 0.52 * math.log(max(depth, 1)) * math.log(max(count, 1))) for count in range(128)] for depth in range(64)
]


class OutOfTime(Exception):
    """The search must end now."""


class Found(NamedTuple):
    """The result of a search: the best move, its score and the depth of the search."""

    move: int
    score: int
    depth: int


class Search:
    """The search of the games without a die: iterative deepening, principal variation search with a table of searched
    positions, a quiescence search, null moves, reductions and extensions."""

    def __init__(self, game: str, hash_mb: int) -> None:
        self.repeats = game == "minishogi"  # whether the third occurrence of a position ends the game
        self.last_ply = LAST_PLY.get(game, 1 << 30)
        self.room = hash_mb * (1 << 20) // ENTRY_BYTES
        self.new_game()

    def new_game(self) -> None:
        """Forget what was learned in earlier games."""
        self.table: Dict[int, Tuple[int, int, int, int]] = {}  # (depth, bound, score, move) by key
        self.history = [[0] * 65536, [0] * 65536]  # how often a move was good, by side
        self.counter: Dict[int, int] = {}  # the reply that refuted a move

    def think(
        self, root: Any, moves: List[int], seen: Dict[int, int], ply: int, deadline: float, depth_limit: int = 40
    ) -> Found:
        """Return the best of `moves`. `seen` counts the earlier positions of the game by key, `ply` is the number of
        plies played. The search ends at `deadline` (time.perf_counter) or after `depth_limit` iterations."""
        self.seen, self.deadline, self.nodes = dict(seen), deadline, 0
        self.seen[root.key] = 2
        self.plies_left = self.last_ply - ply
        self.killers = [[0, 0] for _ in range(MAX_PLY + 2)]
        self.evals = [0] * (MAX_PLY + 2)
        self.path = [0] * (MAX_PLY + 2)  # the moves from the root
        self.moves = list(moves)
        self.found = Found(moves[0], 0, 0)
        try:
            for depth in range(1, depth_limit + 1):
                self._search_root(root, depth)
                if abs(self.found.score) > DECIDED and WON - abs(self.found.score) <= depth:
                    break
                if len(moves) == 1 and depth >= 4:
                    break
        except OutOfTime:
            pass
        return self.found

    def _search_root(self, root: Any, depth: int) -> None:
        """Search the moves of the root to a depth. A better move is stored in `found` at once, so that it is known when
        the time is over, and comes first from then on."""
        alpha, order, best = -INFINITE, self.moves, 0
        root.look()
        self.evals[0] = -INFINITE
        for count, move in enumerate(list(order)):
            child = root.after(move)
            self.path[0] = move
            extension = 1 if child.look() else 0
            if count:
                late = REDUCTIONS[min(depth, 63)][min(count, 127)] if depth > 2 and count > 3 and not extension else 0
                score = -self.search(child, -alpha - 1, -alpha, depth - 1 + extension - late, 1, True)
                if score > alpha and late:
                    score = -self.search(child, -alpha - 1, -alpha, depth - 1 + extension, 1, True)
            if not count or score > alpha:
                score = -self.search(child, -INFINITE, -alpha, depth - 1 + extension, 1, False)
            if score > alpha or not count:
                alpha = score
                best = move
                self.found = Found(move, score, depth)
                order.remove(move)
                order.insert(0, move)
        self._store(root.key, depth, EXACT, alpha, best, 0)

    def _count_node(self) -> None:
        self.nodes += 1
        if not self.nodes % CLOCK_EVERY and time.perf_counter() > self.deadline:
            raise OutOfTime

    def search(
        self, position: Any, alpha: int, beta: int, depth: int, ply: int, cut_node: bool, null: bool = True
    ) -> int:
        """Return the score of a position for the side to move, by a search of `depth` plies. If the score is not
        between `alpha` and `beta`, the result is a bound of it. `cut_node` means that the score is expected to reach
        `beta`; after a null move, `null` is false."""
        # 1. At depth 0, only captures and the like are searched.
        if depth <= 0:
            return self.quiesce(position, alpha, beta, ply)
        self.nodes += 1
        if not self.nodes % CLOCK_EVERY and time.perf_counter() > self.deadline:
            raise OutOfTime

        # 2. Has the game ended?
        key = position.key
        seen = self.seen
        visits = seen.get(key, 0)
        if self.repeats and visits >= 2:
            # The side to move wins if it is in check; otherwise Black, the first player, loses.
            return WON - ply if position.look() or position.side else ply - WON
        in_check = position.look()
        if not in_check or ply > 1:
            if position.win_in_one():
                return WON - ply - 1
        if ply >= self.plies_left:
            return 0
        if ply >= MAX_PLY:
            return int(position.evaluate())
        alpha, beta = max(alpha, ply - WON), min(beta, WON - ply - 1)
        if alpha >= beta:
            return alpha
        pv_node = beta - alpha > 1

        # 3. Has the table an answer?
        entry = self.table.get(key)
        table_move, table_score, table_bound = 0, 0, -1
        if entry is not None:
            table_depth, table_bound, table_score, table_move = entry
            if abs(table_score) > DECIDED:
                table_score += -ply if table_score > 0 else ply
            if table_depth >= depth and not pv_node:
                if table_bound == EXACT or (table_score >= beta if table_bound == LOWER else table_score <= alpha):
                    return table_score

        # 4. Judge the position without moves, and skip the search if it is far too good or too bad.
        static = estimate = -INFINITE
        improving = False
        if not in_check:
            static = estimate = position.evaluate()
            if entry is not None and table_bound != (UPPER if table_score > static else LOWER):
                estimate = table_score
            improving = ply > 1 and -INFINITE < self.evals[ply - 2] < static
        self.evals[ply] = static
        if not in_check and not pv_node:
            if depth <= 3 and estimate + 615 * depth < alpha:
                score = self.quiesce(position, alpha, alpha + 1, ply)
                if score <= alpha:
                    return score
            if depth <= 6 and estimate < DECIDED and estimate - 98 * depth + (127 if improving else 0) >= beta:
                return int(estimate)
            # Null move: if the position is good even without a move, it is good.
            if null and depth >= 3 and estimate >= beta > -DECIDED and static >= beta - 40 * depth + 262:
                less = 3 + depth // 4 + min((estimate - beta) // 264, 3)
                self.path[ply] = -1
                score = -self.search(position.passed(), -beta, 1 - beta, depth - less, ply + 1, not cut_node, False)
                if score >= beta:
                    return score if score < DECIDED else beta
        # 5. Without a move from the table, the order of the moves is bad: reduce the depth.
        if depth >= 4 and not table_move and (pv_node or cut_node):
            depth -= 1

        # 6. Search the moves.
        self.killers[ply + 1] = [0, 0]
        best, best_move, count, old_alpha = -INFINITE, 0, 0, alpha
        seen[key] = visits + 2
        history = self.history[position.side]
        quiets_tried: List[int] = []
        late_limit = (4 + depth * depth) // (1 if improving else 2) + 5
        for move, kind in self.ordered(position, table_move, ply):
            count += 1
            quiet = REFUTATION <= kind <= QUIET

            # 7. Late moves and moves that lose material are left out at low depth.
            if best > -DECIDED and not in_check:
                reduced = max(depth - REDUCTIONS[min(depth, 63)][min(count, 127)], 0)
                if kind == QUIET:
                    if count > late_limit:
                        continue
                    if not pv_node and reduced <= 5 and static + 209 + 124 * reduced <= alpha:
                        continue
                    if reduced <= 3 and history[move] < -2446 * (reduced + 1):
                        continue
                    if depth <= 7 and position.risk(move) > 142 * depth:
                        continue
                elif kind == LOSING and depth <= 2:
                    continue

            # 8. Extend checks, reduce late moves.
            child = position.after(move)
            gives_check = child.look()
            new_depth = depth - 1
            if gives_check and kind != LOSING and (depth <= 8 or pv_node):
                new_depth = depth
            late = 0
            if depth >= 2 and count > (3 if pv_node else 1) and (quiet or kind == LOSING):
                late = REDUCTIONS[min(depth, 63)][min(count, 127)] + (not pv_node) + cut_node
                late -= improving + gives_check + in_check + (kind == LOSING) + history[move] // 10117
                late = max(min(late, new_depth - 1), 0)

            # 9. Search with a window that only tests whether the move is better than the best one, then again if so.
            self.path[ply] = move
            score = alpha + 1
            if late:
                score = -self.search(child, -alpha - 1, -alpha, new_depth - late, ply + 1, True)
            if (late and score > alpha) or (not late and (count > 1 or not pv_node)):
                score = -self.search(child, -alpha - 1, -alpha, new_depth, ply + 1, not cut_node)
            if pv_node and (count == 1 or score > alpha):
                score = -self.search(child, -beta, -alpha, new_depth, ply + 1, False)
            if score > best:
                best = score
                if score > alpha:
                    best_move = move
                    if score >= beta:
                        break
                    alpha = score
            if quiet:
                quiets_tried.append(move)
        seen[key] = visits

        # 10. Without a legal move, the game is lost, by mate or by stalemate.
        if not count:
            return ply - WON

        # 11. Learn from a cutoff, and store the result.
        if best >= beta and best_move and REFUTATION <= kind <= QUIET:
            self._learn(history, best_move, quiets_tried, depth, ply)
        bound = LOWER if best >= beta else EXACT if pv_node and best > old_alpha else UPPER
        self._store(key, depth, bound, best, best_move or table_move, ply)
        return best

    def ordered(self, position: Any, first: int, ply: int) -> Iterator[Tuple[int, int]]:
        """Yield the legal moves, the most promising ones first, each with its kind: the move from the table, captures
        and promotions that win material, refutations of sister moves and checks, quiet moves, losing captures."""
        tactical = position.tactical()
        if first:
            yield first, (FIRST if any(move & 65535 == first for move in tactical) else REFUTATION)
        losing = []
        for encoded in tactical:
            move = encoded & 65535
            if move != first:
                if encoded >> 16 >= 32768:
                    yield move, WINNING
                else:
                    losing.append(move)
        quiets = position.quiets()
        done = {first}
        for move in (*self.killers[ply], self.counter.get(self.path[ply - 1], 0)):
            if move not in done and move in quiets:
                done.add(move)
                yield move, REFUTATION
        for move in position.checks():
            if move not in done:
                done.add(move)
                yield move, CHECK
        history = self.history[position.side]
        for encoded in sorted([(history[move] + 65536 << 16) + move for move in quiets], reverse=True):
            move = encoded & 65535
            if move not in done and not self.is_forbidden(position, move):
                yield move, QUIET
        for move in losing:
            yield move, LOSING

    def is_forbidden(self, position: Any, move: int) -> bool:
        """Return whether a move from `quiets` is not legal: a pawn drop that mates."""
        return self.repeats and position.is_pawn_mate(move)

    def _learn(self, history: List[int], best: int, tried: List[int], depth: int, ply: int) -> None:
        """Remember that a quiet move refuted the opponent's last move, and that those tried before it did not."""
        bonus = min(14 * depth * depth + 50, 2000)
        history[best] += bonus - history[best] * bonus // HISTORY_LIMIT
        for move in tried:
            if move != best:
                history[move] -= bonus + history[move] * bonus // HISTORY_LIMIT
        killers = self.killers[ply]
        if killers[0] != best:
            self.killers[ply] = [best, killers[0]]
        self.counter[self.path[ply - 1]] = best

    def _store(self, key: int, depth: int, bound: int, score: int, move: int, ply: int) -> None:
        """Store the result of a search. The scores of wins count from this position, not from the root."""
        if abs(score) > DECIDED:
            score += ply if score > 0 else -ply
        if len(self.table) >= self.room:
            self.table.clear()
        self.table[key] = (depth, bound, score, move)

    def quiesce(self, position: Any, alpha: int, beta: int, ply: int) -> int:
        """Return the score of a position after captures and promotions have been played out. In check, all moves are
        searched."""
        self.nodes += 1
        if not self.nodes % CLOCK_EVERY and time.perf_counter() > self.deadline:
            raise OutOfTime
        in_check = position.look()
        if position.win_in_one():
            return WON - ply - 1
        if ply >= MAX_PLY:
            return int(position.evaluate())
        entry = self.table.get(position.key)
        if entry is not None:
            _, bound, score, _ = entry
            if abs(score) > DECIDED:
                score += -ply if score > 0 else ply
            if bound == EXACT or (score >= beta if bound == LOWER else score <= alpha):
                return score
        best, static = -INFINITE, 0
        if not in_check:
            best = static = position.evaluate()
            if best >= beta:
                return best
            alpha = max(alpha, best)
        for encoded in position.tactical():
            gain = (encoded >> 16) - 32768
            if not in_check and (gain < 0 or static + gain + 391 <= alpha):
                break  # moves that come later gain even less
            score = -self.quiesce(position.after(encoded & 65535), -beta, -alpha, ply + 1)
            if score > best:
                best = score
                if score >= beta:
                    return best
                alpha = max(alpha, score)
        if in_check:
            best = self._evade(position, alpha, beta, ply, best)
        return best

    def _evade(self, position: Any, alpha: int, beta: int, ply: int, best: int) -> int:
        """Search the quiet moves of a position in check, and return the best score. `best` is the best one so far."""
        history, tried = self.history[position.side], 0
        for encoded in sorted([(history[move] + 65536 << 16) + move for move in position.quiets()], reverse=True):
            if tried >= 3 and best > -DECIDED:
                break
            tried += 1
            move = encoded & 65535
            if self.is_forbidden(position, move):
                continue
            score = -self.quiesce(position.after(move), -beta, -alpha, ply + 1)
            if score > best:
                best = score
                if score >= beta:
                    break
                alpha = max(alpha, score)
        return best if best > -INFINITE else ply - WON


# Kinds of moves, in the order in which they are searched.
FIRST, WINNING, REFUTATION, CHECK, QUIET, LOSING = range(6)


# ======== The search with a die ========

# A value is the expected result for the side to move: 1 a certain win, -1 a certain loss. A leaf's value comes from its
# static evaluation by a logistic curve, which was fitted to the results of games.
CURVE_SCALE = 4000.0
SUREST = 0.98  # the value of the best position that is not won yet
KEPT = 1023 / 1024  # of a value after each ply, so that early wins are better
FACES = 6


def value_of(centipawns: int) -> float:
    """Convert an evaluation to a value."""
    return (2 / (1 + 10 ** (-max(min(centipawns, 8191), -8191) / CURVE_SCALE)) - 1) * SUREST


def centipawns_of(value: float) -> int:
    """Convert a value to centipawns."""
    share = max(min(value / SUREST, 0.9999), -0.9999)
    return round(CURVE_SCALE * math.log10((1 + share) / (1 - share)))


class DiceSearch:
    """The search of Dice-Shogi: iterative deepening of expectiminimax.

    A node is a position before the roll. Each number from 1 to 5 allows the moves to one file of the board; 6 allows
    all moves, and so do the numbers of files to which no move leads. If G files have moves, the value of a node is
    therefore the mean of six numbers: the values of the best moves to each of the G files, and 6 - G times the value of
    the best move of all. The search of a file stops when bounds of the files show that the mean is outside the window
    from alpha to beta (Ballard's Star1 and Star2 algorithms)."""

    def __init__(self, game: str, hash_mb: int) -> None:
        self.last_ply = LAST_PLY["dice"]
        self.room = hash_mb * (1 << 20) // (3 * ENTRY_BYTES)
        self.new_game()

    def new_game(self) -> None:
        """Forget what was learned in earlier games."""
        self.table: Dict[int, Tuple[int, int, float, Dict[int, int]]] = {}  # depth, bound, value, best moves, by key
        self.history = [[0] * 65536, [0] * 65536]

    def think(
        self, root: Any, moves: List[int], seen: Dict[int, int], ply: int, deadline: float, depth_limit: int = 40
    ) -> Found:
        """Return the best of `moves`, those that the roll allows. The arguments are those of Search.think."""
        self.deadline, self.nodes, self.plies_left = deadline, 0, self.last_ply - ply
        order, found = list(moves), Found(moves[0], 0, 0)
        try:
            for depth in range(1, depth_limit + 1):
                best = -2.0
                for move in list(order):
                    value = -self.expect(root.after(move), -2.0, -best, depth - 1, 1)
                    if value > best:
                        best = value
                        score = WON - 1 if value >= 1 else -WON if value <= -1 else centipawns_of(value)
                        found = Found(move, score, depth)
                        order.remove(move)
                        order.insert(0, move)
                if len(moves) == 1 or abs(best) >= 1:
                    break
        except OutOfTime:
            pass
        return found

    def expect(self, position: ShogiPosition, alpha: float, beta: float, depth: int, ply: int) -> float:
        """Return the value of a position before the roll. If it is not between `alpha` and `beta`, the result is a
        bound."""
        # 1. Count the node. The game may be over, or the position a leaf.
        self.nodes += 1
        if not self.nodes % CLOCK_EVERY and time.perf_counter() > self.deadline:
            raise OutOfTime
        in_check = position.look()
        if depth < 0 or depth == 0 and not in_check:
            return self.leaf(position, beta, ply)

        # 2. Has the table an answer?
        key, hints = position.key, {}
        entry = self.table.get(key)
        if entry is not None:
            found_depth, bound, value, hints = entry
            if found_depth >= depth and found_depth + 1 < self.plies_left - ply:
                if bound == EXACT or (value >= beta if bound == LOWER else value <= alpha):
                    return value

        # 3. Sort the moves by the file on which they end; files with few moves come first.
        files = self.by_file(position, hints)
        if not files:
            return -1.0
        if ply >= self.plies_left:
            return 0.0
        order = sorted(files, key=lambda file: len(files[file]))
        low, high = dict.fromkeys(order, -1.0), dict.fromkeys(order, 1.0)
        tops = dict.fromkeys(order, -2.0)
        place, best = dict.fromkeys(order, 0), dict(hints)
        free = FACES - len(order)
        least, most = alpha * FACES / KEPT, beta * FACES / KEPT

        # 4. Search the first move of every file, then all others.
        for probing in (True, False) if depth >= 2 else (False,):
            for file in order:
                moves = files[file]
                others_high = [high[other] for other in order if other != file]
                others_low = [low[other] for other in order if other != file]
                while place[file] < len(moves) and low[file] < high[file]:
                    floor = max(needed(others_high, free, least), low[file])
                    ceiling = needed(others_low, free, most)
                    if floor >= high[file] or ceiling <= low[file]:
                        break
                    move = moves[place[file]]
                    child = position.after(move)
                    value = 2.0
                    if depth >= 2 and not probing and low[file] > -1.0:  # later moves are first searched a ply less
                        value = -self.expect(child, -floor - 1e-6, -floor, depth - 2, ply + 1)
                    if value > floor:
                        value = -self.expect(child, -ceiling, -floor, depth - 1, ply + 1)
                    place[file] += 1
                    if value > floor:
                        low[file] = min(value, high[file])
                        best[file] = move
                    if value >= ceiling:
                        tops[file] = 1.0
                        break
                    tops[file] = max(tops[file], value)
                    if probing:
                        break
                if place[file] == len(moves):
                    high[file] = max(min(high[file], tops[file]), low[file])

                # 5. Do the bounds of the files decide the mean?
                if mean(low.values(), free) >= most:
                    return self.finish(position, depth, ply, LOWER, mean(low.values(), free), best, hints)
                if mean(high.values(), free) <= least:
                    return self.finish(position, depth, ply, UPPER, mean(high.values(), free), best, hints)
        return self.finish(position, depth, ply, EXACT, mean(low.values(), free), best, hints)

    def finish(
        self, position: ShogiPosition, depth: int, ply: int, bound: int, total: float, best: Dict[int, int],
        hints: Dict[int, int],
    ) -> float:
        """Store the result of a node in the table, and return its value. `total` is the sum over the six faces."""
        value = total * KEPT / FACES
        history = self.history[position.side]
        if depth >= 2:
            for move in best.values():
                history[move] += depth * depth
        if depth + 1 < self.plies_left - ply:
            if len(self.table) >= self.room:
                self.table.clear()
            self.table[position.key] = (depth, bound, value, best)
        return value

    def by_file(self, position: ShogiPosition, hints: Dict[int, int]) -> Dict[int, List[int]]:
        """Return the legal moves by the file on which they end, the most promising ones first. `hints` are moves that
        were best before."""
        rules, board, side = position.rules, position.board, WHITE if position.side else 0
        history = self.history[position.side]
        files: Dict[int, List[Tuple[int, int]]] = {}
        for move in position.legal():
            to, origin = move & 63, move >> 6 & 63
            if origin >= DROP:
                piece = origin - DROP + side
                worth = rules.at[piece][to] - rules.hand_value[piece][1]
            else:
                piece = board[origin]
                worth = rules.exchange[board[to]] - rules.at[piece][origin]
                worth += rules.at[rules.promoted[piece] if move & PROMOTES else piece][to]
            worth += min(history[move], 2000) // 8
            if position.their_attacks >> to & 1:
                worth -= position.risk(move) // 4
            files.setdefault(to % rules.size, []).append((worth, move))
        sorted_files = {}
        for file, found in files.items():
            found.sort(reverse=True)
            moves = [move for _, move in found]
            hint = hints.get(file)
            if hint in moves:
                moves.remove(hint)
                moves.insert(0, hint)
            sorted_files[file] = moves
        return sorted_files

    def leaf(self, position: ShogiPosition, beta: float, ply: int) -> float:
        """Return the value of a position at the end of a line, from its evaluation and the rolls that allow a mate."""
        if position.in_check and position.is_stuck():
            return -1.0
        if ply >= self.plies_left:
            return 0.0
        value = value_of(position.evaluate())
        if value < beta and not position.in_check:
            faces = len({move % 64 % position.rules.size for move in position.mates()})
            if faces:
                faces += 1  # the six allows every move
                value = (faces + (FACES - faces) * value) * KEPT / FACES
        return value


def mean(values: Any, free: int) -> float:
    """Return the sum over the six faces: of the files' best values, and `free` times the best of all."""
    return float(sum(values) + free * max(values))


def needed(others: List[float], free: int, goal: float) -> float:
    """Return the value of the best move to a file with which the sum over the six faces is `goal`, if the other files
    have the values `others`."""
    best = max(others, default=-2.0)
    rest = goal - sum(others)
    return rest - free * best if rest - free * best <= best else rest / (free + 1)


# ======== The arena ========


class Line(NamedTuple):
    """A line of the input: its text without white space at the ends, its number, and the time of its arrival."""

    text: str
    number: int
    at: float


class Lines:
    """The lines of standard input. A thread reads them, so that the bot can stop waiting for a line."""

    def __init__(self) -> None:
        self.arrived: queue.Queue[Optional[Line]] = queue.Queue()
        self.next: Optional[Line] = None
        self.ended = False
        self.number = 0  # of the last line taken
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for number, data in enumerate(sys.stdin.buffer, 1):
            text = data.decode(errors="replace").strip()
            if text:
                self.arrived.put(Line(text, number, time.perf_counter()))
        self.arrived.put(None)

    def peek(self, until: Optional[float] = None) -> Optional[Line]:
        """Return the next line, which stays the next one. Return None at the end of the input, or if no line arrives
        until a time (time.perf_counter)."""
        if self.next is None and not self.ended:
            try:
                self.next = self.arrived.get(timeout=None if until is None else max(until - time.perf_counter(), 0))
            except queue.Empty:
                return None
            self.ended = self.next is None
        return self.next

    def take(self) -> str:
        """Remove the line that `peek` has returned, and return its text."""
        assert self.next is not None
        line, self.next = self.next, None
        self.number = line.number
        return line.text


class Field(NamedTuple):
    """A part of a turn: `count` lines that match a regular expression."""

    name: str
    pattern: str
    count: int = 1

    def fits(self, line: Line) -> bool:
        """Return whether the line can belong to this part."""
        return re.fullmatch(self.pattern, line.text) is not None


SHOGI_ACTION = r"[1-5][1-5][1-5][1-5]\+?|[GSBRPgsbrp]\*[1-5][1-5]"
ONITAMA_ACTION = r"1?[0-9] ([A-E][1-5][A-E][1-5]|PASS)"
ROW, HAND, ROLL = (
    Field("a row", r"(\+?[KGSBRPkgsbrp]|\.){5}", 5), Field("a hand", "-|[GSBRPgsbrp]+", 2), Field("the roll", "[1-6]")
)  # fmt: skip
LAST = Field("the opponent's last action", "none|" + SHOGI_ACTION)
PLAYER, SIZE = Field("the player's id", "[01]"), Field("the board's size", "5")
ONITAMA_ROW, CARD = Field("a row", "[WwBb.]{5}", 5), Field("a card", r"(-1|0|1) 1?[0-9]( -?[0-9]){8}", 5)
COUNT_LINE = Field("the number of legal actions", "[0-9]{1,3}")
FIELDS = {
    "minishogi": ((PLAYER, SIZE), (ROW, HAND, LAST), Field("a legal action", SHOGI_ACTION)),
    "dice": ((PLAYER, SIZE), (ROW, HAND, ROLL, LAST), Field("a legal action", SHOGI_ACTION)),
    "onitama": ((PLAYER,), (ONITAMA_ROW, CARD), Field("a legal action", ONITAMA_ACTION)),
}
QUIET_TIME = 0.02  # seconds without a line that end a list of unknown length
LONGEST_QUOTE = 60


class Turn:
    """The lines of one turn. `parts` holds the lines of each Field; a part with a wrong number of lines is empty."""

    def __init__(self, at: float, first: bool) -> None:
        self.at = at  # arrival of the first line (time.perf_counter)
        self.first = first  # whether it is the first turn of a game
        self.parts: Dict[Field, List[str]] = {}
        self.actions: List[str] = []
        self.complete = True  # whether no line was missing, superfluous or garbled


class TurnReader:
    """A reader of the arena's turns. A line that does not fit is reported and skipped, so that the bot can answer every
    turn of which it knows the legal actions or the position."""

    def __init__(self, game: str, lines: Lines) -> None:
        self.lines = lines
        self.once, self.each, self.action = FIELDS[game]
        self.has_read = False

    def read(self, patience: Optional[float]) -> Optional[Turn]:
        """Return the next turn, or None at the end of the input. `patience` is the longest time in seconds to wait for
        the rest of a turn whose position or legal actions are known."""
        starts = (self.once[0], self.each[0])
        skipped: Optional[Line] = None
        while True:
            line = self.lines.peek()
            if line is None or any(start.fits(line) for start in starts):
                break
            skipped = skipped or line
            self.lines.take()
        if skipped:
            complain(f"line {skipped.number}: expected {starts[self.has_read].name}, not {clip(skipped.text)}")
            if self.lines.number > skipped.number:
                complain(f"the lines up to line {self.lines.number} are skipped")
        if line is None:
            return None
        self.turn = turn = Turn(line.at, not self.has_read or self.once[0].fits(line))
        self.has_read = True
        self.until = None if patience is None else line.at + patience
        turn.complete = skipped is None
        fields = (*(self.once if turn.first else ()), *self.each)
        for index, field in enumerate(fields):
            turn.parts[field] = self._part(field, (*fields[index + 1 :], COUNT_LINE))
        count = self._part(COUNT_LINE, ())
        self._read_actions(int(count[0]) if count else None)
        return turn

    def _wait(self, name: str) -> Optional[Line]:
        """Return the next line of the turn, or None if there is none. `name` says what it should be."""
        line = self.lines.peek(self.until)
        if line is None and not self.turn.actions and not all(self.turn.parts.get(field) for field in self.each):
            line = self.lines.peek()  # there is nothing to answer yet
        if line is None and self.turn.complete:
            why = "the input ends" if self.lines.ended else "no more lines arrive"
            self._report(f"line {self.lines.number + 1}: {why}, but {name} is missing")
        return line

    def _part(self, field: Field, later: Tuple[Field, ...]) -> List[str]:
        """Read the lines of a field, and return them, or an empty list if it is not clear which they are. `later` are
        the fields that follow."""
        found: List[str] = []
        while True:
            if len(found) >= field.count:
                line = self.lines.peek(self.until) if later and field.count > 1 else None
                if line is None or not field.fits(line) or any(one.fits(line) for one in (*later[:1], self.action)):
                    break
                self._unexpected(line, later[0].name)
                found.append(self.lines.take())
                continue
            line = self._wait(f"{field.name} {len(found) + 1} of {field.count}" if field.count > 1 else field.name)
            if line is None:
                break
            if field.fits(line):
                found.append(self.lines.take())
                continue
            self._unexpected(line, field.name)
            if any(one.fits(line) for one in (*later, self.action)) or self.each[0].fits(line) and not later:
                break
            self.lines.take()
        return found if len(found) == field.count else []

    def _read_actions(self, count: Optional[int]) -> None:
        """Read the legal actions: `count` ones and those that follow without a pause, or all until a pause."""
        actions = self.turn.actions
        while count is not None and len(actions) < count:
            line = self._wait(f"legal action {len(actions) + 1} of {count}")
            if line is None:
                break
            if not self.action.fits(line):
                self._unexpected(line, f"legal action {len(actions) + 1} of {count}")
                if self.each[0].fits(line):
                    return  # the next turn
                count -= 1
                self.lines.take()
            else:
                actions.append(self.lines.take())
        while True:
            line = self.lines.peek(time.perf_counter() + (QUIET_TIME if count is None else 0))
            if line is None or not self.action.fits(line):
                break
            if count is not None:
                self._report(f"line {line.number}: more legal actions than the {count} announced")
            actions.append(self.lines.take())
        if count is None and line is not None and COUNT_LINE.fits(line):
            actions.clear()  # the lines before the number were not actions
            self._read_actions(int(self.lines.take()))

    def _unexpected(self, line: Line, name: str) -> None:
        self._report(f"line {line.number}: expected {name}, not {clip(line.text)}")

    def _report(self, text: str) -> None:
        self.turn.complete = False
        complain(text)


def clip(text: str) -> str:
    """Return a text as part of a message: in quotes, and cut if it is long."""
    return repr(text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "...")


def complain(text: str) -> None:
    """Report a problem on standard error, in one line."""
    print(f"{GAME or 'bot'}: {text}", file=sys.stderr, flush=True)


class Margin:
    """The time that a turn leaves unused. On a busy computer a search ends late, so the margin grows with the measured
    delays; they count twice, because the input is probably read late too."""

    def __init__(self, least: float) -> None:
        self.least, self.late = least, 0.0

    def of(self, turn_ms: float) -> float:
        """Return the margin in ms for a turn of this length."""
        return max(self.least, min(self.least + 2 * self.late, 0.6 * turn_ms))

    def note(self, late: float) -> None:
        """Remember that a search ended so many ms later than planned."""
        self.late = max(late, 0.9 * self.late, 0.0)


def process_start() -> float:
    """Return the time (time.perf_counter) at which this process was started, or the present time if it is unknown."""
    now = time.perf_counter()
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError, IndexError):
        return now
    return now - age if 0 < age < 1 else now


class Bot:
    """The player of one arena's games. If the referee's list of legal actions and the rules here differ, it follows the
    referee."""

    def __init__(self, game: str, margin: int, hash_mb: int, chat: bool) -> None:
        self.game, self.chat = game, chat
        self.margin = Margin(margin)
        self.rules = None if game == "onitama" else Rules(game)
        self.search: Any = DiceSearch(game, hash_mb) if game == "dice" else Search(game, hash_mb)
        self.player: Optional[int] = None
        self._new_game()

    def _new_game(self) -> None:
        words = BOOK.split() if self.game == "minishogi" else []
        self.book = dict(zip(words[::2], words[1::2]))
        self.seen: Dict[int, int] = {}  # how often each position has occurred, by key
        self.position: Any = None  # after the last answer
        self.ply = 0
        self.search.new_game()

    def answer(self, turn: Turn, since: float) -> Optional[str]:
        """Return the answer to a turn whose clock started at `since`, or None if no legal action is known."""
        position = self._understand(turn)
        self.position = None
        legal = self._allowed(position, turn)
        names = {position.name(move).upper(): move for move in legal}
        if turn.complete and position is not None:
            self._compare(names, turn.actions)
        listed = {action.upper(): action for action in turn.actions}
        both = [names[name] for name in listed if name in names]
        moves = both or ([] if listed else legal)
        if not moves:
            if not listed:
                complain("no legal action is known: no answer")
                return None
            return turn.actions[0]
        move, message = self._choose(position, moves, turn.first, since)
        answer = listed.get(position.name(move).upper()) or position.name(move)
        print(answer + (message if self.chat else ""), flush=True)
        self._remember(position, move)
        return answer

    def _understand(self, turn: Turn) -> Any:
        """Return the position of a turn, or None if it is unknown."""
        if turn.first:
            self._new_game()
            self.player = None
        player = turn.parts.get(PLAYER)
        if player:
            self.player = int(player[0])
        elif self.player is None:
            self.player = self._guess_player(turn)
        self.ply = self.ply + 2 if not turn.first else self.player or 0
        known = self._known(turn)
        shown = None
        try:
            shown = self._shown(turn)
        except ValueError as error:
            complain(f"the board is not a valid position: {error}")
        if known is None or shown is None or shown.key == known.key:
            return shown or known
        complain("the board is not the one expected: continuing from this board")
        return shown

    def _shown(self, turn: Turn) -> Any:
        """Return the position on the board of a turn, or None if a line of it is missing."""
        if self.player is None:
            return None
        if self.rules is None:
            rows, cards = turn.parts[ONITAMA_ROW], turn.parts[CARD]
            return onitama_position(rows, cards, self.player) if rows and cards else None
        rows, hands = turn.parts[ROW], turn.parts[HAND]
        if not rows or not hands:
            return None
        held = (hands[0].upper() + hands[1].lower()).replace("-", "")
        board = "/".join(rows).replace(".", "1")
        return shogi_position(self.rules, f"{board} {'bw'[self.player]} {held or '-'}")

    def _known(self, turn: Turn) -> Any:
        """Return the position that follows from the last one and the opponent's last action, or None."""
        before, last = self.position, turn.parts.get(LAST)
        if turn.first and self.rules is not None:
            before = shogi_position(self.rules, self.rules.start)
            if self.player == 0:
                return before
            self.seen[before.key] = 1
        if before is None or not last:
            return None
        for move in before.legal():
            if before.name(move).upper() == last[0].upper():
                return before.after(move)
        complain(f"the opponent's last action is not legal: {clip(last[0])}")
        return None

    def _guess_player(self, turn: Turn) -> Optional[int]:
        """Return the player whose pieces the listed actions move, or None if no action shows it."""
        last, rows = turn.parts.get(LAST), turn.parts.get(ONITAMA_ROW if self.rules is None else ROW)
        if last and last[0] == "none":
            return 0
        for action in turn.actions:
            if self.rules is None:
                square = action.split()[1]
                if rows and square != "PASS":
                    return int(rows[5 - int(square[1])]["ABCDE".index(square[0])] in "Bb")
            elif action[1] == "*":
                return int(action[0].islower())
            elif rows:
                cells = re.findall(r"\+?[A-Za-z]|\.", rows[int(action[1]) - 1])
                return int(cells[5 - int(action[0])].islower())
        return None

    def _allowed(self, position: Any, turn: Turn) -> List[int]:
        """Return the legal moves, in Dice-Shogi those that the roll allows."""
        if position is None:
            return []
        moves: List[int] = position.legal()
        roll = turn.parts.get(ROLL)
        if roll and roll[0] != "6":
            return [move for move in moves if move % 64 % 5 == 5 - int(roll[0])] or moves
        return moves

    def _compare(self, names: Dict[str, int], actions: List[str]) -> None:
        """Report how the referee's list differs from the legal moves."""
        listed, parts = {action.upper() for action in actions}, []
        for what, differing in (("also lists", listed - names.keys()), ("does not list", names.keys() - listed)):
            if differing:
                parts.append(f"{what} {', '.join(sorted(differing)[:6])}" + " and more" * (len(differing) > 6))
        if parts:
            complain(f"the legal actions differ from those of the rules: the referee {' and '.join(parts)}")

    def _choose(self, position: Any, moves: List[int], first: bool, since: float) -> Tuple[int, str]:
        """Return the move to play, and the message for the chat."""
        move = self._book_move(position, moves)
        if move is not None:
            return move, " book"
        total = FIRST_TURN if first else TURN[self.game]
        planned = since + (total - self.margin.of(total)) / 1000
        planned = max(planned, time.perf_counter() + 0.005)
        self.seen[position.key] = self.seen.get(position.key, 0) + 1
        try:
            found = self.search.think(position, moves, self.seen, self.ply, planned)
        except Exception as failure:  # a turn without an answer would lose the game
            complain(f"internal: {type(failure).__name__}: {failure}: playing any legal action")
            return moves[0], ""
        self.margin.note((time.perf_counter() - planned) * 1000)
        return found.move, f" depth {found.depth}, score {described(found.score)}"

    def _book_move(self, position: Any, moves: List[int]) -> Optional[int]:
        """Return the book's move, at most once in a game for each position, or None."""
        if self.book:
            name = self.book.pop(f"{zlib.crc32(position.text().encode()):x}", None)
            return next((move for move in moves if position.name(move).upper() == (name or "").upper()), None)
        return None

    def _remember(self, position: Any, move: int) -> None:
        """Keep the position after the bot's move, without the memory that the search used."""
        self.position = position.after(move)
        position.children.clear()
        self.position.children.clear()
        self.seen[self.position.key] = self.seen.get(self.position.key, 0) + 1


def described(score: int) -> str:
    """Return a score as the chat shows it."""
    if abs(score) > DECIDED:
        return f"{'win' if score > 0 else 'loss'} in {WON - abs(score)}"
    return f"{score / 100:+.2f}"


def play_arena(game: str, margin: int, hash_mb: int, chat: bool) -> None:
    """Play until the end of the input."""
    began = process_start()
    lines = Lines()
    bot, reader = Bot(game, margin, hash_mb, chat), TurnReader(game, lines)
    loaded = time.perf_counter()
    patience = None if os.isatty(0) else TURN[game] / 2000  # a person who types the lines has no clock
    while True:
        turn = reader.read(patience)
        if turn is None:
            return
        bot.answer(turn, began if turn.at < loaded else turn.at)


# ======== CodeAbbey: the Game of Generals ========

CLOSING = "0 0 0 0"


class InputError(Exception):
    """The input is not valid."""


def read_generals(count: bool) -> Tuple[ShogiPosition, List[int]]:
    """Read a set-up and the moves up to the line 0 0 0 0. Return the position after them and, if `count` is true, how
    many moves there are after each of them. Raises InputError if a line is not valid."""
    rules, position, counts = Rules("generals"), None, []
    for number, data in enumerate(sys.stdin.buffer, 1):
        words = " ".join(data.decode(errors="replace").split())
        if not words:
            continue
        if words == CLOSING and position is not None:
            return position, counts
        try:
            if position is None:
                position = shogi_position(rules, words)
                continue
            moves = {position.name(move): move for move in position.pseudo_legal()}
            if is_over(position) and not count:
                raise ValueError("the game is over")
            if words[0] == "!":
                words = words.upper()
            if words not in moves:
                raise ValueError("the move is not legal here")
        except (ValueError, IndexError) as error:
            raise InputError(f"line {number}: {clip(words)}: {error}") from None
        position = position.after(moves[words])
        if count:
            counts.append(len(position.pseudo_legal()))
    if position is None:
        raise InputError("the set-up is missing")
    if count:
        raise InputError(f"the input ends without the line {CLOSING}")
    return position, counts


def is_over(position: ShogiPosition) -> bool:
    """Return whether a king has been captured."""
    return any(position.board.count(king) == 0 for king in (position.rules.king, position.rules.king + WHITE))


def play_generals(movetime: int, hash_mb: int) -> None:
    """Read a game, and print the best move."""
    began = process_start()
    position, _ = read_generals(False)
    moves = position.pseudo_legal()
    if is_over(position) or not moves:
        raise InputError("the game is over: there is no move to find")
    winning = [move for move in moves if move & 63 == position.their_king]
    if winning:
        print(position.name(winning[0]))
        return
    search = Search("generals", hash_mb)
    found = search.think(position, position.legal() or moves, {}, 0, began + (movetime - 20) / 1000)
    print(position.name(found.move))


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """Return a function that reads a whole number within limits."""

    def read(text: str) -> int:
        if not re.fullmatch("[0-9]{1,8}", text) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"expected a whole number from {low} to {high}, not {text!r}")
        return int(text)

    return read


def main() -> None:
    """Read the options, and play or count."""
    parser = argparse.ArgumentParser(description="A bot for arenas that accept one file.", allow_abbrev=False)
    if not GAME:
        parser.add_argument("game", choices=GAMES)
    parser.add_argument("--margin", type=whole_number(0, 1000), default=MARGIN, help="ms of each turn to leave unused")
    parser.add_argument("--hash", type=whole_number(1, 65536), default=HASH_MB, help="MB for searched positions")
    parser.add_argument("--chat", action="store_true", default=CHAT, help="answer with depth and score")
    parser.add_argument("--movetime", type=whole_number(1, 3_600_000), default=1000, help="ms per move of Generals")
    given = parser.parse_args()
    game = GAME or given.game
    # The garbage collector could delay a turn, and there are no reference cycles.
    gc.disable()
    try:
        if game in TURN:
            play_arena(game, given.margin, given.hash, given.chat)
        elif game == "generals":
            play_generals(given.movetime, given.hash)
        else:
            print(*read_generals(True)[1])
    except InputError as error:
        complain(str(error))
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
