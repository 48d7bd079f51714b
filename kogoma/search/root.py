"""The root moves of a search: which moves it considers, and whether the side to move declares a win instead."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.eval.game import game_dtype
from kogoma.eval.types import Game
from kogoma.native.bitboard import ONE, ZERO, load_bb, store_bb
from kogoma.native.kernel import entry_point, kernel
from kogoma.native.types import Flag, Int
from kogoma.rules.allowed_moves import allowed_moves
from kogoma.rules.attacks import set_check_info
from kogoma.rules.dispatch import by_game, has_legal_move, is_legal, make, may_declare, over, repetition, unmake
from kogoma.rules.layout import position_dtype, rules_dtype
from kogoma.rules.move_encoding import SQUARE_MASK
from kogoma.rules.repetition import GOES_ON
from kogoma.rules.terminal import NO_ROOT
from kogoma.rules.types import Move, MoveList, Position, Rules
from kogoma.search.control import DECLARES, control_dtype
from kogoma.search.iteration import start_deepening
from kogoma.search.limited_strength import lines_to_search
from kogoma.search.time import set_budget
from kogoma.search.types import Control


@kernel
def ends(rules: Rules, position: Position, move: Move, last_ply: Int) -> Flag:
    """Return whether the game is over after `move`, by the position, by repetition or by length."""
    make(rules, position, move)
    ended = (
        over(rules, position)
        or not has_legal_move(rules, position)
        or repetition(rules, position, np.int64(NO_ROOT)) != GOES_ON
        or (last_ply != 0 and position.game_ply + np.int64(position.ply) >= last_ply)
    )
    unmake(rules, position)
    return ended


@kernel
def without_blunders(rules: Rules, game: Game, position: Position, moves: MoveList, count: Int, last_ply: Int) -> Int:
    """Remove the moves that lose the king at once from the first `count` of `moves`, in variants in which kings are
    captured, and return the number of moves left. If the enemy king can be captured, only the moves that capture it
    are left. If every move would be removed, all are left. `rules` are those of the variant; `game` holds those of the
    search."""
    if rules.king_capture == 0:
        return count
    king = np.uint64(position.king[position.side ^ ONE, ZERO])
    kept = np.int64(0)
    for i in range(count):
        if np.uint64(moves[i]) & SQUARE_MASK == king:
            moves[kept] = moves[i]
            kept += 1
    if kept > 0:
        return kept
    checkers = load_bb(position.checkers, position.ply)
    pinned = load_bb(position.pinned, position.ply)
    for i in range(count):
        move = np.uint64(moves[i])
        set_check_info(game.rules, position)  # with the pins, which the variant's own rules do not need
        safe = is_legal(game.rules, position, move)
        store_bb(position.checkers, position.ply, checkers)
        store_bb(position.pinned, position.ply, pinned)
        if safe or ends(rules, position, move, last_ply):
            moves[kept] = moves[i]
            kept += 1
    return kept if kept > 0 else count


@kernel
def with_blunders(rules: Rules, game: Game, position: Position, moves: MoveList, count: Int, last_ply: Int) -> Int:
    """Return `count`: in Onitama no move is left out."""
    return count


avoid_blunders = by_game(without_blunders, with_blunders)


@kernel
def keep_wanted(control: Control, count: Int) -> Int:
    """Keep only the wanted moves among the first `count` root moves, and return their number."""
    kept = np.int64(0)
    for i in range(count):
        for j in range(control.wanted_count):
            if control.root_move[i] == control.wanted[j]:
                control.root_move[kept] = control.root_move[i]
                kept += 1
                break
    return kept


@entry_point(rules=rules_dtype, game=game_dtype, position=position_dtype, control=control_dtype)
def begin(rules: Rules, game: Game, position: Position, control: Control) -> Any:
    """Begin a search: find its root moves and its time budget. `rules` are those of the variant; `game` holds those of
    the search. Return the number of root moves, or DECLARES if a win is declared. Root moves are the legal moves that
    the die roll and the wanted moves allow, without moves that lose the king at once if there are others."""
    control.side = np.int64(position.side)
    control.ply = position.game_ply + np.int64(position.ply)
    control.squares = np.int64(rules.squares)
    control.clock_from = control.started
    set_budget(control)
    control.lines = lines_to_search(control)
    start_deepening(control)
    moves = control.root_move
    count = allowed_moves(rules, position, moves, control.roll)
    count = avoid_blunders(rules, game, position, moves, count, control.rule_plies)
    if control.wanted_count != 0:
        count = keep_wanted(control, count)
        if count == 0:
            count = keep_wanted(control, allowed_moves(rules, position, moves, control.roll))
    control.root_count = count
    if count > 0 and control.declaration != 0 and may_declare(rules, position):
        return np.int64(DECLARES)
    return count
