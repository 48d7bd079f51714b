"""Static exchange evaluation: the material result of a series of captures on one square."""

from __future__ import annotations

import numpy as np

from kogoma.eval.types import Game
from kogoma.native.bitboard import ONE, any_of, clear_lsb, load_bb, lsb
from kogoma.native.kernel import kernel
from kogoma.native.types import Bitboard, Flag
from kogoma.rules.attacks import slide_attackers, step_attackers
from kogoma.rules.dispatch import by_game
from kogoma.rules.layout import TYPE_MASK
from kogoma.rules.move_encoding import DROP, ORIGIN_SHIFT, PASS, PROMOTION, SQUARE_MASK
from kogoma.rules.onitama.moves import attacked_by_hand
from kogoma.rules.types import Move, Position, Rules, Score, Side, Square

ROYAL = 30000  # the king captures last


@kernel
def attackers_of(rules: Rules, position: Position, side: Side, square: Square, occupied: Bitboard) -> Bitboard:
    """Return a bitboard of the pieces of `side` that attack `square`. Only pieces on `occupied` squares count."""
    stepping = step_attackers(rules, position, side, square)
    return (stepping | slide_attackers(rules, position, side, square, occupied)) & occupied


@kernel
def shogi_see_at_least(game: Game, position: Position, move: Move, threshold: Score) -> Flag:
    """Return whether the series of captures that `move` starts on its destination square wins at least `threshold`
    centipawns for the side to move."""
    rules, weights = game.rules, game.weights
    us = position.side
    to = move & SQUARE_MASK
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    occupied = load_bb(position.by_side, np.uint64(0)) | load_bb(position.by_side, ONE)
    balance = -threshold
    if move & DROP:
        kind = origin
        occupied = occupied | load_bb(rules.square, to)
    else:
        kind = np.uint64(position.board[origin]) & TYPE_MASK
        captured = np.uint64(position.board[to]) & TYPE_MASK
        balance += weights.exchange[captured]
        if move & PROMOTION:
            balance += weights.promotion_gain[kind]
            kind = rules.promoted[kind]
        occupied = (occupied | load_bb(rules.square, to)) & ~load_bb(rules.square, origin)
    if balance < 0:
        return False
    at_risk = weights.exchange[kind]
    if kind == rules.king:
        at_risk = np.int64(ROYAL)
    balance -= at_risk
    if balance >= 0:
        return True
    side = us ^ ONE
    while True:
        attackers = attackers_of(rules, position, side, to, occupied)
        if not any_of(attackers):
            return side != us
        cost = np.int64(ROYAL + 1)
        cheapest = np.uint64(0)
        while any_of(attackers):
            square = lsb(attackers)
            attackers = clear_lsb(attackers)
            kind = np.uint64(position.board[square]) & TYPE_MASK
            worth = weights.exchange[kind]
            if kind == rules.king:
                worth = np.int64(ROYAL)
            if worth < cost:
                cost = worth
                cheapest = square
        occupied = occupied & ~load_bb(rules.square, cheapest)
        side = side ^ ONE
        balance = -balance - np.int64(1) - cost
        if balance >= 0:
            return side != us


@kernel
def onitama_see_at_least(game: Game, position: Position, move: Move, threshold: Score) -> Flag:
    """Return whether `move`, after the best recapture with one of the opponent's cards, wins at least `threshold`
    centipawns. Further captures are not considered, because they need a card that is not known yet."""
    if move & PASS:
        return threshold <= 0
    to = move & SQUARE_MASK
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    balance = game.weights.exchange[np.uint64(position.board[to]) & TYPE_MASK] - threshold
    if balance < 0:
        return False
    kind = np.uint64(position.board[origin]) & TYPE_MASK
    at_risk = np.int64(ROYAL) if kind == game.rules.king else game.weights.exchange[kind]
    return balance >= at_risk or not attacked_by_hand(game.rules, position, position.side ^ ONE, to)


see_at_least = by_game(shogi_see_at_least, onitama_see_at_least)
