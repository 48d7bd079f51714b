"""Entry points of the evaluation, for shogi and Onitama (selected by the types of the structs)."""

from __future__ import annotations

import numpy as np

from kogoma.eval import evaluate as shogi
from kogoma.eval import onitama
from kogoma.eval.game import game_dtype
from kogoma.eval.network import forget, list_features
from kogoma.eval.types import Game
from kogoma.native.bitboard import ZERO
from kogoma.native.kernel import entry_point
from kogoma.native.types import Int, IntArray
from kogoma.rules.dispatch import by_game, running_score
from kogoma.rules.layout import FEATURES, position_dtype
from kogoma.rules.types import Position, Score

evaluate = by_game(shogi.evaluate, onitama.evaluate)
write_terms = by_game(shogi.write_terms, onitama.write_terms)


@entry_point(game=game_dtype, position=position_dtype)
def static_eval(game: Game, position: Position) -> Score:
    """Compute the running score (pieces on their squares and in hand) and the network from scratch, and return the
    static evaluation in centipawns for the side to move."""
    forget(position)
    position.score[position.ply] = np.int32(running_score(game.rules, position))
    return evaluate(game, position)


@entry_point(game=game_dtype, position=position_dtype, out=[lambda layout: np.dtype(np.int64)])
def explain_terms(game: Game, position: Position, out: IntArray) -> Int:
    """Write Black's and White's part of each evaluation term into `out`, in the order of `eval.explain.TERMS` or
    `ONITAMA_TERMS`, and return the score in centipawns for the side to move."""
    forget(position)
    write_terms(game, position, out)
    position.score[position.ply] = np.int32(running_score(game.rules, position))
    return evaluate(game, position)


@entry_point(game=game_dtype, position=position_dtype)
def incremental_eval(game: Game, position: Position) -> Score:
    """Return the static evaluation in centipawns for the side to move, as the search computes it: from the running
    score and the accumulators of earlier positions of the game."""
    return evaluate(game, position)


@entry_point(game=game_dtype, position=position_dtype, out=[lambda layout: np.dtype(np.int64)])
def list_features_of(game: Game, position: Position, out: IntArray) -> Int:
    """Write the position's features (pieces on their squares and in hand, cards), as Black sees them, into `out`, and
    as White sees them, into `out[FEATURES:]`. Return their number, which is the same for both."""
    count = ZERO
    for view in range(2):
        count = list_features(game, position, np.uint64(view))
        for index in range(count):
            out[view * FEATURES + index] = position.feature[index]
    return np.int64(count)
