"""Read, validate and write SFEN positions and USI moves.

Squares are named as in USI: file 1 is the right-most as Black sees the board, rank `a` the top one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from kogoma.rules.geometry import home, walk
from kogoma.rules.layout import HAND_LIMIT
from kogoma.rules.move_encoding import DROP, ORIGIN_SHIFT, PROMOTION, SQUARE_MASK
from kogoma.rules.move_text import USI_MOVE
from kogoma.rules.variants import Variant, can_be_held

SIDES = ("b", "w")
SIDE_NAMES = ("Black", "White")
_CELL = re.compile(r"[0-9]+|\+?[A-Za-z]")
_TO, _FROM, _DROP, _PROMOTED = int(SQUARE_MASK), int(ORIGIN_SHIFT), int(DROP), int(PROMOTION)
_HELD = re.compile(r"([0-9]*)([A-Za-z])")


@dataclass
class Setup:
    """The content of an SFEN. `board` holds side << 4 | type per square, 0 if empty; `hands[side][type]` holds
    counts."""

    board: list[int]
    hands: list[list[int]]
    turn: int = 0
    number: int = 1  # of the next move, counted from 1


@cache
def _names(files: int) -> list[str]:
    return [f"{file}{rank}" for rank in "abcdefghi" for file in range(files, 0, -1)]


def square_name(variant: Variant, square: int) -> str:
    """Return the USI name of a square: "5e" for the bottom-left corner of a 5x5 board."""
    return _names(variant.files)[square]


def parse_square(variant: Variant, text: str) -> int:
    """Return the number of the square with the USI name `text`. Raises ValueError if the board does not have it."""
    if re.fullmatch("[1-9][a-z]", text):
        column, row = variant.files - int(text[0]), ord(text[1]) - ord("a")
        if column >= 0 and row < variant.ranks:
            return row * variant.files + column
    raise ValueError(f"no square {text!r} on a board of {variant.files} files and {variant.ranks} ranks")


def move_to_usi(variant: Variant, move: int) -> str:
    """Return a move code in USI notation: "2e3d", "2b2a+", "P*3c". A move that turns a promoted piece back into an
    unpromoted one (Kyoto shogi) is written with "+" as well."""
    names, to, origin = _names(variant.files), move & _TO, move >> _FROM & _TO
    if move & _DROP:
        return f"{variant.pieces[origin - 1].letter}*{names[to]}"
    return names[origin] + names[to] + ("+" if move & _PROMOTED else "")


def usi_to_move(variant: Variant, usi: str) -> int:
    """Return the code of a USI move, which need not be legal. Raises ValueError if the text is not a USI move of the
    variant. A final "-" means the same as "+"."""
    if not (found := USI_MOVE.fullmatch(usi)):
        raise ValueError(f"illegal move {usi[:20]!r}: not a USI move")
    letter, origin, to, promotion = found.groups()
    try:
        code = parse_square(variant, to)
        if origin:
            return code | parse_square(variant, origin) << _FROM | (_PROMOTED if promotion else 0)
    except ValueError as error:
        raise ValueError(f"illegal move {usi!r}: {error}") from None
    if letter not in variant.letters or promotion:
        raise ValueError(f"illegal move {usi!r}: no such drop")
    return code | variant.letters[letter] << int(ORIGIN_SHIFT) | int(DROP)


def parse_sfen(text: str, variant: Variant) -> Setup:
    """Return the set-up that an SFEN describes. Turn, hands and move number are optional. Raises ValueError with the
    invalid field in its message."""
    words = text.split()
    if not 1 <= len(words) <= 4:
        raise ValueError(f"sfen: 4 fields expected (board, turn, hands, move number), not {len(words)}")
    board = parse_board(words[0], variant)
    turn = parse_turn(words[1] if len(words) > 1 else "b")
    hands = _parse_hands(words[2] if len(words) > 2 else "-", variant)
    number = parse_number(words[3]) if len(words) > 3 else first_number(board, hands, variant)
    setup = Setup(board, hands, turn, number)
    _check_pieces(setup, variant)
    if variant.placements:
        _check_placements(setup, variant)
    return setup


def first_number(board: list[int], hands: list[list[int]], variant: Variant) -> int:
    """Return the move number of a position that does not state it. It is 1 or, in a variant with a placement phase,
    that of the first move after it. If a king is in hand, the number follows from how many pieces have been placed."""
    royal = next(variant.letters[piece.letter] for piece in variant.pieces if piece.royal)
    if not any(hand[royal] for hand in hands):
        return variant.placements + 1
    return max(1 + sum(map(bool, board)) - sum(map(bool, start_setup(variant).board)), 1)


def parse_turn(text: str) -> int:
    """Return the side to move. Raises ValueError if the text is neither b nor w."""
    if text not in SIDES:
        raise ValueError(f"sfen: the side to move must be b or w, not {text[:20]!r}")
    return SIDES.index(text)


def parse_number(text: str) -> int:
    """Return the move number of an SFEN. Raises ValueError if it is not a positive integer of at most 9 digits."""
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) < 1:
        raise ValueError(f"sfen: the move number must be a whole number, at least 1, not {text[:20]!r}")
    return int(text)


def parse_board(text: str, variant: Variant) -> list[int]:
    """Read the board field of an SFEN and return the `board` of a `Setup`. Raises ValueError with the invalid rank in
    its message."""
    rows = text.split("/")
    if len(rows) != variant.ranks:
        raise ValueError(f"sfen: {variant.ranks} ranks expected, not {len(rows)}")
    board: list[int] = []
    for name, row in zip("abcdefghijklmnopqrstuvwxyz", rows):
        cells = _CELL.findall(row)
        if "".join(cells) != row:
            raise ValueError(f"sfen: cannot read rank {name}: {row[:40]!r}")
        wide = 0
        for cell in cells:
            if cell.isdigit():
                wide += int(cell[:4])
                board += [0] * min(int(cell[:4]), variant.files)
            else:
                wide += 1
                board.append(_piece(cell, variant))
        if wide != variant.files:
            raise ValueError(f"sfen: rank {name} is {wide} squares wide, not {variant.files}")
    return board


def _piece(cell: str, variant: Variant) -> int:
    number = variant.letters.get(cell.upper())
    if number is None:
        raise ValueError(f"sfen: unknown piece letter {cell!r}")
    return (16 if cell[-1].islower() else 0) | number


def _parse_hands(text: str, variant: Variant) -> list[list[int]]:
    hands = [[0] * (len(variant.pieces) + 1) for _ in SIDES]
    if text == "-":
        return hands
    held = _HELD.findall(text)
    if "".join(count + letter for count, letter in held) != text:
        raise ValueError(f"sfen: cannot read the hands {text[:40]!r}")
    for count, letter in held:
        number = variant.letters.get(letter.upper())
        if number is None or not can_be_held(variant, variant.pieces[number - 1]):
            raise ValueError(f"sfen: a piece {letter!r} cannot be in hand")
        if count and not 1 <= int(count[:4]) <= HAND_LIMIT:
            raise ValueError(f"sfen: a hand cannot hold {count[:20]} pieces {letter!r}")
        hands[letter.islower()][number] += int(count or 1)
    return hands


def _check_pieces(setup: Setup, variant: Variant) -> None:
    """Raise ValueError for a wrong number of kings or pieces, or a piece that can never move. One of the kings may be
    missing, as in mate problems, except in variants won by capturing the king. Pawns may share a file, as in composed
    positions: `most_per_file` is a rule about drops."""
    letters, missing = variant.letters, sides_without_king(setup, variant)
    if len(missing) == 2 and setup.number > variant.placements:
        raise ValueError("sfen: neither side has a king")
    if missing and variant.king_capture:
        raise ValueError(f"sfen: {missing[0]} has no king")
    for side, name in enumerate(SIDE_NAMES):
        for piece in variant.pieces:
            code = side << 4 | letters[piece.letter]
            on = [square for square, cell in enumerate(setup.board) if cell == code]
            if piece.royal and len(on) > 1:
                raise ValueError(f"sfen: {name} has {len(on)} kings")
            stuck = [
                square for square in on if not any(walk(variant, square, side, way, 1) for way in piece.directions)
            ]
            if stuck and not variant.drop_anywhere:
                raise ValueError(f"sfen: {name}'s {piece.letter} on {square_name(variant, stuck[0])} can never move")
    for piece in variant.pieces:
        if not can_be_held(variant, piece):
            continue
        faces = {letters[face] for face in (piece.letter, piece.promotes_to) if face}
        total = sum(cell & 15 in faces for cell in setup.board) + sum(
            hand[letters[piece.letter]] for hand in setup.hands
        )
        if total > (limit := most_pieces(variant, piece.letter)):
            raise ValueError(f"sfen: too many pieces {piece.letter}: {total}, where the game has {limit}")


def _check_placements(setup: Setup, variant: Variant) -> None:
    """Raise ValueError if the board or the hands of a set-up contradict its move number, which tells whether pieces are
    still to be placed."""
    letters = variant.letters
    groups = [[letters[letter] for letter in group] for group in variant.choices]
    if setup.number > variant.placements:
        _check_after_placements(setup, variant, groups)
    else:
        _check_while_placing(setup, variant, groups)


def _check_after_placements(setup: Setup, variant: Variant, groups: list[list[int]]) -> None:
    """Raise ValueError if a king is in hand, or if there are pieces that had to leave the game."""
    letters = variant.letters
    royal = next(letters[piece.letter] for piece in variant.pieces if piece.royal)
    for side, name in enumerate(SIDE_NAMES):
        if setup.hands[side][royal]:
            text = f"move number {setup.number} comes after the placements, but {name}'s king is in hand"
            raise ValueError(f"sfen: {text}")
    cells = [letters[variant.pieces[(cell & 15) - 1].letter[-1]] for cell in setup.board if cell]
    for group in groups:
        total = sum(cell in group for cell in cells) + sum(hand[kind] for hand in setup.hands for kind in group)
        if total > len(SIDES):
            names = " and ".join(variant.pieces[kind - 1].letter for kind in group)
            raise ValueError(f"sfen: too many pieces {names}: {total}, where the game has {len(SIDES)}")


def _check_while_placing(setup: Setup, variant: Variant, groups: list[list[int]]) -> None:
    """Raise ValueError unless the board is that of the start position with as many pieces on the players' first ranks
    as the move number says, and the other pieces are in hand."""
    start = start_setup(variant)
    wrong = f"sfen: move number {setup.number} is in the placement phase, in which"
    turn = (start.turn + setup.number - 1) % 2
    if setup.turn != turn:
        raise ValueError(f"{wrong} {SIDE_NAMES[turn]} is then to move")
    left = [list(hand) for hand in start.hands]
    placed = [0, 0]
    for square, (cell, first) in enumerate(zip(setup.board, start.board)):
        if cell == first:
            continue
        side, kind = cell >> 4, cell & 15
        if first or square not in home(variant, side) or not left[side][kind]:
            raise ValueError(f"{wrong} {square_name(variant, square)} must be as in the start position")
        placed[side] += 1
        left[side][kind] -= 1
        for group in groups:
            if kind in group:
                for other in group:
                    left[side][other] = 0
    for side, name in enumerate(SIDE_NAMES):
        expected = (setup.number - 1 + (side == start.turn)) // 2
        if placed[side] != expected:
            raise ValueError(f"{wrong} the number of {name}'s placed pieces is {expected}, not {placed[side]}")
        if setup.hands[side] != left[side]:
            text = hand_text(variant, left[side], side) or "nothing"
            raise ValueError(f"{wrong} {name} then has in hand {text}")


@cache
def start_setup(variant: Variant) -> Setup:
    """Return the set-up of a variant's start position."""
    words = variant.start.split()
    return Setup(parse_board(words[0], variant), _parse_hands(words[2], variant), parse_turn(words[1]))


