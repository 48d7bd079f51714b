"""A bot in plain Python for four games: Minishogi, Dice-Shogi and Onitama on CodinGame, Generals on CodeAbbey.

Read it from top to bottom: the settings, the games with shogi pieces, Onitama, the search, the search with a die, and
the code that reads an arena's lines and answers them. It needs only the standard library of Python 3.9 or newer.

Squares are numbered from 0, row by row from the top left. A set of squares is an integer: the bit 1 << square stands
for a square. A move is an integer too: the target + 64 * the origin + 4096 * what else the game needs. A drop has the
origin DROP + the kind of the piece. Scores are in centipawns (1/100 of a pawn) for the side to move.
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import queue
import random
import re
import select
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

if sys.version_info < (3, 9):  # noqa: UP036 (an exported file does not choose its Python)
    sys.exit(f"this file needs Python 3.9 or newer, not {sys.version_info[0]}.{sys.version_info[1]}")

# ---- Settings: the export replaces the values of these lines.
GAME = ""  # minishogi, dice, onitama or generals; if it is empty, the command line names the game
MARGIN = 20  # ms of every turn that stay unused, for the way to the referee
HASH_MB = 16  # memory for the table of searched positions, roughly
CHAT = False  # whether each answer ends with the depth and the score of the search
BOOK = ""  # the opening book: pairs of a position's checksum (book_key) and a move
# ---- End of the settings.

GAMES = ("minishogi", "dice", "onitama", "generals")
FIRST_TURN = 420  # ms from the start of the process to the first answer; arenas allow 1000
TURN = {"minishogi": 100, "dice": 100, "onitama": 50}  # ms for any other answer
LAST_PLY = {"minishogi": 300, "dice": 300, "onitama": 200}  # after this ply, the game is a draw

# ======== Sets of squares ========


class Memo(dict[Any, Any]):
    """A dict that computes missing values with a function, and keeps them as long as they are not too many."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        """The function is called with `arguments` and the missing key."""
        super().__init__()
        self.function, self.arguments = function, arguments

    def __missing__(self, key: Any) -> Any:
        if len(self) > 100_000:
            self.clear()
        value = self[key] = self.function(*self.arguments, key)
        return value


def squares_of(bits: int) -> tuple[int, ...]:
    """Return the squares of a set in ascending order."""
    return tuple([square for square in range(bits.bit_length()) if bits >> square & 1])


def moves_to(start: int, bits: int) -> tuple[int, ...]:
    """Return the moves to the squares of a set; `start` is the part of the moves that is not their target."""
    return tuple([start + to for to in squares_of(bits)])


def slide(steps: int, ways: list[list[int]], occupied: int) -> int:
    """Return `steps` and the squares that a piece attacks along its `ways`, up to the first occupied one of each."""
    for way in ways:
        for to in way:
            steps |= 1 << to
            if occupied >> to & 1:
                break
    return steps


SQUARES = Memo(squares_of)
COUNT = Memo(lambda bits: bin(bits).count("1"))  # the number of squares of a set

# ======== The games with shogi pieces ========

# Directions as the owner of a piece sees the board: columns to the right, rows forward.
DIRECTIONS = {"N": (0, 1), "S": (0, -1), "E": (1, 0), "W": (-1, 0)}
DIRECTIONS.update({"NE": (1, 1), "NW": (-1, 1), "SE": (1, -1), "SW": (-1, -1)})
STRAIGHT, DIAGONAL, GOLDEN = "N S E W", "NE NW SE SW", "N S E W NE NW"
ALL_AROUND = "N S E W NE NW SE SW"


class Piece(NamedTuple):
    """How a piece moves, and what it is worth. The values were fitted to the results of games: they are the engine's
    (kogoma/eval/weights). Those of Generals are derived from the numbers of squares that the pieces reach."""

    steps: str = ""  # directions in which it moves one square
    slides: str = ""  # directions in which it moves over any number of empty squares
    promotes_to: str = ""
    value: int = 0  # on the board
    in_hand: tuple[int, ...] = ()  # value of the first such piece in hand, and of the next ones
    mobility: int = 0  # for each square that it can move to
    near_king: int = 0  # danger for the enemy king, for each square beside the king that it attacks
    held: int = 0  # danger for the enemy king, for each such piece in hand
    hanging: int = 0  # loss if it is attacked and not defended, and the opponent is to move
    loose: int = 0  # the same if its owner is to move
    squares: str = ""  # added to its value on each square of the board, as its owner sees it


MINISHOGI_PIECES = {
    "P": Piece("N", "", "+P", 131, (241, 168), 37, 57, 12, 164, 56,
         "0 0 0 0 0 -75 18 79 6 -52 2 40 26 -60 -36 67 -114 -33 -22 -70 264 -12 40 48 -76"),
    "S": Piece("N NE NW SE SW", "", "+S", 666, (678, 408), 17, 19, 12, 95, 45,
         "-176 2 -32 -76 48 -122 -68 176 176 20 -33 32 244 208 144 -71 63 98 62 -104 -144 8 -12 -121 -170"),
    "G": Piece(GOLDEN, "", "", 613, (685, 506), 26, 28, 48, 64, 46,
         "-276 -288 31 176 -224 -220 94 280 -176 -56 10 103 224 110 138 -36 103 167 84 -114 -112 91 109 -23 -104"),
    "B": Piece("", DIAGONAL, "+B", 734, (813, 661), 26, 12, 18, 328, 102,
         "178 156 160 -60 16 -7 187 124 -4 -20 -53 29 207 -34 33 53 211 -58 44 24 147 6 -82 -112 36"),
    "R": Piece("", STRAIGHT, "+R", 996, (952, 922), 0, 9, 18, 512, 212,
         "204 248 150 192 24 32 -24 28 32 -36 -68 -53 -180 52 -24 -76 -129 -82 -9 -84 -172 -17 53 59 -49"),
    "+P": Piece(GOLDEN, "", "", 358, (), 57, 25, 0, 152, -28,
         "-86 -168 74 -64 -41 82 66 8 -64 -24 88 16 176 0 0 -176 -176 0 0 0 0 0 0 0 0"),
    "+S": Piece(GOLDEN, "", "", 466, (), 13, 47, 0, 452, -6,
         "-140 -47 31 -64 -176 -4 192 192 80 192 -176 176 176 0 0 0 112 -176 0 0 0 0 0 0 0"),
    "+B": Piece(STRAIGHT, DIAGONAL, "", 967, (), 22, 18, 0, 98, -4,
         "82 -10 -40 2 -16 48 112 128 24 -176 -160 8 56 20 176 -176 64 -66 54 120 -64 -176 -176 152 64"),
    "+R": Piece(DIAGONAL, STRAIGHT, "", 1342, (), -6, 10, 0, 452, 111,
         "-25 12 -3 96 48 -47 28 176 -8 -12 72 15 -16 176 176 -48 -20 36 8 128 -112 -48 132 -176 -32"),
    "K": Piece(ALL_AROUND,
         squares="124 48 192 64 160 20 128 -144 -160 96 23 4 -180 -192 -112 84 -12 -68 29 -8 35 -20 -111 -95 -120"),
}  # fmt: skip
GENERALS_PIECES = {
    "P": Piece("N", "", "T", 212, (258, 232, 206, 181), 20, 25, 8, 64, 25),
    "Y": Piece("NE NW S", "", "", 333, (385, 346), 20, 25, 12, 100, 40),
    "R": Piece("N SE SW", "", "", 333, (385, 346), 20, 25, 12, 100, 40),
    "C": Piece("N NE NW S", "", "", 458, (516, 464), 20, 25, 15, 137, 55),
    "X": Piece(DIAGONAL, "", "", 417, (473, 426), 20, 25, 14, 125, 50),
    "S": Piece("N NE NW SE SW", "", "", 542, (604, 544), 20, 25, 18, 163, 65),
    "G": Piece(GOLDEN, "", "", 708, (778, 700), 20, 25, 23, 212, 85),
    "V": Piece("E W", "N S", "", 730, (802, 722), 12, 12, 24, 219, 88),
    "H": Piece("N S", "E W", "", 730, (802, 722), 12, 12, 24, 219, 88),
    "T": Piece(GOLDEN, "", "", 708, (), 20, 25, 0, 212, 85),
    "K": Piece(ALL_AROUND),
}
# Danger by the number of squares to which the king can flee, the value of the right to move, and the danger of an
# undefended square beside the king. The penalty for a danger is its square divided by 75, up to a limit.
MINISHOGI_KING = ((37, 54, 61, 71, 94, 117, 115, 111, 145), 79, 19, 591)
GENERALS_KING = ((120, 100, 85, 70, 60, 50, 45, 40, 40), 40, 20, 600)
DEFENDER = 6  # by which each defended square beside the king reduces the danger
WHITE = 16  # added to the number of a piece that belongs to White
DROP = 48  # added to the kind of a piece that is dropped, as the origin of the move
HAND = 40  # added to the number of a piece among those of its kind in hand, as its square
PROMOTES = 4096  # added to a move that promotes the piece


class Tables:
    """The tables of a game with shogi pieces, indexed by the number of a piece: 1, 2, ... for Black's pieces in the
    order of the table, WHITE more for White's. A piece in hand is on square HAND + 1, the next one of its kind on
    HAND + 2, ..., so that its value and its part of the key are found like those of a piece on the board."""

    def __init__(self, game: str) -> None:
        """Compute the tables of the game."""
        self.generals = game == "generals"
        self.size = 6 if self.generals else 5
        self.pieces = GENERALS_PIECES if self.generals else MINISHOGI_PIECES
        self.escape, self.tempo, self.weak, self.most_danger = GENERALS_KING if self.generals else MINISHOGI_KING
        self.start = "rbsgk/4p/5/P4/KGSBR b -"
        self.squares = range(self.size * self.size)
        self.all = (1 << self.size * self.size) - 1
        self.letters = list(self.pieces)
        self.kinds = sum(1 for piece in self.pieces.values() if piece.in_hand)  # that can be in hand
        self.king = self.letters.index("K") + 1
        self.files = [sum(1 << row * self.size + file for row in range(self.size)) for file in range(self.size)]
        chance = random.Random(469)
        self.keys = [[chance.getrandbits(64) for _ in range(HAND + 40)] for _ in range(32)]
        self.side_key = chance.getrandbits(64)
        self.at: list[list[int]] = [[]] * 32  # value of the piece on each square
        # By square: the squares on which other pieces block it, and the attacked squares by the occupied ones of these;
        # by target, the squares that it slides over; the targets at which it may promote; its moves to a set of
        # squares, without and with promotion. Then the drops on a set of squares.
        self.reach: list[list[tuple[int, Memo]]] = [[]] * 32
        self.between: list[list[dict[int, int]]] = [[]] * 32
        self.promotion: list[list[int]] = [[]] * 32
        self.plain: list[list[Memo]] = [[]] * 32
        self.promoting: list[list[Memo]] = [[]] * 32
        self.drops: list[Memo] = [SQUARES] * 32
        self.stuck = [0] * 32  # the squares from which the piece could never move
        self.promoted, self.captured = [0] * 32, [0] * 32  # the promoted piece; the one that the captor gets
        self.exchange, self.gain = [0] * 32, [0] * 32  # what a capture, a promotion of the piece wins
        self.mobility, self.near_king, self.held, self.hanging, self.loose = ([0] * 32 for _ in range(5))
        for number, letter in enumerate(self.letters, 1):
            self._add(number, letter, 0)
            self._add(number, letter, WHITE)
        self.zone = [self.reach[self.king][square][1][0] | 1 << square for square in self.squares]

    def _add(self, kind: int, letter: str, side: int) -> None:
        """Fill in the tables of one piece of one side."""
        number, piece, squares = kind + side, self.pieces[letter], self.squares
        base = (
            letter if piece.in_hand else next((p for p in self.pieces if self.pieces[p].promotes_to == letter), letter)
        )
        hand, better = self.pieces[base].in_hand or (0,), self.pieces.get(piece.promotes_to)
        self.captured[number] = self.letters.index(base) + 1 + WHITE - side
        self.exchange[number] = piece.value + hand[0]
        if better:
            self.promoted[number] = self.letters.index(piece.promotes_to) + 1 + side
            self.gain[number] = better.value - piece.value
        self.mobility[number], self.near_king[number], self.held[number] = piece.mobility, piece.near_king, piece.held
        self.hanging[number], self.loose[number] = piece.hanging, piece.loose
        self.reach[number], self.between[number] = [], []
        for square in squares:
            steps = sum(1 << to for word in piece.steps.split() for to in self._walk(side, square, word)[:1])
            ways = [self._walk(side, square, word) for word in piece.slides.split()]
            self.reach[number].append((sum(1 << to for way in ways for to in way[:-1]), Memo(slide, steps, ways)))
            self.between[number].append(
                {way[i]: sum(1 << to for to in way[:i]) for way in ways for i in range(len(way))}
            )
        attacked = [self.reach[number][square][1][0] for square in squares]
        self.stuck[number] = sum(1 << square for square in squares if not attacked[square])
        last_row = sum(1 << square for square in (squares[-self.size :] if side else squares[: self.size]))
        self.promotion[number] = [
            (self.all if last_row >> square & 1 else last_row) if better else 0 for square in squares
        ]
        self.plain[number] = [Memo(moves_to, square * 64) for square in squares]
        self.promoting[number] = [Memo(moves_to, PROMOTES + square * 64) for square in squares]
        self.drops[number] = Memo(moves_to, (DROP + kind) * 64)
        values = [int(value) for value in piece.squares.split()]
        if not values:  # Generals: squares from which the piece reaches more squares are better
            mean = sum(COUNT[bits] for bits in attacked) / len(squares)
            values = [round(30 * (COUNT[bits] - mean)) if piece.value else 0 for bits in attacked]
        elif side:
            values.reverse()
        self.at[number] = [piece.value + value for value in values] + [0] * (HAND + 1 - len(values))
        self.at[number] += [*hand, *[hand[-1]] * 40]

    def _walk(self, side: int, square: int, direction: str) -> list[int]:
        """Return the squares from `square` to the edge of the board in a direction, nearest first."""
        (right, forward), sign = DIRECTIONS[direction], -1 if side else 1
        row, column = divmod(square, self.size)
        found: list[int] = []
        while True:
            row, column = row - sign * forward, column + sign * right
            if not (0 <= row < self.size and 0 <= column < self.size):
                return found
            found.append(row * self.size + column)


class ShogiPosition:
    """A position of Minishogi, Dice-Shogi or Generals. `my_...` belongs to the side to move, `their_...` to the other.
    `after` makes a new position for a move, and keeps it, because the search returns to most positions."""

    def __init__(
        self, tables: Tables, side: int, board: list[int], hands: list[int], pieces: tuple[int, int],
        kings: tuple[int, int], key: int, score: int,
    ) -> None:  # fmt: skip
        """`board` has the number of the piece on each square, or 0; `hands` counts the pieces in hand by their number.
        The `pieces` (sets) and the squares of the `kings` are first those of the side to move, 0 (Black) or 1 (White),
        then the opponent's. `key` is a random number for the position, `score` the value of my pieces minus theirs."""
        self.tables, self.side, self.board, self.hands, self.key, self.score = tables, side, board, hands, key, score
        self.my_pieces, self.their_pieces = pieces
        self.my_king, self.their_king = kings
        self.children: dict[int, ShogiPosition] = {}
        self.value: int | None = None
        self.mate: int | None = None
        self.targets: list[tuple[int, int, int]] = []
        self._look()

    def _look(self) -> None:
        """Find the squares that both sides attack, the checks, and the value of mobility and of attacks on kings."""
        tables, board, reaches = self.tables, self.board, self.tables.reach
        mobility, near_king = tables.mobility, tables.near_king
        my_pieces, their_pieces, my_king, their_king = self.my_pieces, self.their_pieces, self.my_king, self.their_king
        my_zone, their_zone = tables.zone[my_king], tables.zone[their_king]
        occupied = my_pieces | their_pieces
        mine, theirs, double, terms, my_danger, their_danger = 0, 0, 0, 0, 0, 0
        found: list[tuple[int, int, int]] = []  # square, piece and attacked squares of each of my pieces
        self.found = found
        self.checkers: list[tuple[int, int]] = []
        self.sliders: list[tuple[int, int]] = []
        for square in SQUARES[my_pieces]:
            piece = board[square]
            mask, table = reaches[piece][square]
            reach = table[occupied & mask]
            found.append((square, piece, reach))
            if square != my_king:
                double |= mine & reach
                mine |= reach
                terms += COUNT[reach & ~my_pieces] * mobility[piece]
                if reach & their_zone:
                    their_danger += COUNT[reach & their_zone] * near_king[piece]
        for square in SQUARES[their_pieces]:
            if square != their_king:
                piece = board[square]
                mask, table = reaches[piece][square]
                reach = table[occupied & mask]
                theirs |= reach
                terms -= COUNT[reach & ~their_pieces] * mobility[piece]
                if reach & my_zone:
                    my_danger += COUNT[reach & my_zone] * near_king[piece]
                    if reach >> my_king & 1:
                        self.checkers.append((square, piece))
                if mask:
                    self.sliders.append((square, piece))
        self.in_check = bool(self.checkers)
        self.my_guards, self.their_guards = mine, theirs  # squares attacked by other pieces than the king
        self.my_double = double | mine & my_zone  # squares attacked twice
        self.my_attacks, self.their_attacks = mine | my_zone, theirs | their_zone
        self.terms, self.my_danger, self.their_danger = terms, my_danger, their_danger

    def after(self, move: int) -> ShogiPosition:
        """Return the position after a move."""
        new = self.children.get(move)
        if new is not None:
            return new
        tables, board, hands = self.tables, self.board.copy(), self.hands
        keys, at, key, score = tables.keys, tables.at, self.key ^ tables.side_key, self.score
        mine, theirs, king = self.my_pieces, self.their_pieces, self.my_king
        to, origin = move & 63, move >> 6 & 63
        if origin >= DROP:
            piece = origin - DROP + WHITE * self.side
            held = HAND + hands[piece]
            hands = hands.copy()
            hands[piece] -= 1
            key ^= keys[piece][held]
            score -= at[piece][held]
            mine |= 1 << to
        else:
            piece, taken = board[origin], board[to]
            board[origin] = 0
            key ^= keys[piece][origin]
            score -= at[piece][origin]
            mine ^= 1 << to | 1 << origin
            if taken:
                theirs ^= 1 << to
                gained = tables.captured[taken]
                hands = hands.copy()
                hands[gained] += 1
                held = HAND + hands[gained]
                key ^= keys[taken][to] ^ keys[gained][held]
                score += at[taken][to] + at[gained][held]
            if move & PROMOTES:
                piece = tables.promoted[piece]
            if origin == king:
                king = to
        board[to] = piece
        key, score = key ^ keys[piece][to], score + at[piece][to]
        new = ShogiPosition(tables, 1 - self.side, board, hands, (theirs, mine), (self.their_king, king), key, -score)
        self.children[move] = new
        return new

    def passed(self) -> ShogiPosition:
        """Return the same position with the opponent to move."""
        pieces, kings = (self.their_pieces, self.my_pieces), (self.their_king, self.my_king)
        key = self.key ^ self.tables.side_key
        return ShogiPosition(self.tables, 1 - self.side, self.board, self.hands, pieces, kings, key, -self.score)

    def evaluate(self) -> int:
        """Return the static evaluation."""
        if self.value is None:
            tables, board, side = self.tables, self.board, self.side
            value = self.score + self.terms + tables.tempo
            value -= self._danger(
                self.my_danger, self.my_king, self.my_pieces, self.my_guards, self.their_attacks, 1 - side
            )
            value += self._danger(
                self.their_danger, self.their_king, self.their_pieces, self.their_guards, self.my_attacks, side
            )
            for square in SQUARES[self.my_pieces & self.their_attacks & ~self.my_attacks]:
                value -= tables.loose[board[square]]
            for square in SQUARES[self.their_pieces & self.my_attacks & ~self.their_attacks]:
                value += tables.hanging[board[square]]
            self.value = value
        return self.value

    def _danger(self, danger: int, king: int, own: int, guards: int, attacks: int, enemy: int) -> int:
        """Return the penalty for the danger of a king. `danger` is the part of the pieces that attack squares beside
        it. `own` are the pieces of its side and `guards` the squares that they attack, `attacks` those that the side
        `enemy` attacks. The penalty is quadratic, because several threats together are worse than their sum."""
        tables = self.tables
        zone = tables.zone[king]
        danger += tables.escape[COUNT[zone & ~own & ~attacks]]
        danger += tables.weak * COUNT[zone & attacks & ~guards] - DEFENDER * COUNT[zone & guards]
        first = enemy * WHITE + 1
        danger += sum(map(int.__mul__, self.hands[first : first + tables.kinds], tables.held[1:]))
        return min(danger * danger // 75, tables.most_danger) if danger > 0 else 0

    def legal_targets(self) -> list[tuple[int, int, int]]:
        """Return square, piece and possible targets of each piece of the side to move. The king may not move to an
        attacked square; the other pieces must end a check, and pinned ones must stay between king and attacker."""
        if self.targets:
            return self.targets
        tables, king, occupied = self.tables, self.my_king, self.my_pieces | self.their_pieces
        self.allowed, pinned = tables.all, {}
        danger = self.their_attacks
        for square, piece in self.checkers:
            self.allowed &= tables.between[piece][square].get(king, 0) | 1 << square
            mask, table = tables.reach[piece][square]
            danger |= table[(occupied ^ 1 << king) & mask]  # the king cannot flee along the line of a check
        for square, piece in self.sliders:
            between = tables.between[piece][square].get(king, 0)
            blockers = between & occupied
            if blockers & self.my_pieces and not blockers & (blockers - 1):
                pinned[blockers.bit_length() - 1] = between | 1 << square
        for square, piece, reach in self.found:
            reach &= ~self.my_pieces & (~danger if square == king else self.allowed)
            if square in pinned:
                reach &= pinned[square]
            self.targets.append((square, piece, reach))
        return self.targets

    def tactical(self) -> list[int]:
        """Return captures and promotions, best first, as move + 65536 * (32768 + gain). The gain is what the move wins,
        minus an estimate of what a recapture wins."""
        tables, board, theirs, attacks, double = (
            self.tables, self.board, self.their_pieces, self.their_attacks, self.my_double
        )  # fmt: skip
        exchange, found = tables.exchange, []
        for square, piece, targets in self.targets or self.legal_targets():
            promotions = targets & tables.promotion[piece][square]
            if targets & theirs or promotions:
                moves = tables.plain[piece][square][targets & theirs & ~tables.stuck[piece]]
                if promotions:
                    moves += tables.promoting[piece][square][promotions]
                for move in moves:
                    to = move & 63
                    gain = exchange[board[to]] + (tables.gain[piece] if move & PROMOTES else 0)
                    if attacks >> to & 1:
                        gain -= exchange[piece] // 2 if double >> to & 1 else exchange[piece]
                    found.append((gain + 32768 << 16) + move)
        found.sort(reverse=True)
        return found

    def quiets(self) -> list[int]:
        """Return the moves that neither capture nor promote, and the drops."""
        tables, board = self.tables, self.board
        empty = tables.all & ~(self.my_pieces | self.their_pieces)
        found: list[int] = []
        for square, piece, targets in self.targets or self.legal_targets():
            if targets & empty:
                found += tables.plain[piece][square][targets & empty & ~tables.stuck[piece]]
        empty &= self.allowed
        first = WHITE * self.side + 1
        for piece in range(first, first + tables.kinds) if empty else ():
            if self.hands[piece]:
                if tables.generals:
                    found += tables.drops[piece][empty]
                elif piece > first:
                    found += tables.drops[piece][empty & ~tables.stuck[piece]]
                else:  # a pawn: not where it could never move, not on a file with a pawn, and it may not mate
                    spots = empty & ~tables.stuck[piece]
                    for square in SQUARES[self.my_pieces]:
                        if board[square] == piece:
                            spots &= ~tables.files[square % tables.size]
                    check = tables.reach[WHITE + 2 - piece][self.their_king][1][0] & spots
                    if check and self.after((DROP + 1) * 64 + check.bit_length() - 1).is_stuck():
                        spots ^= check
                    found += tables.drops[piece][spots]
        return found

    def legal(self) -> list[int]:
        """Return all legal moves; in Generals, those after which the king cannot be captured."""
        return [encoded & 65535 for encoded in self.tactical()] + self.quiets()

    def is_stuck(self) -> bool:
        """Return whether the side to move has no legal move."""
        return not (self.tactical() or self.quiets())

    def pseudo_legal(self) -> list[int]:
        """Return all moves of Generals, which has no check: its games end with the capture of a king."""
        self.allowed = self.tables.all
        self.targets = [(square, piece, reach & ~self.my_pieces) for square, piece, reach in self.found]
        found, self.targets = self.legal(), []
        return found

    def checks(self, quiets: list[int]) -> list[int]:
        """Return those of the quiet moves that attack the enemy king without losing the piece at once."""
        tables, king, occupied = self.tables, self.their_king, self.my_pieces | self.their_pieces
        other, spots = WHITE * (1 - self.side), [0] * 64
        for square, piece, _ in self.found:
            # A piece attacks the king from the squares that the same piece of the enemy would attack from there.
            mask, table = tables.reach[piece & 15 | other][king]
            spots[square] = table[occupied & mask] & (~self.their_attacks | self.my_double)
        for kind in range(1, tables.kinds + 1):
            mask, table = tables.reach[kind | other][king]
            spots[DROP + kind] = table[occupied & mask] & (~self.their_attacks | self.my_attacks)
        return [move for move in quiets if spots[move >> 6] >> (move & 63) & 1]

    def mates(self) -> list[int]:
        """Return moves that mate from a square beside the enemy king, which the enemy cannot capture there."""
        tables, king = self.tables, self.their_king
        spots = tables.zone[king] & self.my_attacks & ~self.their_guards & ~self.my_pieces
        if not spots or self.in_check:
            return []
        flights = tables.zone[king] & ~self.their_pieces & ~self.my_attacks & ~(1 << king)
        occupied, candidates, found = self.my_pieces | self.their_pieces, [], []
        for square, piece, targets in self.legal_targets():
            for to in SQUARES[targets & spots & self.my_double] if square != self.my_king else ():
                promotes = tables.promotion[piece][square] >> to & 1
                if promotes:
                    candidates.append((tables.promoted[piece], square * 64 + to + PROMOTES))
                if not promotes or piece & 15 > 1:
                    candidates.append((piece, square * 64 + to))
        first = WHITE * self.side + 1
        for piece in range(first if tables.generals else first + 1, first + tables.kinds):
            if self.hands[piece]:
                candidates += [(piece, move) for move in tables.drops[piece][spots & ~occupied]]
        for piece, move in candidates:
            to = move & 63
            mask, table = tables.reach[piece][to]
            reach = table[(occupied | 1 << to) & mask]
            if reach >> king & 1 and not flights & ~reach & ~(1 << to) and self.after(move).is_stuck():
                found.append(move)
        return found

    def win_in_one(self) -> int:
        """Return a move that mates, or 0 if `mates` finds none."""
        if self.mate is None:
            self.mate = next(iter(self.mates()), 0)
        return self.mate

    def risk(self, move: int) -> int:
        """Return an estimate of how much material a quiet move or a drop loses."""
        to, origin = move & 63, move >> 6 & 63
        if not self.their_attacks >> to & 1:
            return 0
        drop = origin >= DROP
        worth = self.tables.exchange[origin - DROP if drop else self.board[origin]]
        return worth // 2 if (self.my_attacks if drop else self.my_double) >> to & 1 else worth

    def name(self, move: int) -> str:
        """Return a move as the arena writes it."""
        size, to, origin = self.tables.size, move & 63, move >> 6 & 63
        letter = self.tables.letters[origin - DROP - 1] if origin >= DROP else ""
        if self.tables.generals:
            start = f"! {letter}" if letter else f"{size - origin // size} {origin % size + 1}"
            return f"{start} {size - to // size} {to % size + 1}"
        start = letter + "*" if letter else f"{size - origin % size}{origin // size + 1}"
        start = start.lower() if self.side else start
        return f"{start}{size - to % size}{to // size + 1}" + ("+" if move & PROMOTES else "")


def shogi_position(tables: Tables, sfen: str) -> ShogiPosition:
    """Return the position of an SFEN (board, side to move, pieces in hand). Raises ValueError if it is not valid."""
    words = sfen.split()
    board, turn, held = (*words, "-")[:3]
    numbers = {letter: number for number, letter in enumerate(tables.letters, 1)}
    numbers.update({letter.lower(): number + WHITE for letter, number in numbers.items()})
    cells: list[int] = []
    for cell in re.findall(r"[0-9]|\+?[A-Za-z]|[^/]", board):
        if cell not in numbers and not cell.isdigit():
            raise ValueError(f"there is no piece {cell}")
        cells += [0] * int(cell) if cell.isdigit() else [numbers[cell]]
    hands = [0] * 32
    for count, letter in re.findall("([0-9]*)([A-Za-z])", held):
        if numbers.get(letter, 0) & 15 not in range(1, tables.kinds + 1):
            raise ValueError(f"{letter} cannot be in hand")
        hands[numbers[letter]] += min(int(count or 1), 18)
    if len(cells) != len(tables.squares) or turn not in ("b", "w"):
        raise ValueError("the board has a wrong size, or the side to move is missing")
    kings = [tables.king, tables.king + WHITE]
    if any(cells.count(king) != 1 for king in kings) or max(hands) > 18:
        raise ValueError("each side must have one king, and at most 18 pieces of a kind in hand")
    pieces, side = [0, 0], "bw".index(turn)
    key, score = tables.side_key * side, 0
    everything = [(piece, square) for square, piece in enumerate(cells) if piece]
    everything += [(piece, HAND + number) for piece in range(32) for number in range(1, hands[piece] + 1)]
    for piece, square in everything:
        key ^= tables.keys[piece][square]
        score += tables.at[piece][square] * (1 if piece >> 4 == side else -1)
        pieces[piece >> 4] |= 1 << square if square < HAND else 0
    places = [cells.index(king) for king in kings]
    position = ShogiPosition(
        tables, side, cells, hands, (pieces[side], pieces[1 - side]), (places[side], places[1 - side]), key, score
    )
    if not tables.generals and position.my_attacks >> position.their_king & 1:
        raise ValueError("the king of the side that is not to move is in check")
    return position


# ======== Onitama ========

# The steps of each card, as its player sees the board: columns to the right, rows forward.
CARDS = (
    ((-1, 1), (-1, -1), (1, 0)),  # eel
    ((0, 1), (-1, -1), (1, -1)),  # crane
    ((-2, 0), (-1, 1), (1, -1)),  # frog
    ((0, 1), (0, -1), (-1, 0)),  # horse
    ((0, 1), (-1, 0), (1, 0)),  # boar
    ((1, 1), (1, 0), (-1, 0), (-1, -1)),  # rooster
    ((0, 1), (-2, 0), (2, 0)),  # crab
    ((0, 1), (0, -1), (1, 0)),  # ox
    ((1, 1), (1, -1), (-1, 0)),  # cobra
    ((2, 0), (1, 1), (-1, -1)),  # rabbit
    ((-2, 1), (2, 1), (-1, -1), (1, -1)),  # dragon
    ((-1, 1), (1, 1), (-1, -1), (1, -1)),  # monkey
    ((-1, 1), (-1, 0), (1, 0), (1, -1)),  # goose
    ((-1, 1), (1, 1), (-1, 0), (1, 0)),  # elephant
    ((-1, 1), (1, 1), (0, -1)),  # mantis
    ((0, 2), (0, -1)),  # tiger
)
# The engine's values, as those of the shogi pieces. Squares are as the owner of the piece sees them.
STUDENT = 234
STUDENT_SQUARES = [-14, -24, -24, -24, -14, -2, 2, -33, 2, -2, 7, 27, 42, 27, 7, 7, 30, 45, 30, 7]
STUDENT_SQUARES += [-28, -12, -19, -12, -28]
MASTER_SQUARES = [43, -17, 1, -17, 43, 78, 47, 29, 47, 78, 24, 67, 74, 67, 24, -67, -8, -5, -8, -67]
MASTER_SQUARES += [-114, -79, -58, -79, -114]
CENTRE_CARD = (-9, -12, -8, -8, -2, -3, -2, -8, -9, -8, 11, 4, -3, 13, 7, 13)  # for the side that takes the card next
ATTACK, ATTACK_LATER = 13, 7  # for each square beside the enemy master: attacked now, with the card in the centre
THREAT, TEMPO = 42, 24  # a threat to win with the next move, and the right to move
HANGING, LOOSE = 208, 11  # for each student that can be captured for nothing: by the side to move, by the other
FLIGHT = (1, -17, -17, -13, -3, 18, 32, 32, 32)  # by the number of safe squares to which the master can move
PASS = 63  # the origin of a move that only exchanges cards
TEMPLE = (1 << 2, 1 << 22)  # where the master of player 0, of player 1 wins


def card_steps(side: int, card: int, square: int) -> int:
    """Return the squares to which a piece on `square` moves with a card."""
    found, sign = 0, -1 if side else 1
    for right, forward in CARDS[card]:
        row, column = square // 5 - sign * forward, square % 5 + sign * right
        if 0 <= row < 5 and 0 <= column < 5:
            found |= 1 << row * 5 + column
    return found


STEPS = [[[card_steps(side, card, square) for square in range(25)] for card in range(16)] for side in (0, 1)]
AROUND = [
    sum(1 << to for to in range(25) if to != square and abs(to // 5 - square // 5) < 2 and abs(to % 5 - square % 5) < 2)
    for square in range(25)
]


def attacked_with(steps: list[int], pieces: int) -> int:
    """Return the squares that a set of pieces attacks with the card of which `steps` are the steps by square."""
    found = 0
    for square in squares_of(pieces):
        found |= steps[square]
    return found


def card_moves(steps: list[int], card: int, pieces: int) -> list[int]:
    """Return the moves that a set of pieces has with a card."""
    return [
        card * 4096 + square * 64 + to for square in squares_of(pieces) for to in squares_of(steps[square] & ~pieces)
    ]


def student_value(side: int, students: int) -> int:
    """Return the value of a set of students."""
    return sum(STUDENT + STUDENT_SQUARES[24 - square if side else square] for square in squares_of(students))


# By side and card, for sets of pieces.
ATTACKED = [[Memo(attacked_with, steps) for steps in cards] for cards in STEPS]
CARD_MOVES = [[Memo(card_moves, steps, card) for card, steps in enumerate(cards)] for cards in STEPS]
STUDENTS = [Memo(student_value, side) for side in (0, 1)]


class OnitamaPosition:
    """A position of Onitama, with those methods of ShogiPosition that the search uses. `in_check` means that the
    opponent threatens to win with its next move."""

    def __init__(
        self, side: int, pieces: tuple[int, int], masters: tuple[int, int], cards: tuple[Any, Any], centre: int
    ) -> None:
        """The `pieces` (sets), the squares of the `masters` and the `cards` (two numbers) are first those of the side
        to move, then the opponent's. `centre` is the card between them."""
        self.side, self.pieces, self.masters, self.cards, self.centre = side, pieces, masters, cards, centre
        (mine, theirs), (master, enemy) = pieces, masters
        (first, second), (third, fourth) = cards
        held = 1 << first | 1 << second | (1 << third | 1 << fourth) << 16
        self.key = mine | theirs << 25 | master << 50 | enemy << 55 | centre << 60 | side << 64 | held << 65
        self.children: dict[int, OnitamaPosition] = {}
        self.value: int | None = None
        self.attacks = ATTACKED[side][first][mine] | ATTACKED[side][second][mine]
        self.their_attacks = ATTACKED[1 - side][third][theirs] | ATTACKED[1 - side][fourth][theirs]
        self.flights = (STEPS[side][first][master] | STEPS[side][second][master]) & ~mine
        self.their_flights = (STEPS[1 - side][third][enemy] | STEPS[1 - side][fourth][enemy]) & ~theirs
        self.can_win = bool(self.attacks >> enemy & 1 or self.flights & TEMPLE[side])
        self.in_check = bool(self.their_attacks >> master & 1 or self.their_flights & TEMPLE[1 - side])

    def after(self, move: int) -> OnitamaPosition:
        """Return the position after a move."""
        new = self.children.get(move)
        if new is None:
            to, origin, card = move & 63, move >> 6 & 63, move >> 12
            (mine, theirs), (master, enemy), (mine_held, their_held) = self.pieces, self.masters, self.cards
            held = (mine_held[1] if card == mine_held[0] else mine_held[0], self.centre)
            if origin != PASS:
                mine ^= 1 << to | 1 << origin
                theirs &= ~(1 << to)
                master = to if origin == master else master
            new = OnitamaPosition(1 - self.side, (theirs, mine), (enemy, master), (their_held, held), card)
            self.children[move] = new
        return new

    def passed(self) -> OnitamaPosition:
        """Return the same position with the opponent to move; the cards stay where they are."""
        return OnitamaPosition(1 - self.side, self.pieces[::-1], self.masters[::-1], self.cards[::-1], self.centre)

    def win_in_one(self) -> int:
        """Return a move that captures the enemy master or reaches its temple, or 0."""
        for move in self.legal() if self.can_win else ():
            to = move & 63
            if to == self.masters[1] or (move >> 6 & 63 == self.masters[0] and 1 << to == TEMPLE[self.side]):
                return move
        return 0

    def evaluate(self) -> int:
        """Return the static evaluation."""
        if self.value is None:
            side, other, attacks, enemy_attacks = self.side, 1 - self.side, self.attacks, self.their_attacks
            (mine, theirs), (master, enemy) = self.pieces, self.masters
            students, enemies = mine ^ 1 << master, theirs ^ 1 << enemy
            value = TEMPO + CENTRE_CARD[self.centre] - (THREAT if self.in_check else 0)
            value += STUDENTS[side][students] - STUDENTS[other][enemies]
            value += MASTER_SQUARES[24 - master if side else master] - MASTER_SQUARES[enemy if side else 24 - enemy]
            later, enemy_later = ATTACKED[side][self.centre][mine], ATTACKED[other][self.centre][theirs]
            value += ATTACK * (COUNT[AROUND[enemy] & attacks] - COUNT[AROUND[master] & enemy_attacks])
            value += ATTACK_LATER * (COUNT[AROUND[enemy] & later] - COUNT[AROUND[master] & enemy_later])
            value += HANGING * COUNT[enemies & attacks & ~enemy_attacks]
            value -= LOOSE * COUNT[students & enemy_attacks & ~attacks]
            value += FLIGHT[COUNT[self.flights & ~enemy_attacks]] - FLIGHT[COUNT[self.their_flights & ~attacks]]
            self.value = value
        return self.value

    def legal(self) -> list[int]:
        """Return all moves. A player without a move passes, and chooses the card that it gives up."""
        moves, (first, second), mine = CARD_MOVES[self.side], self.cards[0], self.pieces[0]
        return moves[first][mine] + moves[second][mine] or [card * 4096 + PASS * 64 for card in self.cards[0]]

    def tactical(self) -> list[int]:
        """Return captures, as ShogiPosition.tactical does."""
        theirs, guarded = self.pieces[1], self.their_attacks
        if not theirs & self.attacks:
            return []
        captures = [move for move in self.legal() if theirs >> (move & 63) & 1]
        gains = [0 if guarded >> (move & 63) & 1 else STUDENT for move in captures]
        return sorted([(gain + 32768 << 16) + move for gain, move in zip(gains, captures)], reverse=True)

    def quiets(self) -> list[int]:
        """Return the moves that capture nothing."""
        theirs = self.pieces[1]
        return [move for move in self.legal() if not theirs >> (move & 63) & 1]

    def checks(self, quiets: list[int]) -> list[int]:
        """Return no moves, because the search of Onitama does not treat threats first."""
        return []

    def risk(self, move: int) -> int:
        """Return 0: quiet moves are not judged by the material that they lose."""
        return 0

    def name(self, move: int) -> str:
        """Return a move as the arena writes it."""
        to, origin, card = move & 63, move >> 6 & 63, move >> 12
        if origin == PASS:
            return f"{card} PASS"
        return f"{card} {'ABCDE'[origin % 5]}{5 - origin // 5}{'ABCDE'[to % 5]}{5 - to // 5}"


def onitama_position(rows: list[str], cards: list[str], side: int) -> OnitamaPosition:
    """Return the position that the arena's lines show. Raises ValueError if a master or a card is missing."""
    cells = "".join(rows)
    owned: dict[str, list[int]] = {"0": [], "1": [], "-1": []}
    for line in cards:
        owner, card = line.split()[:2]
        owned[owner].append(int(card))
    mine, theirs, centre = owned["01"[side]], owned["10"[side]], owned["-1"]
    if cells.count("W") != 1 or cells.count("B") != 1:
        raise ValueError("each player must have one master")
    if (len(mine), len(theirs), len({*mine, *theirs, *centre})) != (2, 2, 5):
        raise ValueError("each player must have two of five cards")
    pieces = [sum(1 << square for square, cell in enumerate(cells) if cell.upper() == letter) for letter in "WB"]
    masters = [cells.index(letter) for letter in "WB"]
    if side:
        pieces.reverse()
        masters.reverse()
    return OnitamaPosition(side, (pieces[0], pieces[1]), (masters[0], masters[1]), (mine, theirs), centre[0])


# ======== The search ========

WON, DECIDED, INFINITE = 100_000, 90_000, 1_000_000  # a win in n plies has the score WON - n, which is above DECIDED
MAX_PLY = 60
EXACT, LOWER, UPPER = 0, 1, 2  # whether a score in the table is exact, a lower bound or an upper bound
FIRST, WINNING, REFUTATION, CHECK, QUIET, LOSING = range(6)  # kinds of moves, in the order of the search
CLOCK_EVERY = 64  # nodes between two looks at the clock
ENTRY_BYTES = 300  # memory for a position in the table

# By how many plies late moves are searched less deeply: by depth and by the number of the move.
LOGARITHMS = [math.log(max(number, 1)) for number in range(128)]
REDUCTIONS = [[int(0.67 + 0.52 * depth * count) for count in LOGARITHMS] for depth in LOGARITHMS[:64]]


class OutOfTime(Exception):
    """The search must end now."""


class Found(NamedTuple):
    """The result of a search: the best move, its score, and the depth of the search."""

    move: int
    score: int
    depth: int


def encoded_score(score: int, ply: int) -> int:
    """Return a score relative to a node at `ply` as one relative to the root, or back if `ply` is negative: the number
    of plies to a win counts from there."""
    if abs(score) > DECIDED:
        return score - ply if score > 0 else score + ply
    return score


class Search:
    """The search of the games without a die: iterative deepening of a principal variation search."""

    def __init__(self, game: str, hash_mb: int) -> None:
        self.repeats = game == "minishogi"  # whether the third occurrence of a position ends the game
        self.last_ply = LAST_PLY.get(game, 1 << 30)
        self.room = hash_mb * (1 << 20) // ENTRY_BYTES
        self.nodes = 0
        self.new_game()

    def new_game(self) -> None:
        """Forget what was learned in the last game."""
        self.table: dict[int, tuple[int, int, int, int]] = {}  # by key: depth, bound, score, best move
        self.history = [[0] * 65536, [0] * 65536]  # by side and move: how often the move was good
        self.counter: dict[int, int] = {}  # the reply that last refuted a move

    def think(
        self, root: Any, moves: list[int], seen: dict[int, int], ply: int, deadline: float, most: int = MAX_PLY
    ) -> Found:
        """Return the best of `moves`. `seen` counts the positions of the game by key, and `ply` the plies played. The
        search ends at `deadline` (time.perf_counter) or at the depth `most`."""
        self.seen, self.deadline, self.plies_left, self.moves = (
            {**seen, root.key: 2},
            deadline,
            self.last_ply - ply,
            moves,
        )
        self.killers = [[0, 0] for _ in range(MAX_PLY + 2)]  # by ply: the moves that last refuted the move before
        self.evals = [-INFINITE] * (MAX_PLY + 2)  # by ply: the static evaluation
        self.path = [0] * (MAX_PLY + 2)  # by ply: the move that is searched
        self.found = Found(moves[0], 0, 0)
        if root.win_in_one() in moves:
            return Found(root.win_in_one(), WON - 1, 1)
        try:
            for depth in range(1, most + 1):
                self._search_root(root, depth)
                proven = WON - abs(self.found.score) <= depth  # more depth cannot find a faster win
                if proven or (len(moves) == 1 and depth >= 4):
                    break
        except OutOfTime:
            pass
        return self.found

    def _search_root(self, root: Any, depth: int) -> None:
        """Search the moves of the root. A move that is better than those before it is stored in `found` at once, in
        case that the time ends, and comes first from then on."""
        alpha = -INFINITE
        for count, move in enumerate(list(self.moves)):
            child, score = root.after(move), alpha + 1
            self.path[0] = move
            below = depth if child.in_check else depth - 1
            if count:
                late = REDUCTIONS[min(depth, 63)][min(count, 127)] if depth > 2 and count > 3 and below < depth else 0
                score = -self.search(child, -alpha - 1, -alpha, below - late, 1, True)
                if score > alpha and late:
                    score = -self.search(child, -alpha - 1, -alpha, below, 1, True)
            if score > alpha:
                score = -self.search(child, -INFINITE, -alpha, below, 1, False)
            if score > alpha:
                alpha, self.found = score, Found(move, score, depth)
                self.moves = [move] + [other for other in self.moves if other != move]

    def search(
        self, position: Any, alpha: int, beta: int, depth: int, ply: int, cut_node: bool, null: bool = True
    ) -> int:
        """Return the score of a position after a search of `depth` plies. A score of `alpha` or less is an upper bound,
        one of `beta` or more a lower bound. `cut_node` means that a score of at least `beta` is expected."""
        # 1. At depth 0, only captures and promotions are searched further.
        if depth <= 0:
            return self.quiesce(position, alpha, beta, ply)
        self._count_node()

        # 2. Is the game over, or does a move win at once?
        key, in_check, seen = position.key, position.in_check, self.seen
        visits = seen.get(key, 0)  # positions of the game count once, those on the path from the root twice
        if visits >= 2 and self.repeats:  # the side in check wins, otherwise the second player
            return WON - ply if in_check or position.side else ply - WON
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

        # 3. Does the table know the answer?
        table_move, table_score, table_bound = 0, 0, EXACT
        entry = self.table.get(key)
        if entry is not None:
            table_depth, table_bound, table_score, table_move = entry
            table_score = encoded_score(table_score, ply)
            if table_depth >= depth and not pv_node and (
                table_bound == EXACT or (table_score >= beta if table_bound == LOWER else table_score <= alpha)
            ):  # fmt: skip
                return table_score

        # 4. If the position is far too good or far too bad, a move would hardly change that.
        static = estimate = -INFINITE
        improving = False
        if not in_check:
            static = estimate = position.evaluate()
            if entry is not None and table_bound != (UPPER if table_score > static else LOWER):
                estimate = table_score
            improving = ply > 1 and -INFINITE < self.evals[ply - 2] < static
        self.evals[ply] = static
        if not in_check and not pv_node:
            bonus = 127 if improving else 0
            score = self._without_moves(position, alpha, beta, depth, ply, static, estimate, bonus, cut_node, null)
            if score is not None:
                return score
        # Without a move from the table, the first move is probably not the best one: search less deeply.
        if depth >= 4 and not table_move and (pv_node or cut_node):
            depth -= 1

        # 5. Search the moves.
        self.killers[ply + 1] = [0, 0]
        seen[key] = visits + 2
        best, best_move, best_kind, count, old_alpha = -INFINITE, 0, QUIET, 0, alpha
        history, tried = self.history[position.side], []
        late_limit = (4 + depth * depth) // (1 if improving else 2) + 5
        for move, kind in self._ordered(position, table_move, ply):
            count += 1
            late = REDUCTIONS[min(depth, 63)][min(count, 127)]

            # 6. Leave out late moves, hopeless moves and moves that lose material.
            if best > -DECIDED and not in_check:
                left = max(depth - late, 0)
                if kind == QUIET and (
                    count > late_limit
                    or (left <= 5 and not pv_node and static + 209 + 124 * left <= alpha)
                    or (left <= 3 and history[move] < -2446 * (left + 1))
                    or (depth <= 7 and position.risk(move) > 142 * depth)
                ):
                    continue
                if kind == LOSING and depth <= 2:
                    continue

            # 7. Extend checks, reduce late moves.
            child = position.after(move)
            extends = child.in_check and kind != LOSING and (depth <= 8 or pv_node)
            below = depth if extends else depth - 1
            if depth >= 2 and count > (3 if pv_node else 1) and kind >= REFUTATION:
                late += (not pv_node) + cut_node - improving - child.in_check - in_check - (kind == LOSING)
                late = max(min(late - history[move] // 10117, below - 1), 0)
            else:
                late = 0

            # 8. Search with a window that only tests whether the move is better than the best one; if it is, again.
            self.path[ply] = move
            score = alpha + 1
            if late:
                score = -self.search(child, -alpha - 1, -alpha, below - late, ply + 1, True)
            if score > alpha and (late or count > 1 or not pv_node):
                score = -self.search(child, -alpha - 1, -alpha, below, ply + 1, not cut_node)
            if score > alpha and pv_node:
                score = -self.search(child, -beta, -alpha, below, ply + 1, False)
            if score > best:
                best = score
                if score > alpha:
                    alpha, best_move, best_kind = score, move, kind
                    if score >= beta:
                        break
            if REFUTATION <= kind <= QUIET:
                tried.append(move)
        seen[key] = visits

        # 9. Without a legal move, the game is lost, even if it is a stalemate.
        if not count:
            return ply - WON

        # 10. Learn from a move that was too good, and store the result.
        if best >= beta and REFUTATION <= best_kind <= QUIET:
            self._learn(history, best_move, tried, depth, ply)
        bound = LOWER if best >= beta else EXACT if pv_node and best > old_alpha else UPPER
        if len(self.table) >= self.room:
            self.table.clear()
        self.table[key] = (depth, bound, encoded_score(best, -ply), best_move or table_move)
        return best

    def _without_moves(
        self, position: Any, alpha: int, beta: int, depth: int, ply: int, static: int, estimate: int, bonus: int,
        cut_node: bool, null: bool,
    ) -> int | None:  # fmt: skip
        """Return the score of a position that is far too good or far too bad, and None of others. `static` is the
        static evaluation, `estimate` the best guess of the score; `bonus` is added if the position is improving."""
        if depth <= 3 and estimate + 615 * depth < alpha:
            score = self.quiesce(position, alpha, alpha + 1, ply)
            if score <= alpha:
                return score
        if depth <= 6 and estimate < DECIDED and estimate - 98 * depth + bonus >= beta:
            return estimate
        # The null move: if the opponent moved twice and the score were still too good, it is too good.
        if null and depth >= 3 and estimate >= beta > -DECIDED and static >= beta - 40 * depth + 262:
            below = depth - 3 - depth // 4 - min((estimate - beta) // 264, 3)
            self.path[ply] = -1
            score = -self.search(position.passed(), -beta, 1 - beta, below, ply + 1, not cut_node, False)
            if score >= beta:
                return score if score < DECIDED else beta
        return None

    def _count_node(self) -> None:
        self.nodes += 1
        if not self.nodes % CLOCK_EVERY and time.perf_counter() > self.deadline:
            raise OutOfTime

    def _ordered(self, position: Any, first: int, ply: int) -> Any:
        """Yield the legal moves, the most promising ones first, each with its kind. `first` is the table's move: the
        others are not even generated if it is good enough."""
        if first:
            yield first, FIRST
        losing = []
        for encoded in position.tactical():
            move = encoded & 65535
            if encoded < 32768 << 16:
                losing.append(move)
            elif move != first:
                yield move, WINNING
        quiets = position.quiets()
        done = {first}
        for move in (*self.killers[ply], self.counter.get(self.path[ply - 1], 0)):
            if move not in done and move in quiets:
                done.add(move)
                yield move, REFUTATION
        for move in position.checks(quiets):
            if move not in done:
                done.add(move)
                yield move, CHECK
        for move in self._by_history(position, quiets):
            if move not in done:
                yield move, QUIET
        for move in losing:
            if move != first:
                yield move, LOSING

    def _by_history(self, position: Any, moves: list[int]) -> list[int]:
        """Return quiet moves in the order of their history."""
        history = self.history[position.side]
        return [code & 65535 for code in sorted([(history[move] + 65536 << 16) + move for move in moves], reverse=True)]

    def _learn(self, history: list[int], best: int, tried: list[int], depth: int, ply: int) -> None:
        """Remember that a quiet move refuted the opponent's move, and that those `tried` before it did not."""
        bonus = min(14 * depth * depth + 50, 2000)
        history[best] += bonus - history[best] * bonus // 16384
        for move in tried:
            history[move] -= bonus + history[move] * bonus // 16384
        if self.killers[ply][0] != best:
            self.killers[ply] = [best, self.killers[ply][0]]
        self.counter[self.path[ply - 1]] = best

    def quiesce(self, position: Any, alpha: int, beta: int, ply: int) -> int:
        """Return the score of a position after captures and promotions that win material, and, in check, evasions."""
        self._count_node()
        if position.win_in_one():
            return WON - ply - 1
        if ply >= MAX_PLY:
            return int(position.evaluate())
        entry = self.table.get(position.key)
        if entry is not None:
            _, bound, score, _ = entry
            score = encoded_score(score, ply)
            if bound == EXACT or (score >= beta if bound == LOWER else score <= alpha):
                return score
        in_check = position.in_check
        best = static = -INFINITE if in_check else position.evaluate()
        if best >= beta:
            return int(best)
        alpha = max(alpha, best)
        moves = []
        for encoded in position.tactical():
            gain = (encoded >> 16) - 32768
            if not in_check and (gain < 0 or static + gain + 391 <= alpha):
                break  # later moves win even less
            moves.append(encoded & 65535)
        enough = len(moves) + 3
        if in_check:
            moves += self._by_history(position, position.quiets())
        for count, move in enumerate(moves):
            if count >= enough and best > -DECIDED:
                break
            score = -self.quiesce(position.after(move), -beta, -alpha, ply + 1)
            if score > best:
                best = score
                if score >= beta:
                    break
                alpha = max(alpha, score)
        return best if moves or not in_check else ply - WON


# ======== The search with a die ========

# A value is the expected result for the side to move: 1 a certain win, -1 a certain loss. A logistic curve, which was
# fitted to the results of games, converts evaluations to values.
CURVE_SCALE, SUREST = 4000.0, 0.98  # SUREST is the value of the best position that is not won yet
KEPT = 1023 / 1024  # of a value, after each ply, so that an early win is better
FACES = 6


def value_of(score: int) -> float:
    """Convert an evaluation to a value."""
    return (2 / (1 + 10 ** (-max(min(score, 8191), -8191) / CURVE_SCALE)) - 1) * SUREST


def score_of(value: float) -> int:
    """Convert a value to a score."""
    if abs(value) >= 1:
        return WON - 1 if value > 0 else 1 - WON
    share = max(min(value / SUREST, 0.9999), -0.9999)
    return round(CURVE_SCALE * math.log10((1 + share) / (1 - share)))


class DiceSearch:
    """The search of Dice-Shogi: iterative deepening of an expectiminimax search.

    A node is a position before the roll. A number from 1 to 5 allows the moves that end on one file of the board; 6
    allows all moves, and so does the number of a file on which no move ends. If moves end on G files, the value of a
    node is therefore a sixth of this sum: the value of the best move to each file, and 6 - G times that of the best
    move of all. A file is searched with a window in which its value can still bring the sum into the node's window, if
    the files not searched yet have the worst or the best values that they can have (Star1, by Ballard, 1983)."""

    def __init__(self, hash_mb: int) -> None:
        self.room = hash_mb * (1 << 20) // (2 * ENTRY_BYTES)
        self.nodes = 0
        self.new_game()

    def new_game(self) -> None:
        """Forget what was learned in the last game."""
        self.table: dict[int, tuple[int, int, float, dict[int, int]]] = {}  # depth, bound, value, best move by file
        self.history = [[0] * 65536, [0] * 65536]

    def think(
        self, root: ShogiPosition, moves: list[int], seen: dict[int, int], ply: int, deadline: float, most: int = 40
    ) -> Found:
        """Return the best of `moves`, which are those that the roll allows; see Search.think."""
        self.deadline, self.plies_left = deadline, LAST_PLY["dice"] - ply
        found = Found(moves[0], 0, 0)
        try:
            for depth in range(1, most + 1):
                best = -2.0
                for move in list(moves):
                    value = -self.expect(root.after(move), -2.0, -best, depth - 1, 1)
                    if value > best:
                        best, found = value, Found(move, score_of(value), depth)
                        moves = [move] + [other for other in moves if other != move]
                if len(moves) == 1 or abs(best) >= 1:
                    break
        except OutOfTime:
            pass
        return found

    def expect(self, position: ShogiPosition, alpha: float, beta: float, depth: int, ply: int) -> float:
        """Return the value of a position before the roll. A value of `alpha` or less is an upper bound, one of `beta`
        or more a lower bound."""
        self.nodes += 1
        if not self.nodes % 16 and time.perf_counter() > self.deadline:
            raise OutOfTime
        if depth < 0 or (depth == 0 and not position.in_check):
            return self._leaf(position, beta, ply)
        depth_known, bound, value, hints = self.table.get(position.key, (-1, EXACT, 0.0, {}))
        if depth_known >= depth and depth_known + 1 < self.plies_left - ply:
            if bound == EXACT or (value >= beta if bound == LOWER else value <= alpha):
                return value
        files = self._by_file(position, hints)
        if not files:
            return -1.0
        if ply >= self.plies_left:
            return 0.0
        least, most, best = alpha * FACES / KEPT, beta * FACES / KEPT, dict(hints)
        free, bound = FACES - len(files), EXACT
        high, low = dict.fromkeys(files, 1.0), dict.fromkeys(files, -1.0)  # bounds of the best value of each file
        for file, moves in files.items():
            floor = max(needed([high[other] for other in files if other != file], free, least), -1.0)
            ceiling = min(needed([low[other] for other in files if other != file], free, most), 1.0)
            top = -1.0
            for count, move in enumerate(moves):
                child, limit = position.after(move), max(floor, top)
                value = 2.0
                if count and depth >= 2:  # a later move is first searched a ply less deeply
                    value = -self.expect(child, -limit - 1e-6, -limit, depth - 2, ply + 1)
                if value > limit:
                    value = -self.expect(child, -ceiling, -limit, depth - 1, ply + 1)
                if value > top:
                    top, best[file] = value, move
                    if top >= ceiling:
                        break
            low[file], high[file] = (
                (top, 1.0) if top >= ceiling < 1 else (-1.0, top) if top <= floor > -1 else (top, top)
            )
            if total_of(low, free) >= most:
                bound = LOWER
                break
            if total_of(high, free) <= least:
                bound = UPPER
                break
        value = total_of(high if bound == UPPER else low, free) * KEPT / FACES
        self._store(position, depth, ply, bound, value, best)
        return value

    def _store(
        self, position: ShogiPosition, depth: int, ply: int, bound: int, value: float, best: dict[int, int]
    ) -> None:
        """Remember the value of a node and the best move to each file."""
        for move in best.values():
            self.history[position.side][move] += depth * depth
        if depth + 1 < self.plies_left - ply:
            if len(self.table) >= self.room:
                self.table.clear()
            self.table[position.key] = (depth, bound, value, best)

    def _by_file(self, position: ShogiPosition, hints: dict[int, int]) -> dict[int, list[int]]:
        """Return the legal moves by the file on which they end, the most promising ones first. The file with the fewest
        moves comes first. `hints` are moves that were the best ones before."""
        tables, board, history = position.tables, position.board, self.history[position.side]
        files: dict[int, list[tuple[int, int]]] = {}
        for move in position.legal():
            to, origin = move & 63, move >> 6 & 63
            if origin >= DROP:
                piece = origin - DROP + WHITE * position.side
                worth = -tables.at[piece][HAND + 1]
            else:
                piece = board[origin]
                worth = tables.exchange[board[to]] - tables.at[piece][origin]
            worth += tables.at[tables.promoted[piece] if move & PROMOTES else piece][to] - position.risk(move) // 4
            worth += 10_000 if hints.get(to % tables.size) == move else min(history[move], 2000) // 8
            files.setdefault(to % tables.size, []).append((worth, move))
        order = sorted(files, key=lambda file: len(files[file]))
        return {file: [move for _, move in sorted(files[file], reverse=True)] for file in order}

    def _leaf(self, position: ShogiPosition, beta: float, ply: int) -> float:
        """Return the value of a position at the end of a line, from its evaluation and the rolls that allow a mate."""
        if position.in_check and position.is_stuck():
            return -1.0
        if ply >= self.plies_left:
            return 0.0
        value = value_of(position.evaluate())
        if value < beta and position.mates():
            faces = 1 + len({move % 64 % position.tables.size for move in position.mates()})  # the six allows them too
            value = (faces + (FACES - faces) * value) * KEPT / FACES
        return value


def total_of(values: dict[int, float], free: int) -> float:
    """Return the sum over the six faces: the values of the files, and `free` times the best of them."""
    return sum(values.values()) + free * max(values.values())


def needed(others: list[float], free: int, goal: float) -> float:
    """Return the value of a file for which the sum over the six faces is `goal`, given the values of the others."""
    best = max(others, default=-2.0)
    rest = goal - sum(others)
    return rest - free * best if rest - free * best <= best else rest / (free + 1)


# ======== The arena: reading turns ========


class Line(NamedTuple):
    """A line of the input without white space at its ends, its number, and the time at which it arrived."""

    text: str
    number: int
    at: float


class Lines:
    """The lines of standard input. A thread reads them, so that the bot can stop waiting for a line."""

    def __init__(self) -> None:
        self.arrived: queue.Queue[Line | None] = queue.Queue()
        self.next: Line | None = None
        self.ended, self.number = False, 0  # whether there are no more lines; the number of the last line taken
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for number, data in enumerate(sys.stdin.buffer, 1):
            text = data.decode(errors="replace").strip()
            if text:
                self.arrived.put(Line(text, number, time.perf_counter()))
        self.arrived.put(None)

    def peek(self, until: float | None = None) -> Line | None:
        """Return the next line, which stays the next one. Return None at the end of the input, or if no line has come
        at the time `until` (time.perf_counter)."""
        if self.next is None and not self.ended:
            try:
                self.next = self.arrived.get(timeout=None if until is None else max(until - time.perf_counter(), 0))
            except queue.Empty:
                return None
            self.ended = self.next is None
        return self.next

    def take(self) -> str:
        """Return the text of the line that `peek` has returned, and go on to the next line."""
        assert self.next is not None
        line, self.next = self.next, None
        self.number = line.number
        return line.text


# The lines of a turn, as (name, regular expression, number of lines): those of a game's first turn, those of every
# turn. The number of legal actions and the actions follow them.
PLAYER, SIZE = ("the player's id", "[01]", 1), ("the board's size", "5", 1)
ROWS, HANDS = ("a row of the board", r"(\+?[KGSBRPkgsbrp]|\.){5}", 5), ("a hand", "-|[GSBRPgsbrp]+", 2)
SHOGI_ACTION = r"[1-5][1-5][1-5][1-5]\+?|[GSBRPgsbrp]\*[1-5][1-5]"
DIE, LAST = ("the roll of the die", "[1-6]", 1), ("the opponent's last action", f"none|{SHOGI_ACTION}", 1)
ONITAMA_LINES = (("a row of the board", "[WwBb.]{5}", 5), ("a card", r"(-1|0|1) (\d|1[0-5])( -?\d){8}", 5))
FORMS: dict[str, Any] = {
    "minishogi": ((PLAYER, SIZE), (ROWS, HANDS, LAST), SHOGI_ACTION),
    "dice": ((PLAYER, SIZE), (ROWS, HANDS, DIE, LAST), SHOGI_ACTION),
    "onitama": ((PLAYER,), ONITAMA_LINES, r"1?\d ([A-E][1-5][A-E][1-5]|PASS)"),
}
PAUSE = 0.02  # seconds without a line that end a list of actions whose number is unknown


class Turn:
    """What is known of a turn. `parts` has the lines of every turn, in the order of the form; it is empty if one of
    them was wrong."""

    def __init__(self, at: float, first: bool) -> None:
        self.at, self.first = at, first  # arrival of the first line (time.perf_counter); first turn of a game?
        self.player: int | None = None
        self.parts: list[str] = []
        self.actions: list[str] = []
        self.complete = True  # no line was wrong


class TurnReader:
    """A reader of turns that reports wrong lines. After a wrong line it looks for the legal actions, because a turn can
    be answered if they are known, or if all lines before them were right."""

    def __init__(self, game: str, lines: Lines) -> None:
        once, each, self.action = FORMS[game]
        self.once, self.each = ([part[:2] for part in form for _ in range(part[2])] for form in (once, each))
        self.lines, self.has_read = lines, False

    def read(self, patience: float | None) -> Turn | None:
        """Return the next turn, or None at the end of the input. After `patience` seconds, a turn that can be answered
        is not waited for any longer."""
        (_, starts), (_, goes_on) = self.once[0], self.each[0]
        skipped = False
        line = self.lines.peek()
        while line is not None and not re.fullmatch(f"{starts}|{goes_on}", line.text):
            if not skipped:
                complain(f"line {line.number}: expected the start of a turn, not {clip(line.text)}")
            skipped = True
            self.lines.take()
            line = self.lines.peek()
        if line is None:
            return None
        turn = Turn(line.at, not self.has_read or re.fullmatch(starts, line.text) is not None)
        turn.complete, self.has_read = not skipped, True
        parts: list[str] = []
        for name, pattern in (*(self.once if turn.first else ()), *self.each):
            line = self.lines.peek()
            if line is None or not re.fullmatch(pattern, line.text):
                self._report(turn, line, name)
                break
            parts.append(self.lines.take())
        else:
            turn.parts = parts[-len(self.each) :]
        if turn.first and parts and re.fullmatch(starts, parts[0]):
            turn.player = int(parts[0])
        self._read_actions(turn, None if patience is None else turn.at + patience)
        return turn

    def _read_actions(self, turn: Turn, until: float | None) -> None:
        """Read the number of legal actions and the actions themselves, and skip wrong lines before them."""
        actions, count, wrong = turn.actions, None, 0
        while True:
            number = len(actions) + wrong
            name = "the number of legal actions" if count is None else f"legal action {number + 1} of {count}"
            is_last = number >= count if count is not None else bool(actions)
            wait = until if turn.parts or actions else None
            line = self.lines.peek(time.perf_counter() + (PAUSE if count is None else 0) if is_last else wait)
            if line is None:
                if not is_last:
                    self._report(turn, None, name)
                return
            if re.fullmatch(self.action, line.text):
                if (is_last and count is not None) or (turn.complete and count is None):
                    self._report(turn, line, "the next turn" if is_last else name)
                actions.append(self.lines.take())
            elif count is None and re.fullmatch("[0-9]{1,3}", line.text):
                count, wrong = int(self.lines.take()), 0
                actions.clear()  # what came before was the opponent's last action
            elif is_last or (actions and re.fullmatch(self.each[0][1], line.text)):
                if not is_last:
                    self._report(turn, line, name)
                return
            else:
                if turn.complete or count is not None:
                    self._report(turn, line, name)
                wrong += 1
                self.lines.take()

    def _report(self, turn: Turn, line: Line | None, name: str) -> None:
        """Report a wrong line, or a missing one if `line` is None."""
        turn.complete = False
        if line is not None:
            complain(f"line {line.number}: expected {name}, not {clip(line.text)}")
        else:
            why = "the input ends" if self.lines.ended else "no more lines arrive"
            complain(f"line {self.lines.number + 1}: {why}, but {name} is missing")


def clip(text: str) -> str:
    """Return a text in quotes, cut if it is long."""
    return repr(text if len(text) <= 60 else text[:60] + "...")


def say(text: str) -> None:
    """Write an answer on standard output. If that fails, report it and exit with status 1."""
    try:
        os.write(1, (text + "\n").encode())
    except OSError as error:
        complain(f"standard output cannot be written to: {error.strerror}")
        sys.exit(1)


def complain(text: str) -> None:
    """Report a problem on standard error. The message is lost if nobody reads it or if it cannot be written."""
    try:
        if os.name != "posix" or select.select([], [2], [], 0)[1]:  # writing to a full pipe would block
            os.write(2, f"{GAME or 'bot'}: {text}\n".encode())
    except OSError:
        pass


# ======== The arena: answering turns ========


class Margin:
    """The part of a turn's time that stays unused. It grows with the measured delays of the search, which count twice,
    because on a busy computer the input was probably read late too."""

    def __init__(self, least: float) -> None:
        self.least, self.late = least, 0.0

    def of(self, total: float) -> float:
        """Return the margin in ms for a turn of `total` ms."""
        return max(self.least, min(self.least + 2 * self.late, 0.6 * total))

    def note(self, late: float) -> None:
        """Remember that a search ended so many ms later than planned."""
        self.late = max(late, 0.9 * self.late)


def process_start() -> float:
    """Return when the process was started (time.perf_counter), or the present time if that is unknown."""
    now = time.perf_counter()
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError, IndexError):
        return now
    return now - age if 0 < age < 1 else now


def book_key(position: ShogiPosition) -> str:
    """Return the checksum by which the opening book knows a position."""
    return f"{position.key & 0xFFFFFFFFFF:x}"


class Bot:
    """The player of an arena's games. Where the referee's legal actions differ from the rules, it follows them."""

    def __init__(self, game: str, margin: int, hash_mb: int, chat: bool) -> None:
        self.game, self.chat, self.margin = game, chat, Margin(margin)
        self.tables = Tables(game)
        self.search: Any = DiceSearch(hash_mb) if game == "dice" else Search(game, hash_mb)
        self.player: int | None = None
        self.said = self.free = -1.0  # when the last answer was printed, and when the bot had finished with it
        self.new_game()

    def new_game(self) -> None:
        """Forget the last game."""
        words = BOOK.split() if self.game == "minishogi" else []
        self.book = dict(zip(words[::2], words[1::2]))  # moves that were not played yet in this game
        self.seen: dict[int, int] = {}  # by key: how often a position has occurred
        self.before: Any = None if self.game == "onitama" else shogi_position(self.tables, self.tables.start)
        self.ply = -2
        self.search.new_game()

    def answer(self, turn: Turn, since: float) -> str | None:
        """Print and return the answer to a turn whose time began at `since`; None if no legal action is known."""
        if since < self.free + 0.002:  # the input came while the bot was busy: it may have waited since the last answer
            since = min(since, self.said)
        if turn.first:
            self.new_game()
            self.player = turn.player
            self.ply = -1 if turn.player else -2
        self.ply += 2
        listed = {action.upper(): action for action in turn.actions}
        position = self._position(turn, listed)
        legal = self._legal(position, turn)
        names = {position.name(move).upper(): move for move in legal}
        if position is not None and turn.complete and names.keys() != listed.keys():
            self._report_difference(names, listed)
        moves = [names[name] for name in listed if name in names] or ([] if listed else legal)
        if not moves and not listed:
            complain("no legal action is known: no answer")
            return None
        if not moves:
            say(turn.actions[0])
            return turn.actions[0]
        move, message = self._choose(position, moves, turn.first, since)
        name = position.name(move)
        answer: str = listed.get(name.upper(), name) + (message if self.chat else "")
        say(answer)
        self.said = time.perf_counter()
        self.before = position.after(move)
        position.children, self.before.children = {}, {}  # free the memory
        self.seen[self.before.key] = self.seen.get(self.before.key, 0) + 1
        self.free = time.perf_counter()
        return answer

    def _position(self, turn: Turn, listed: dict[str, str]) -> Any:
        """Return the position of a turn, or None if it is unknown. If the board cannot be read, it is a position after
        the last one known, the one in which the legal moves are those `listed`."""
        if turn.first and self.before is not None:
            self.seen[self.before.key] = 1
        found = []
        for player in (0, 1) if self.player is None else (self.player,):
            try:
                found += [self._shown(turn.parts, player)] if turn.parts else []
            except ValueError as error:
                complain(f"the board is not a valid position: {error}")
        if not turn.parts and self.before is not None:
            replies = [self.before.after(move) for move in self.before.legal()]
            found = ([self.before] if turn.first and not self.player else []) + replies
        for position in found:
            names = {position.name(move).upper() for move in self._legal(position, turn)}
            unknown_roll = self.game == "dice" and not turn.parts and listed
            if names == listed.keys() or (unknown_roll and names >= listed.keys()):
                break
        else:
            position = found[0] if turn.parts and found else None
        if position is not None:
            self.player = position.side
            self.seen[position.key] = self.seen.get(position.key, 0) + (not turn.first or position.side)
        return position

    def _shown(self, parts: list[str], player: int) -> Any:
        """Return the position that the lines of a turn show. Raises ValueError if it is not valid."""
        if self.game == "onitama":
            return onitama_position(parts[:5], parts[5:], player)
        board, held = "/".join(parts[:5]).replace(".", "1"), parts[5].upper() + parts[6].lower()
        return shogi_position(self.tables, f"{board} {'bw'[player]} {held}")

    def _legal(self, position: Any, turn: Turn) -> list[int]:
        """Return the legal moves, in Dice-Shogi those that the roll allows."""
        moves: list[int] = position.legal() if position is not None else []
        if self.game == "dice" and turn.parts:
            return [move for move in moves if move % 64 % 5 == 5 - int(turn.parts[7])] or moves
        return moves

    def _report_difference(self, names: dict[str, int], listed: dict[str, str]) -> None:
        texts = []
        for what, words in (("also lists", listed.keys() - names), ("does not list", names.keys() - listed)):
            if words:
                texts.append(
                    f"{what} {', '.join(sorted(words)[:6])}" + f" and {len(words) - 6} more" * (len(words) > 6)
                )
        complain(f"the legal actions differ from those of the rules: the referee {' and '.join(texts)}")

    def _choose(self, position: Any, moves: list[int], first: bool, since: float) -> tuple[int, str]:
        """Return the move to play, and the message for the chat."""
        known = self.book.pop(book_key(position), "")
        for move in moves if known else ():
            if position.name(move).upper() == known.upper():
                return move, " book"
        total = FIRST_TURN if first else TURN[self.game]
        planned = max(since + (total - self.margin.of(total)) / 1000, time.perf_counter() + 0.005)
        try:
            found = self.search.think(position, moves, self.seen, self.ply, planned)
        except Exception as failure:  # a turn without an answer would lose the game
            complain(f"internal: {type(failure).__name__}: {failure}: playing any legal action")
            return moves[0], ""
        self.margin.note((time.perf_counter() - planned) * 1000)
        score = f"{found.score / 100:+.2f}"
        if abs(found.score) > DECIDED:
            score = f"{'win' if found.score > 0 else 'loss'} in {WON - abs(found.score)}"
        return found.move, f" depth {found.depth}, score {score}"


def play_arena(game: str, margin: int, hash_mb: int, chat: bool) -> None:
    """Play until the end of the input."""
    began, lines = process_start(), Lines()
    bot, reader = Bot(game, margin, hash_mb, chat), TurnReader(game, lines)
    loaded = time.perf_counter()
    patience = None if os.isatty(0) else TURN[game] / 2000  # a person who types the lines has no clock
    turn = reader.read(patience)
    while turn is not None:
        bot.answer(turn, began if turn.at < loaded else turn.at)
        turn = reader.read(patience)


# ======== CodeAbbey: Generals ========


class InputError(Exception):
    """The input is not valid; the message says where."""


def read_generals() -> ShogiPosition:
    """Read a set-up and the moves after it, up to the line 0 0 0 0 if there is one, and return the position. Raises
    InputError if a line is not valid."""
    tables = Tables("generals")
    position: ShogiPosition | None = None
    for number, data in enumerate(sys.stdin.buffer, 1):
        words = " ".join(data.decode(errors="replace").split())
        try:
            if words and position is None:
                position = shogi_position(tables, words)
            elif position is not None and words == "0 0 0 0":
                break
            elif position is not None and words:
                moves = {position.name(move): move for move in position.pseudo_legal()}
                if words.upper() not in moves:
                    raise ValueError("the move is not legal here")
                position = position.after(moves[words.upper()])
        except ValueError as error:
            raise InputError(f"line {number}: {clip(words)}: {error}") from None
    if position is None:
        raise InputError("the set-up is missing")
    return position


def play_generals(movetime: int, hash_mb: int) -> None:
    """Read a game, search for `movetime` ms, and print the best move."""
    position = read_generals()
    moves, deadline = position.pseudo_legal(), time.perf_counter() + movetime / 1000
    if not moves or position.tables.king + WHITE * position.side not in position.board:
        raise InputError("the game is over: there is no move to find")
    captures = [move for move in moves if move & 63 == position.their_king]
    safe = captures or position.legal() or moves
    say(
        position.name(
            captures[0] if captures else Search("generals", hash_mb).think(position, safe, {}, 0, deadline).move
        )
    )


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """Return a function that reads a whole number within limits."""

    def read(text: str) -> int:
        if not re.fullmatch("[0-9]{1,8}", text) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"expected a whole number from {low} to {high}, not {text!r}")
        return int(text)

    return read


def main() -> None:
    """Read the options, and play."""
    parser = argparse.ArgumentParser(description="A bot for arenas that accept one file.", allow_abbrev=False)
    if not GAME:
        parser.add_argument("game", choices=GAMES)
    parser.add_argument("--hash", type=whole_number(1, 65536), default=HASH_MB, help="MB for searched positions")
    if GAME != "generals":
        margin = whole_number(0, 1000)
        parser.add_argument("--margin", type=margin, default=MARGIN, help="ms of each turn to leave unused")
        parser.add_argument("--chat", action="store_true", default=CHAT, help="answer with depth and score")
    if GAME not in TURN:
        movetime = whole_number(1, 3_600_000)
        parser.add_argument("--movetime", type=movetime, default=1000, help="ms for a move of Generals")
    given = parser.parse_args()
    game = GAME or given.game
    gc.disable()  # it could delay a turn, and there are no cycles of references
    try:
        if game in TURN:
            play_arena(game, given.margin, given.hash, given.chat)
        else:
            play_generals(given.movetime, given.hash)
    except InputError as error:
        complain(str(error))
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
