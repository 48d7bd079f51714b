"""Positions of 9x9 shogi in 32 bytes, as in YaneuraOu's PackedSfen.

The 256 bits, from the lowest bit of the first byte on, are: the side to move (1: White); the squares of Black's and
White's king, 7 bits each with the lowest first; the content of all other squares; the pieces in hand, Black's before
White's; and the pieces that are neither on the board nor in hand. Square 0 is 1a, square 1 is 1b, square 80 is 9i.

A piece on the board is its code, a bit that says whether it is promoted (not for golds), and a bit for its owner (1:
White). In hand, the first bit of the code is left out. A piece that is neither on the board nor in hand is written like
a promoted one in Black's hand, but a gold like a promoted silver in White's hand. So a complete set of pieces always
fills all bits.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from operator import itemgetter

SIZE = 32  # bytes
FILES = RANKS = 9
EMPTY = " "
SIDES = ("b", "w")
SET = {"P": 18, "L": 4, "N": 4, "S": 4, "G": 4, "B": 2, "R": 2}  # in the order of the pieces in hand
CODES = {"P": "10", "L": "1100", "N": "1101", "S": "1110", "G": "11110", "B": "111110", "R": "111111"}
_HANDS_OF_SFEN = "RBGSNLP"
_DIGIT, _CELL = re.compile("[1-9]"), re.compile(rf"\+?[A-Za-z]|{EMPTY}")
_HELD = re.compile(r"([0-9]{0,2})([A-Za-z])")
# Squares of the packed format, in the order in which an SFEN lists them.
_ORDER = [file * RANKS + rank for rank in range(RANKS) for file in reversed(range(FILES))]
_in_order = itemgetter(*_ORDER)


@cache
def _board_bits() -> dict[str, str]:
    """Return the bits of each piece on the board, by its letter in SFENs."""
    bits = {EMPTY: "0"}
    for letter, code in CODES.items():
        for side, piece in enumerate((letter, letter.lower())):
            bits[piece] = f"{code}{'' if letter == 'G' else 0}{side}"
            if letter != "G":
                bits[f"+{piece}"] = f"{code}1{side}"
    return bits


@cache
def _hand_bits() -> dict[str, str]:
    """Return the bits of each piece in hand; a piece that is not in the game has the letter and a `-` before it."""
    bits = {piece: code[1:] for piece, code in _board_bits().items() if piece.isalpha()}
    for letter, code in CODES.items():
        bits[f"-{letter}"] = f"{code[1:]}10" if letter != "G" else f"{CODES['S'][1:]}11"
    return bits


@cache
def _piece_of(in_hand: bool) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return a pattern of the bits of one piece, and a dictionary from these bits to pieces."""
    pieces = {bits: piece for piece, bits in (_hand_bits() if in_hand else _board_bits()).items()}
    return re.compile("|".join(pieces)), pieces


def packed(sfen: str) -> bytes:
    """Return the packed form of a position, without its move number. Raises ValueError if the SFEN is not a position of
    9x9 shogi, or has more pieces than a set."""
    board, turn, hands = sfen.split()[:3]
    spaced = _DIGIT.sub(lambda digit: EMPTY * int(digit[0]), board)
    rows = [_CELL.findall(row) for row in spaced.split("/")]
    is_shape = [len(row) for row in rows] == [FILES] * RANKS and "/".join(map("".join, rows)) == spaced
    if not is_shape or turn not in SIDES:
        raise ValueError(f"{board!r} is not a board of 9x9 shogi")
    cells = [EMPTY] * (FILES * RANKS)
    for square, piece in zip(_ORDER, chain(*rows)):
        cells[square] = piece
    kings = [[square for square, piece in enumerate(cells) if piece == king] for king in ("K", "k")]
    if any(len(on) != 1 for on in kings):
        raise ValueError("each side must have one king")
    held = _held(hands)
    known, in_hand = _board_bits(), _hand_bits()
    try:
        bits = [known[piece] for piece in cells if piece not in ("K", "k")]
    except KeyError as error:
        raise ValueError(f"9x9 shogi has no piece {error.args[0]!r}") from None
    for piece in (*SET, *(letter.lower() for letter in SET)):
        bits += [in_hand[piece]] * held.get(piece, 0)
    everything = "".join(cells).upper()
    for letter, total in SET.items():
        left = total - everything.count(letter) - held.get(letter, 0) - held.get(letter.lower(), 0)
        if left < 0:
            raise ValueError(f"there are more than {total} pieces {letter}")
        bits += [in_hand[f"-{letter}"]] * left
    first = "".join(f"{on[0]:07b}"[::-1] for on in kings)
    return int(f"{SIDES.index(turn)}{first}{''.join(bits)}"[::-1], 2).to_bytes(SIZE, "little")


def _held(hands: str) -> dict[str, int]:
    """Return how many of each piece are in hand."""
    held: dict[str, int] = {}
    found = [] if hands == "-" else _HELD.findall(hands)
    if hands != "-" and "".join(count + piece for count, piece in found) != hands:
        raise ValueError(f"{hands!r} are no pieces in hand")
    for count, piece in found:
        if piece.upper() not in SET:
            raise ValueError(f"9x9 shogi has no piece {piece!r} in hand")
        held[piece] = held.get(piece, 0) + int(count or 1)
    return held


def unpacked(data: bytes) -> str:
    """Return the position in 32 bytes as an SFEN without a move number. Raises ValueError if the bytes do not contain a
    position with a complete set of pieces."""
    bits = f"{int.from_bytes(data, 'little'):0{8 * SIZE}b}"[::-1]
    kings = int(bits[7:0:-1], 2), int(bits[14:7:-1], 2)
    if max(kings) >= FILES * RANKS or kings[0] == kings[1]:
        raise ValueError("the squares of the kings are impossible")
    pattern, pieces = _piece_of(in_hand=False)
    found = pattern.findall(bits, 15)[: FILES * RANKS - len(kings)]
    cells = [pieces[piece] for piece in found]
    for square, king in sorted(zip(kings, "Kk")):
        cells.insert(square, king)
    begin = 15 + len("".join(found))
    pattern, pieces = _piece_of(in_hand=True)
    found = pattern.findall(bits, begin)
    held = [pieces[piece] for piece in found]
    everything = "".join((*cells, *held)).upper()
    whole = len(cells) == FILES * RANKS and begin + len("".join(found)) == len(bits)
    if not whole or any(everything.count(letter) != total for letter, total in SET.items()):
        raise ValueError("the pieces are not a set of 9x9 shogi")
    ordered = _in_order(cells)
    board = "/".join(["".join(ordered[start : start + FILES]) for start in range(0, len(cells), FILES)])
    for width in range(FILES, 0, -1):
        board = board.replace(" " * width, str(width))
    hands = ""
    if held:
        for piece in (*_HANDS_OF_SFEN, *_HANDS_OF_SFEN.lower()):
            if count := held.count(piece):
                hands += f"{count if count > 1 else ''}{piece}"
    return f"{board} {SIDES[int(bits[0])]} {hands or '-'}"
