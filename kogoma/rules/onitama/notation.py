"""The notation of Onitama: SFEN with cards, and moves as `10:b1b3` (card, origin, destination) or `10:pass`.

Squares are named as on CodinGame: `a1` is the bottom-left corner as player 0 sees the board.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kogoma.rules.move_encoding import CARD, ORIGIN_SHIFT, PASS, SQUARE_MASK
from kogoma.rules.move_text import ONITAMA_MOVE
from kogoma.rules.notation import SIDE_NAMES, SIDES, parse_board, parse_number, parse_turn, write_board
from kogoma.rules.onitama_cards import CARDS, HELD, IN_PLAY
from kogoma.rules.variants import Variant


@dataclass
class OnitamaSetup:
    """The content of an SFEN. `board` holds side << 4 | type per square, 0 if empty; `cards` are the numbers of Black's
    two, White's two (ascending) and the one in the centre."""

    board: list[int]
    cards: list[int]
    turn: int = 0
    number: int = 1  # of the next move, counted from 1


def pack(cards: list[int]) -> int:
    """Pack card numbers into one integer, four bits each, as in the field `cards` of the position struct."""
    return sum(card << 4 * place for place, card in enumerate(cards))


def unpack(word: int) -> list[int]:
    """Return the card numbers packed in `word`, the reverse of `pack`."""
    return [word >> 4 * place & 15 for place in range(IN_PLAY)]


def swapped(cards: list[int], side: int, index: int) -> list[int]:
    """Return the cards after `side` has used its lower card (`index` 0) or its higher card (`index` 1)."""
    after = cards.copy()
    place = HELD * side + index
    after[place], after[-1] = after[-1], after[place]
    after[HELD * side : HELD * side + HELD] = sorted(after[HELD * side : HELD * side + HELD])
    return after


def square_name(variant: Variant, square: int) -> str:
    """Return the name of a square: "a1" for the bottom-left corner."""
    row, column = divmod(square, variant.files)
    return f"{chr(ord('a') + column)}{variant.ranks - row}"


def move_to_text(variant: Variant, move: int, cards: list[int], side: int) -> str:
    """Return the text of `move`, a move code of `side`. `cards` are the cards before the move."""
    card = cards[HELD * side + bool(move & int(CARD))]
    if move & int(PASS):
        return f"{card}:pass"
    origin = move >> int(ORIGIN_SHIFT) & int(SQUARE_MASK)
    return f"{card}:{square_name(variant, origin)}{square_name(variant, move & int(SQUARE_MASK))}"


def text_to_move(variant: Variant, text: str, cards: list[int], side: int) -> int:
    """Return the code of a move, which need not be legal. Raises ValueError if it cannot be a move of `side`."""
    found = ONITAMA_MOVE.fullmatch(text)
    if not found:
        raise ValueError(f"illegal move {text[:20]!r}: not a move like 10:b1b3 or 10:pass")
    hand = cards[HELD * side : HELD * side + HELD]
    if int(found[1]) not in hand:
        raise ValueError(f"illegal move {text!r}: {SIDE_NAMES[side]} has the cards {hand[0]} and {hand[1]}")
    code = int(CARD) * hand.index(int(found[1]))
    if found[2] is None:
        return code | int(PASS)
    columns = [ord(letter) - ord("a") for letter in (found[2], found[4])]
    rows = [variant.ranks - int(digit) for digit in (found[3], found[5])]
    if max(columns) >= variant.files or min(rows) < 0:
        raise ValueError(f"illegal move {text!r}: no such square")
    origin, to = (row * variant.files + column for row, column in zip(rows, columns))
    return code | origin << int(ORIGIN_SHIFT) | to


def parse_onitama(text: str, variant: Variant) -> OnitamaSetup:
    """Return the set-up that an SFEN of Onitama describes. The move number may be missing. Raises ValueError if the
    SFEN is invalid."""
    words = text.split()
    if not 3 <= len(words) <= 4:
        raise ValueError(f"sfen: 4 fields expected (board, turn, cards, move number), not {len(words)}")
    board = parse_board(words[0], variant)
    number = parse_number(words[3] if len(words) > 3 else "1")
    setup = OnitamaSetup(board, _parse_cards(words[2]), parse_turn(words[1]), number)
    _check_pieces(setup, variant)
    return setup


def _parse_cards(text: str) -> list[int]:
    found = re.fullmatch(r"([0-9]{1,2}),([0-9]{1,2})/([0-9]{1,2}),([0-9]{1,2})/([0-9]{1,2})", text)
    if not found:
        raise ValueError(f"sfen: cannot read the cards {text[:40]!r}: they are written like 12,14/7,11/13")
    cards = [int(card) for card in found.groups()]
    if max(cards) >= len(CARDS) or len(set(cards)) < IN_PLAY:
        raise ValueError(f"sfen: five different cards from 0 to {len(CARDS) - 1} expected, not {text}")
    return [*sorted(cards[:2]), *sorted(cards[2:4]), cards[4]]


def _check_pieces(setup: OnitamaSetup, variant: Variant) -> None:
    """Raises ValueError if a side has too many pieces, or if the side to move has already won."""
    student, master = variant.letters["S"], variant.letters["M"]
    students = variant.start.split()[0].count("S")
    for side, name in enumerate(SIDE_NAMES):
        masters = setup.board.count(side << 4 | master)
        if masters > 1:
            raise ValueError(f"sfen: {name} has {masters} masters")
        if setup.board.count(side << 4 | student) > students:
            raise ValueError(f"sfen: {name} has more than {students} students")
        if not masters and side != setup.turn:
            raise ValueError(f"sfen: {name}'s master is captured, but {SIDE_NAMES[1 - side]} is to move")
    own_goal = variant.files // 2 if setup.turn == 0 else variant.squares - 1 - variant.files // 2
    if setup.board[own_goal] == setup.turn << 4 | master:
        name = SIDE_NAMES[setup.turn]
        raise ValueError(f"sfen: {name} is to move, but has already won: the master is on the opponent's shrine")


def write_onitama(setup: OnitamaSetup, variant: Variant) -> str:
    """Return the SFEN of a set-up, with the cards of Black, White and the centre, and the move number."""
    cards = "{},{}/{},{}/{}".format(*setup.cards)
    return f"{write_board(setup.board, variant)} {SIDES[setup.turn]} {cards} {setup.number}"
