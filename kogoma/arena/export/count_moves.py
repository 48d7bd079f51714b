"""A solution of CodeAbbey's problem 469, Game of Generals, in plain Python: the file that `export codeabbey` writes.

Rows count from the bottom and columns from the left, both from 1. Black's letters are upper case and move up, White's
lower case and move down. A move is `Y1 X1 Y2 X2`, a drop `! P Y2 X2`. Moves that leave the king in check are legal.
"""

from __future__ import annotations

import argparse
import sys

if sys.version_info < (3, 9):  # noqa: UP036 (an exported file does not choose its Python)
    sys.exit(f"this file needs Python 3.9 or newer, not {sys.version_info[0]}.{sys.version_info[1]}")

SIZE = 6
Square = tuple[int, int]  # (row, column)

# (columns to the right, rows ahead) as the piece's owner sees the board: single steps, then slides.
DIAGONALS, GOLD = [(-1, 1), (1, 1), (-1, -1), (1, -1)], [(0, 1), (0, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)]
STEPS = {
    "P": [(0, 1)],
    "Y": [(-1, 1), (1, 1), (0, -1)],
    "R": [(-1, -1), (1, -1), (0, 1)],
    "C": [(0, 1), (-1, 1), (1, 1), (0, -1)],
    "X": DIAGONALS,
    "S": [*DIAGONALS, (0, 1)],
    "G": GOLD,
    "V": [(-1, 0), (1, 0)],
    "H": [(0, 1), (0, -1)],
    "K": [*GOLD, (-1, -1), (1, -1)],
    "T": GOLD,
}
SLIDES = {"V": [(0, 1), (0, -1)], "H": [(-1, 0), (1, 0)]}
PROMOTES = {"P": "T"}


class Game:
    """A position: `board` maps occupied squares to letters, `pockets` are the hands of Black and White."""

    def __init__(self, set_up: str) -> None:
        rows, side, *_ = set_up.split()
        self.board: dict[Square, str] = {}
        for row, letters in zip(range(SIZE, 0, -1), rows.split("/")):
            column = 1
            for letter in letters:
                if letter.isdigit():
                    column += int(letter)
                else:
                    self.board[row, column] = letter
                    column += 1
        self.white = side == "w"
        self.pockets: tuple[list[str], list[str]] = ([], [])

    def is_own(self, letter: str) -> bool:
        """Return whether a piece belongs to the side to move."""
        return letter.islower() == self.white

    def targets(self, square: Square) -> list[Square]:
        """Return the squares to which the piece on `square` can move."""
        letter = self.board[square].upper()
        forward = -1 if self.white else 1
        found = []
        for steps, longest in ((STEPS, 1), (SLIDES, SIZE)):
            for right, ahead in steps.get(letter, []):
                row, column = square
                for _ in range(longest):
                    row, column = row + forward * ahead, column + forward * right
                    if not (1 <= row <= SIZE and 1 <= column <= SIZE):
                        break
                    other = self.board.get((row, column))
                    if other is None or not self.is_own(other):
                        found.append((row, column))
                    if other is not None:
                        break
        return found

    def count_moves(self) -> int:
        """Return the number of moves and drops of the side to move. Drops of equal pieces on the same square count
        once."""
        moves = sum(len(self.targets(square)) for square, letter in self.board.items() if self.is_own(letter))
        empty = SIZE * SIZE - len(self.board)
        return moves + empty * len(set(self.pockets[self.white]))

    def play(self, move: str) -> None:
        """Play a move or a drop."""
        first, second, row, column = move.split()
        target = (int(row), int(column))
        pocket = self.pockets[self.white]
        if first == "!":
            letter = second.upper()
            pocket.remove(letter)
        else:
            letter = self.board.pop((int(first), int(second))).upper()
            if target in self.board:
                captured = self.board[target].upper()
                # A captured piece is demoted.
                pocket.append(next((plain for plain, better in PROMOTES.items() if better == captured), captured))
            if target[0] == (1 if self.white else SIZE):
                letter = PROMOTES.get(letter, letter)
        self.board[target] = letter.lower() if self.white else letter
        self.white = not self.white


def main() -> None:
    """Read a set-up and moves up to `0 0 0 0`, and print the number of legal moves after each move."""
    argparse.ArgumentParser(description="Counts moves in the Game of Generals on standard input.").parse_args()
    lines = (" ".join(line.split()) for line in sys.stdin)
    set_up, *moves = [line for line in lines if line]
    game = Game(set_up)
    counts = []
    for move in moves:
        if move == "0 0 0 0":
            break
        game.play(move)
        counts.append(game.count_moves())
    print(*counts)


if __name__ == "__main__":
    main()
