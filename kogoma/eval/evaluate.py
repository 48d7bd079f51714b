"""The static evaluation of shogi: running score, mobility, king danger, hanging pieces, network."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kogoma.eval.network import network
from kogoma.eval.types import Game
from kogoma.native.bitboard import ONE, ZERO, any_of, clear_lsb, empty_like, load_bb, lsb, popcount
from kogoma.native.kernel import kernel
from kogoma.native.types import IntArray
from kogoma.rules.attacks import attacks
from kogoma.rules.layout import TYPE_MASK
from kogoma.rules.make_move import running_score
from kogoma.rules.types import Position, Rules, Score, Side

LIMIT = 20000  # maximum of the static evaluation in centipawns; scores of mates are higher


class Survey(NamedTuple):
    """The result of one walk over a side's pieces: two bitboards and three scores."""

    attacked: Any  # squares attacked by any piece
    guarded: Any  # squares attacked by any piece but the king
    mobility: Any  # score of the squares that each piece can move to
    promotion: Any  # score of pieces that can promote by their next move
    pressure: Any  # danger from attacks on the squares around the enemy king


@kernel
def king_zone(rules: Rules, position: Position, side: Side) -> Any:
    """Return a bitboard of the square of a side's king and the squares next to it."""
    king = np.uint64(position.king[side, ZERO])
    return load_bb(rules.steps, side, king, rules.king) | load_bb(rules.square, king)


@kernel
def survey(game: Game, position: Position, side: Side) -> Any:
    """Walk over a side's pieces, and return the squares that they attack and the scores of their mobility, promotion
    threats and attacks near the enemy king, as a `Survey`."""
    rules, weights = game.rules, game.weights
    own = load_bb(position.by_side, side)
    occupied = own | load_bb(position.by_side, side ^ ONE)
    zone = king_zone(rules, position, side ^ ONE)
    promotion_zone = load_bb(rules.zone, side)
    king = np.uint64(position.king[side, ZERO])
    guarded = empty_like(own)
    mobility = np.int64(0)
    promotion = np.int64(0)
    pressure = np.int64(0)
    pieces = own & ~load_bb(position.by_type, rules.king)
    while any_of(pieces):
        square = lsb(pieces)
        pieces = clear_lsb(pieces)
        kind = np.uint64(position.board[square]) & TYPE_MASK
        reach = attacks(rules, side, kind, square, occupied)
        guarded = guarded | reach
        mobility += weights.mobility[kind] * np.int64(popcount(reach & ~own))
        pressure += weights.king_attack[kind] * np.int64(popcount(reach & zone))
        if any_of(reach & ~own & promotion_zone) and rules.promoted[kind] != 0:
            promotion += weights.promotion_threat[kind]
    attacked = guarded | attacks(rules, side, rules.king, king, occupied)
    return Survey(attacked, guarded, mobility, promotion, pressure)


@kernel
def hand_pressure(game: Game, position: Position, side: Side) -> Any:
    """Return how much the pieces in hand of `side` add to the danger of the enemy king (`danger` in `king_danger`)."""
    pressure = np.int64(0)
    for kind in range(ONE, game.rules.hand_types + ONE):
        pressure += game.weights.king_hand[kind] * np.int64(position.hand[side, kind])
    return pressure


@kernel
def king_danger(game: Game, position: Position, side: Side, own: Survey, enemy: Survey) -> Score:
    """Return the penalty, in centipawns, for the danger of the king of `side`. The penalty grows with the square of the
    danger, so that several threats together cost more than the sum of their separate penalties. `own` is the survey of
    `side`, `enemy` that of its opponent."""
    rules, weights = game.rules, game.weights
    king = np.uint64(position.king[side, ZERO])
    zone = king_zone(rules, position, side)
    ways_out = load_bb(rules.steps, side, king, rules.king) & ~load_bb(position.by_side, side) & ~enemy.attacked
    danger = enemy.pressure + hand_pressure(game, position, side ^ ONE)
    danger += weights.king_weak_square * np.int64(popcount(zone & enemy.attacked & ~own.guarded))
    danger -= weights.king_defender * np.int64(popcount(zone & own.guarded))
    danger += weights.escape[popcount(ways_out)]
    if danger <= 0:
        return np.int64(0)
    return min(danger * danger // weights.danger_divisor, weights.danger_limit)


@kernel
def hanging(game: Game, position: Position, side: Side, own: Survey, enemy: Survey) -> Score:
    """Return the penalty, in centipawns, for the pieces of `side` that are attacked and not defended. It is larger if
    the opponent is to move. `own` is the survey of `side`, `enemy` that of its opponent."""
    loose = load_bb(position.by_side, side) & enemy.attacked & ~own.attacked
    loss = np.int64(0)
    while any_of(loose):
        kind = np.uint64(position.board[lsb(loose)]) & TYPE_MASK
        loose = clear_lsb(loose)
        if side == position.side:
            loss += game.weights.hanging_to_move[kind]
        else:
            loss += game.weights.hanging[kind]
    return loss


@kernel
def survey_terms(game: Game, position: Position) -> Score:
    """Return the sum of all handcrafted terms but the running score and the tempo, in centipawns for Black."""
    black = survey(game, position, ZERO)
    white = survey(game, position, ONE)
    score = black.mobility - white.mobility + black.promotion - white.promotion
    score -= king_danger(game, position, ZERO, black, white)
    score += king_danger(game, position, ONE, white, black)
    score -= hanging(game, position, ZERO, black, white)
    return score + hanging(game, position, ONE, white, black)


@kernel
def evaluate(game: Game, position: Position) -> Score:
    """Return the static evaluation in centipawns for the side to move, between -LIMIT and LIMIT."""
    score = np.int64(position.score[position.ply])
    if game.weights.all_terms != 0:
        score += survey_terms(game, position)
    if position.side != 0:
        score = -score
    return max(-LIMIT, min(LIMIT, score + network(game, position) + game.weights.tempo))


@kernel
def write_terms(game: Game, position: Position, out: IntArray) -> None:
    """Write Black's and White's part of each term into `out`, in centipawns, in the order of `eval.explain.TERMS`. The
    first term, the running score, is a difference, Black minus White: it is written as Black's part, with 0 as
    White's."""
    out[0] = running_score(game.rules, position)
    out[1] = 0
    out[2:10] = 0
    for index in range(2):
        side = np.uint64(index)
        out[10 + index] = network(game, position) if position.side == side else 0
        out[12 + index] = game.weights.tempo if position.side == side else 0
        if game.weights.all_terms == 0:
            continue
        own = survey(game, position, side)
        enemy = survey(game, position, side ^ ONE)
        out[2 + index] = own.mobility
        out[4 + index] = own.promotion
        out[6 + index] = -king_danger(game, position, side, own, enemy)
        out[8 + index] = -hanging(game, position, side, own, enemy)
