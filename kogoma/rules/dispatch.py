"""Select shogi's or Onitama's kernels: each name here stands for both, and the argument types decide.

numba selects when it compiles the caller, so there is no cost at run time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types

from kogoma.native.kernel import by_types
from kogoma.rules import attacks, checks, make_move, movegen
from kogoma.rules import ending as endings
from kogoma.rules import repetition as repetitions
from kogoma.rules.onitama import moves as onitama


def by_game(shogi: Any, onitama: Any) -> Any:
    """Return a function for kernels. It calls `onitama` if a struct argument has a field `cards`, otherwise `shogi`.
    Its attribute `by_game` is the pair of both."""

    def chosen(*arguments: Any) -> Any:
        raise TypeError("only kernels can call this function")

    def choose(*arguments: Any) -> Callable[..., Any]:
        with_cards = any(isinstance(kind, types.Record) and "cards" in kind.fields for kind in arguments)
        kernel = onitama if with_cards else shogi
        return lambda *arguments: kernel(*arguments)

    by_types(chosen)(choose)
    function: Any = chosen
    function.by_game = shogi, onitama
    return function


# Making and unmaking moves
derive_fields = by_game(make_move.derive_fields, onitama.derive_fields)
key_after = by_game(make_move.key_after, onitama.key_after)
make = by_game(make_move.make, onitama.make)
make_towards = by_game(make_move.make_towards, onitama.make_towards)
unmake = by_game(make_move.unmake, onitama.unmake)
remove_oldest = by_game(make_move.remove_oldest, onitama.remove_oldest)
is_placing = by_game(make_move.is_placing, onitama.never)
make_null = by_game(make_move.make_null, onitama.make_null)
unmake_null = by_game(make_move.pop_ply, onitama.pop_ply)
running_score = by_game(make_move.running_score, make_move.board_score)

# Move generation
generate = by_game(movegen.generate, onitama.generate)
generate_tactical = by_game(movegen.generate_tactical, onitama.generate_tactical)
generate_quiet = by_game(movegen.generate_quiet, onitama.generate_quiet)
generate_drops = by_game(movegen.generate_drops, onitama.generate_nothing)
generate_quiet_checks = by_game(checks.generate_quiet_checks, onitama.generate_nothing)
generate_drop_checks = by_game(checks.generate_drop_checks, onitama.generate_nothing)
count_legal = by_game(movegen.count_legal, onitama.count_legal)
is_legal = by_game(movegen.is_legal, onitama.is_legal)
has_legal_move = by_game(movegen.has_legal_move, onitama.has_legal_move)
is_stalemate = by_game(movegen.is_stalemate, onitama.never)

# Checks and the end of the game
is_in_check = by_game(checks.is_in_check, onitama.is_in_check)
can_capture_king = by_game(attacks.can_capture_king, onitama.never)
checks_directly = by_game(checks.checks_directly, onitama.checks_directly)
mate_in_one = by_game(checks.mate_in_one, onitama.mate_in_one)
immediate_win = by_game(checks.immediate_win, onitama.immediate_win)
ending = by_game(endings.ending, onitama.ending)
over = by_game(endings.over, onitama.over)
wins_without_move = by_game(endings.wins_without_move, onitama.never)
may_declare = by_game(endings.may_declare, onitama.never)
repetition = by_game(repetitions.repetition, onitama.repetition)
repetition_in_game = by_game(repetitions.repetition_in_game, onitama.repetition_in_game)