def sides_without_king(setup: Setup, variant: Variant) -> list[str]:
    """Return the names of the sides that have no king on the board."""
    royal = next(variant.letters[piece.letter] for piece in variant.pieces if piece.royal)
    return [name for side, name in enumerate(SIDE_NAMES) if side << 4 | royal not in setup.board]


def most_pieces(variant: Variant, letter: str) -> int:
    """Return how many pieces with this letter both sides together may have in a position of the variant."""
    return HAND_LIMIT if variant.any_set_up else pieces_of(variant, letter)


def pieces_of(variant: Variant, letter: str) -> int:
    """Return how many pieces with this letter both sides together have in the variant's start position."""
    board, _, *hands = variant.start.upper().split()
    held = re.findall(rf"([0-9]*){re.escape(letter)}", hands[0]) if hands and not letter.startswith("+") else []
    return board.count(letter) + sum(int(count or 1) for count in held)


def write_sfen(setup: Setup, variant: Variant) -> str:
    """Return the SFEN of a set-up. Pieces in hand are in the reverse order of `Variant.pieces`, Black's before
    White's."""
    hands = "".join(hand_text(variant, setup.hands[side], side) for side in (0, 1)) or "-"
    return f"{write_board(setup.board, variant)} {SIDES[setup.turn]} {hands} {setup.number}"


