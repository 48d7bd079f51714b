"""The notation of positions and moves in CodeAbbey's problem 469, Game of Generals.

https://www.codeabbey.com/index/task_view/game-of-generals: a position is an SFEN of board, side to move and, if not
empty, the hands; a tokin is T. A move is `Y1 X1 Y2 X2`: rows count from the bottom, columns from the left. A drop
is `! P Y2 X2`. `0 0 0 0` ends the moves.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection

SIZE = 6
ROWS = "fedcba"  # USI's ranks, from the bottom
CLOSING = "0 0 0 0"
OFFICERS = "GSCYXRVH"  # five of them stand in the king's row
ACTION = re.compile(r"[1-6]( [1-6]){3}|! [A-Za-z]( [1-6]){2}")


def random_set_up(rng: random.Random) -> str:
    """Return a random start position as SFEN: the king and five different officers behind the pawns. White's side is
    Black's, rotated by 180 degrees."""
    row = rng.sample(["K", *rng.sample(OFFICERS, 5)], 6)
    return f"{''.join(reversed(row)).lower()}/pppppp/6/6/PPPPPP/{''.join(row)} b"


def to_usi(text: str, legal: Collection[str]) -> str:
    """Convert the move `text` from CodeAbbey's notation to USI. Raises ValueError unless it is in `legal`."""
    words = " ".join(text.split())
    if not ACTION.fullmatch(words):
        raise ValueError(f"expected a move 'Y1 X1 Y2 X2', a drop '! P Y2 X2', or '{CLOSING}'")
    # The notation omits `+`. If a piece may promote, but need not, the shorter move is meant.
    found = [usi for usi in sorted(legal, key=len) if from_usi(usi) == words.upper()]
    if not found:
        raise ValueError("the move is not legal here")
    return found[0]


def from_usi(usi: str) -> str:
    """Convert a USI move to CodeAbbey's notation."""
    if usi[1] == "*":
        return f"! {usi[0]} {_numbers(usi[2:4])}"
    return f"{_numbers(usi[:2])} {_numbers(usi[2:4])}"


def to_sfen(text: str) -> str:
    """Convert a position from CodeAbbey's notation to the engine's SFEN. The tokin T becomes +P."""
    board, *rest = text.split() or [""]
    return " ".join([board.replace("T", "+P").replace("t", "+p"), *rest])


def from_sfen(sfen: str) -> str:
    """Convert the engine's SFEN to CodeAbbey's notation, which writes T for the tokin +P, and has no `-` for empty
    hands and no move number."""
    board, turn, pockets, _ = sfen.split()
    return " ".join([board.replace("+P", "T").replace("+p", "t"), turn, pockets.replace("-", "")]).rstrip()


def _numbers(square: str) -> str:
    return f"{ROWS.index(square[1]) + 1} {SIZE + 1 - int(square[0])}"
