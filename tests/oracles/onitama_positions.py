"""Positions of Onitama in plain Python, their moves, and a naive search.

Squares are (column, row), counted from 0 at a1. Moves are written as the engine writes them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from oracles.onitama import Square, steps


class Plain(NamedTuple):
    """A position: the pieces as in an SFEN, the cards of both sides and the card in the centre, and the side to
    move."""

    board: tuple[tuple[Square, str], ...]
    cards: tuple[tuple[int, ...], ...]
    turn: int


def plain_position(sfen: str) -> Plain:
    """Return the position that an SFEN describes."""
    board, turn, cards, _ = sfen.split()
    rows = re.sub("[1-5]", lambda digit: "." * int(digit[0]), board).split("/")
    pieces = {(x, 4 - row): cell for row, text in enumerate(rows) for x, cell in enumerate(text) if cell != "."}
    hands = [tuple(int(card) for card in hand.split(",")) for hand in cards.split("/")]
    return Plain(tuple(sorted(pieces.items())), tuple(hands), "bw".index(turn))


def plain_moves(position: Plain) -> list[tuple[str, Plain, bool]]:
    """Return every legal move as a tuple: the move as text, the position after the move, and whether the move wins."""
    board, cards, turn = dict(position.board), position.cards, position.turn
    found: list[tuple[str, Plain, bool]] = []
    own = {square for square, piece in board.items() if piece.islower() == bool(turn)}

    def after(card: int) -> tuple[tuple[int, ...], ...]:
        hand = tuple(cards[2][0] if held == card else held for held in cards[turn])
        return (cards[0], hand, (card,)) if turn else (hand, cards[1], (card,))

    for card in cards[turn]:
        for x, y in own:
            for dx, dy in steps(card, turn):
                to = (x + dx, y + dy)
                if min(to) < 0 or max(to) > 4 or to in own:
                    continue
                left = {square: piece for square, piece in board.items() if square != (x, y)} | {to: board[x, y]}
                wins = board.get(to, "").upper() == "M" or (board[x, y].upper() == "M" and to == (2, 0 if turn else 4))
                name = f"{card}:{'abcde'[x]}{y + 1}{'abcde'[to[0]]}{to[1] + 1}"
                found.append((name, Plain(tuple(sorted(left.items())), after(card), 1 - turn), wins))
    passes = [(f"{card}:pass", Plain(position.board, after(card), 1 - turn), False) for card in cards[turn]]
    return found or passes


def forced_win(position: Plain, plies: int) -> int | None:
    """Return the number of plies that the side to move needs to force a win, or None if it needs more than `plies`."""
    moves = plain_moves(position)
    if any(wins for _, _, wins in moves):
        return 1 if plies >= 1 else None
    for limit in range(3, plies + 1, 2):
        if any(forced_loss(after, limit - 1) is not None for _, after, _ in moves):
            return limit
    return None


def forced_loss(position: Plain, plies: int) -> int | None:
    """Return the number of plies after which the side to move is forced to lose, or None if it is more than `plies`."""
    longest = 0
    moves = plain_moves(position)
    if any(wins for _, _, wins in moves):
        return None
    for _, after, _ in moves:
        found = forced_win(after, plies - 1)
        if found is None:
            return None
        longest = max(longest, found + 1)
    return longest


def plain_sfen(position: Plain, number: int = 1) -> str:
    """Return a position as SFEN. `number` is that of the next move."""
    board = dict(position.board)
    rows = ["".join(board.get((x, y), ".") for x in range(5)) for y in reversed(range(5))]
    text = re.sub(r"\.+", lambda blank: str(len(blank[0])), "/".join(rows))
    cards = "/".join(",".join(map(str, sorted(hand))) for hand in position.cards)
    return f"{text} {'bw'[position.turn]} {cards} {number}"