def write_board(board: list[int], variant: Variant) -> str:
    """Return the board field of an SFEN."""
    rows = []
    for row in range(variant.ranks):
        cells = board[row * variant.files : (row + 1) * variant.files]
        text = "".join(piece_letter(variant, cell) or " " for cell in cells)
        rows.append(re.sub(" +", lambda blank: str(len(blank[0])), text))
    return "/".join(rows)


def piece_letter(variant: Variant, cell: int) -> str:
    """Return the SFEN letter of a board cell: "+p" for White's tokin, "" for an empty square."""
    if not cell:
        return ""
    letter = variant.pieces[(cell & 15) - 1].letter
    return letter.lower() if cell >> 4 else letter


def board_lines(variant: Variant, board: list[int], labels: Iterable[str]) -> list[str]:
    """Return a text diagram of the board, with a label after each row."""
    edge = "+" + "---+" * variant.files
    lines = [edge]
    for row, label in enumerate(labels):
        cells = board[row * variant.files : (row + 1) * variant.files]
        lines += ["".join(f"|{piece_letter(variant, cell):>2} " for cell in cells) + f"| {label}", edge]
    return lines


def hand_order(variant: Variant) -> str:
    """Return the letters of the pieces in the order in which hands are written."""
    return "".join(piece.letter for piece in reversed(variant.pieces) if len(piece.letter) == 1)


def hand_text(variant: Variant, hand: list[int], side: int) -> str:
    """Return a hand as in an SFEN: "R2P" for Black, "r2p" for White, "" if empty."""
    text = ""
    for number in range(len(variant.pieces), 0, -1):
        if hand[number]:
            text += (str(hand[number]) if hand[number] > 1 else "") + variant.pieces[number - 1].letter
    return text.lower() if side else text
