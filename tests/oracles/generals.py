"""The rules of CodeAbbey's Game of Generals in plain Python, written from the problem's statement.

https://www.codeabbey.com/index/task_view/game-of-generals. Rows are counted from the bottom and columns from the left,
both from 1. Black's pieces are upper case and move up, White's are lower case and move down. A move is `Y1 X1 Y2 X2`, a
drop is `! P Y2 X2`. There is no check: the king can be captured like any piece.
"""

from __future__ import annotations

import random

# The sample in the statement: a start position, moves, and the number of legal moves after each of them.
SET_UP = "ykcvsr/pppppp/6/6/PPPPPP/RSVCKY b"
SAMPLE = """\
2 6 3 6
5 5 4 5
2 4 3 4
6 5 5 5
2 3 3 3
6 4 6 5
3 3 4 3
5 6 4 6
3 6 4 6
4 5 3 5
2 5 3 5
5 4 4 4
3 4 4 4
5 3 4 3
! P 5 6"""
SAMPLE_COUNTS = "6 7 7 9 9 12 10 13 10 26 10 30 10 32 27"

SIZE = 6
Square = tuple[int, int]  # (row, column)

# The patterns of the statement. The piece is in the middle, and forward is up.
PATTERNS = {
    "K": "*** *K* ***",
    "G": "*** *G* -*-",
    "S": "*** -S- *-*",
    "C": "*** -C- -*-",
    "Y": "*-* -Y- -*-",
    "X": "*-* -X- *-*",
    "R": "-*- -R- *-*",
    "P": "-*- -P- ---",
    "T": "*** *T* -*-",
    "V": "-*- *V* -*-",
    "H": "-*- *H* -*-",
}
RANGING = {"V": [(1, 0), (-1, 0)], "H": [(0, 1), (0, -1)]}


def steps(letter: str) -> list[tuple[int, int]]:
    """Return the steps in a piece type's pattern, each as (rows forward, columns to the right)."""
    pattern = PATTERNS[letter].split()
    return [(1 - y, x - 1) for y, row in enumerate(pattern) for x, cell in enumerate(row) if cell == "*"]


class Game:
    """A position that `play` changes. `pockets` holds the pieces that Black and White have captured, in upper case."""

    def __init__(self, set_up: str) -> None:
        rows, side = set_up.split()
        self.board: dict[Square, str] = {}
        for y, row in enumerate(rows.split("/")):
            x = 1
            for letter in row:
                if letter.isdigit():
                    x += int(letter)
                else:
                    self.board[SIZE - y, x] = letter
                    x += 1
        self.white = side == "w"
        self.pockets: tuple[list[str], list[str]] = ([], [])

    def _mine(self, piece: str) -> bool:
        return piece.islower() == self.white

    def moves(self) -> list[str]:
        """Return all moves and drops of the side to move."""
        found = []
        for (y, x), piece in self.board.items():
            if not self._mine(piece):
                continue
            letter, forward = piece.upper(), -1 if self.white else 1
            for dy, dx in steps(letter):
                target = (y + dy * forward, x + dx)
                far = (dy, dx) in RANGING.get(letter, [])
                while 1 <= target[0] <= SIZE and 1 <= target[1] <= SIZE:
                    other = self.board.get(target)
                    if other is None or not self._mine(other):
                        found.append(f"{y} {x} {target[0]} {target[1]}")
                    if other is not None or not far:
                        break
                    target = (target[0] + dy * forward, target[1] + dx)
        for letter in sorted(set(self.pockets[self.white])):
            for y in range(1, SIZE + 1):
                for x in range(1, SIZE + 1):
                    if (y, x) not in self.board:
                        found.append(f"! {letter} {y} {x}")
        return found

    def captures_king(self, move: str) -> bool:
        """Return whether the move captures the enemy king."""
        words = move.split()
        return words[0] != "!" and self.board.get((int(words[2]), int(words[3])), "").upper() == "K"

    def play(self, move: str) -> None:
        """Play a legal move."""
        words = move.split()
        target = (int(words[2]), int(words[3]))
        pocket = self.pockets[self.white]
        if words[0] == "!":
            pocket.remove(words[1])
            self.board[target] = words[1].lower() if self.white else words[1]
        else:
            piece = self.board.pop((int(words[0]), int(words[1])))
            if target in self.board:
                pocket.append(self.board[target].upper().replace("T", "P"))
            if piece in "Pp" and target[0] == (1 if self.white else SIZE):
                piece = "t" if self.white else "T"
            self.board[target] = piece
        self.white = not self.white

    def copy(self) -> Game:
        """Return a copy of the position."""
        twin = Game("6/6/6/6/6/6 b")
        twin.board, twin.white = dict(self.board), self.white
        twin.pockets = (list(self.pockets[0]), list(self.pockets[1]))
        return twin


def random_set_up(rng: random.Random) -> str:
    """Return a random start position of the Game of Generals. Each side has six different pieces on its back row, and
    White's row is Black's row turned by 180 degrees."""
    row = ["K", *rng.sample("GSCYXRVH", 5)]
    rng.shuffle(row)
    back = "".join(row)
    return f"{back[::-1].lower()}/pppppp/6/6/PPPPPP/{back} b"
