"""The static evaluation of Onitama: pieces and squares, cards, mobility, threats, network."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kogoma.eval.evaluate import LIMIT
from kogoma.eval.network import network
from kogoma.eval.types import Game
from kogoma.native.bitboard import ONE, ZERO, any_of, clear_lsb, lsb, popcount
from kogoma.native.kernel import kernel
from kogoma.native.types import IntArray
from kogoma.rules.layout import TYPE_MASK
from kogoma.rules.make_move import board_score
from kogoma.rules.onitama.moves import card_of, centre_card, reach
from kogoma.rules.types import Position, Score, Side


class Survey(NamedTuple):
    """The result of one walk over a side's pieces: two bitboards and a score."""

    attacked: Any  # squares attacked with the two cards in hand
    later: Any  # squares attacked with the card in the centre
    mobility: Any  # score of the moves with the two cards in hand


@kernel
def survey(game: Game, position: Position, side: Side) -> Any:
    """Walk over a side's pieces, and return the squares that they attack with the side's two cards, those that they
    would attack with the centre card, and the mobility score, as a `Survey`."""
    own = position.by_side[side]
    cards = position.cards[position.ply]
    steps = game.rules.steps[side]
    lower, higher, centre = card_of(cards, side, ZERO), card_of(cards, side, ONE), centre_card(cards)
    attacked, later = ZERO, ZERO
    mobility = np.int64(0)
    pieces = own
    while any_of(pieces):
        square = lsb(pieces)
        pieces = clear_lsb(pieces)
        kind = np.uint64(position.board[square]) & TYPE_MASK
        first, second = steps[lower, square], steps[higher, square]
        attacked |= first | second
        later |= steps[centre, square]
        mobility += game.weights.mobility[kind] * np.int64(popcount(first & ~own) + popcount(second & ~own))
    return Survey(attacked, later, mobility)


@kernel
def attack(game: Game, position: Position, side: Side, own: Survey, enemy: Survey) -> Score:
    """Return the score, in centipawns, of a side's threats: attacks on the squares around the enemy master and on
    students, and a threat to win by the next move. `own` is the survey of `side`, `enemy` that of its opponent."""
    weights = game.weights
    them = side ^ ONE
    turn = ONE if side == position.side else ZERO
    around = game.rules.around[np.uint64(position.king[them, ZERO])]
    score = weights.king_attack * np.int64(popcount(around & own.attacked))
    score += weights.king_attack_centre * np.int64(popcount(around & own.later))
    students = position.by_side[them] & ~position.by_type[game.rules.king] & own.attacked
    score += weights.hanging[turn] * np.int64(popcount(students & ~enemy.attacked))
    score += weights.exchange_offered[turn] * np.int64(popcount(students & enemy.attacked))
    if side != position.side and position.threat[position.ply] != 0:
        score += weights.threat
    return score


@kernel
def flight(game: Game, position: Position, side: Side, enemy: Survey) -> Score:
    """Return the score, in centipawns, for the number of safe squares to which a side's master can move. `enemy` is the
    opponent's survey."""
    ways = reach(game.rules, position.cards[position.ply], side, np.uint64(position.king[side, ZERO]), side)
    return game.weights.flight[popcount(ways & ~position.by_side[side] & ~enemy.attacked)]


@kernel
def survey_terms(game: Game, position: Position) -> Score:
    """Return the sum of all handcrafted terms but the running score and the tempo, in centipawns for the side to
    move."""
    us = position.side
    them = us ^ ONE
    own = survey(game, position, us)
    enemy = survey(game, position, them)
    score = own.mobility - enemy.mobility + game.weights.centre_card[centre_card(position.cards[position.ply])]
    score += attack(game, position, us, own, enemy) - attack(game, position, them, enemy, own)
    return score + flight(game, position, us, enemy) - flight(game, position, them, own)


@kernel
def evaluate(game: Game, position: Position) -> Score:
    """Return the static evaluation in centipawns for the side to move, between -LIMIT and LIMIT."""
    score = np.int64(position.score[position.ply])
    if position.side != 0:
        score = -score
    if game.weights.all_terms != 0:
        score += survey_terms(game, position)
    return max(-LIMIT, min(LIMIT, score + network(game, position) + game.weights.tempo))


@kernel
def write_terms(game: Game, position: Position, out: IntArray) -> None:
    """Write Black's and White's part of each term into `out`, in centipawns, in the order of
    `eval.explain.ONITAMA_TERMS`. The first term, the score of pieces on their squares, is a difference, Black minus
    White: it is written as Black's part, with 0 as White's."""
    weights = game.weights
    out[0] = board_score(game.rules, position)
    out[1] = 0
    out[2:10] = 0
    for index in range(2):
        side = np.uint64(index)
        out[10 + index] = network(game, position) if position.side == side else 0
        out[12 + index] = weights.tempo if position.side == side else 0
        if weights.all_terms == 0:
            continue
        own = survey(game, position, side)
        enemy = survey(game, position, side ^ ONE)
        out[2 + index] = own.mobility
        out[4 + index] = weights.centre_card[centre_card(position.cards[position.ply])] if position.side == side else 0
        out[6 + index] = attack(game, position, side, own, enemy)
        out[8 + index] = flight(game, position, side, enemy)
