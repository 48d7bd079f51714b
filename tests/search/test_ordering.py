"""Tests of the staged move picker in every layout. The picker returns each legal move once, in the order of the stages,
whatever the histories contain."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from kogoma.rules.layout import TYPE_MASK
from kogoma.rules.move_encoding import PROMOTION, SQUARE_MASK
from kogoma.search.ordering import QUIESCENCE, TT_MOVE
from kogoma.search.thread import thread_dtype
from support.kernels import GAMES, Array, Kernels, cases, kernels, onitama_cases

# Computing `cases` is slow, so all tests that use `cases` run in the same process.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cases")]


@cache
def records(name: str) -> list[Array]:
    """Return the structs of every fourth test position of a variant."""
    game = kernels(name)
    found = [position for position, *_ in (onitama_cases() if name == "onitama" else cases(name))]
    return [game.struct(position) for position in found[::4]]


def new_thread(game: Kernels) -> Array:
    return np.zeros(1, thread_dtype(game.layout))


def taught_thread(game: Kernels, seed: int) -> Array:
    """Return a search thread's struct with random values in its history tables."""
    rng, thread = np.random.default_rng(seed), new_thread(game)
    for name in ("history", "capture_history", "continuation"):
        thread[0][name][:] = rng.integers(-8192, 8193, thread[0][name].shape, np.int16)
    return thread


def remember(thread: Array, rng: random.Random, moves: list[int]) -> None:
    """Set the killer moves and the countermove of `thread` to random codes. Each code is one of `moves`, 0, or a random
    16-bit number. The same code may be chosen more than once."""
    codes = [*moves, 0, rng.randrange(1 << 16), rng.randrange(1 << 16)]
    thread[0]["stack"][0]["killer"] = rng.choice(codes), rng.choice(codes)
    thread[0]["countermove"][:] = rng.choice(codes)


@pytest.mark.parametrize("name", GAMES)
def test_each_legal_move_once_and_the_tables_first(name: str) -> None:
    game, rng = kernels(name), random.Random(name)
    thread, evasions = taught_thread(game, 1), 0
    for record in records(name):
        moves = game.generated(record)
        remember(thread, rng, moves)
        tt_move = rng.choice([0, *moves])
        picked = game.picked(record, thread, tt_move, TT_MOVE)
        assert sorted(picked) == sorted(moves)
        assert not tt_move or picked[0] == tt_move
        evasions += game.call("in_check", record)
        if not game.call("in_check", record):
            checks = quiet_checks(game, record)
            wanted = {move for move in moves if game.is_tactical(record, move)} | ({tt_move} - {0})
            wanted |= {move for move in checks if move in learned(thread) or game.wins_exchange(record, move, 0)}
            assert sorted(game.picked(record, thread, tt_move, TT_MOVE, skip_quiets=True)) == sorted(wanted)
    assert 0 < evasions < len(records(name))


@pytest.mark.parametrize("name", GAMES)
def test_stages_follow_one_another(name: str) -> None:
    """Check that the picker returns moves in this order: captures and promotions that lose nothing; killer moves and
    the countermove; checks that lose nothing; other quiet moves; captures and promotions that lose material. The moves
    of the first stage must be sorted by `promise`, the highest value first."""
    game, rng = kernels(name), random.Random(name)
    thread, losing, refuting, checking = new_thread(game), 0, 0, 0
    for record in records(name):
        if game.call("in_check", record):
            continue
        moves = game.generated(record)
        remember(thread, rng, moves)
        tactical = [move for move in moves if game.is_tactical(record, move)]
        good = [move for move in tactical if game.wins_exchange(record, move, 0)]
        refutations = [move for move in dict.fromkeys(learned(thread)) if move in moves and move not in tactical]
        checks = {move for move in quiet_checks(game, record) if game.wins_exchange(record, move, 0)}
        checks -= set(refutations)
        picked = game.picked(record, thread, 0, TT_MOVE)
        first, last = len(good), len(moves) - (len(tactical) - len(good))
        assert set(picked[:first]) == set(good)
        promising = [promise(game, record, move) for move in picked[:first]]
        assert promising == sorted(promising, reverse=True)
        assert picked[first : first + len(refutations)] == refutations
        assert set(picked[first + len(refutations) :][: len(checks)]) == checks
        assert not set(picked[first:last]) & set(tactical)
        assert set(picked[last:]) == set(tactical) - set(good)
        losing, refuting = losing + len(moves) - last, refuting + len(refutations)
        checking += len(checks)
    assert losing and refuting > 20 and (checking > 0) == (name != "onitama")


def learned(thread: Array) -> list[int]:
    """Return the killer moves and the countermove of a search thread."""
    return [*thread[0]["stack"][0]["killer"].tolist(), int(thread[0]["countermove"][0])]


def quiet_checks(game: Kernels, record: Array) -> list[int]:
    """Return all board moves and drops that give direct check and are neither captures nor promotions."""
    return game.stage(record, 3) + game.stage(record, 4)


def promise(game: Kernels, record: Array, move: int) -> int:
    """Return the value by which the picker sorts a capture or promotion if the history tables are empty."""
    board, weights = record[0]["board"], game.weights[0]
    victim, kind = (int(board[square] & TYPE_MASK) for square in (move & int(SQUARE_MASK), move >> 7 & 127))
    worth = 8 * int(weights["exchange"][victim]) - int(weights["exchange"][kind])
    if move & int(PROMOTION) and not game.variant.cards:
        worth += 6 * int(weights["promotion_gain"][kind]) + 500
    return worth


@pytest.mark.parametrize("name", GAMES)
def test_quiescence_gets_captures_and_then_checks(name: str) -> None:
    game, rng = kernels(name), random.Random(name)
    thread, checking = taught_thread(game, 2), 0
    for record in records(name):
        if game.call("in_check", record):
            continue
        tactical = game.stage(record, 0)
        checks = quiet_checks(game, record)
        tt_move = rng.choice([0, *tactical])
        picked = game.picked(record, thread, tt_move, QUIESCENCE)
        assert sorted(picked[: len(tactical)]) == sorted(tactical)
        assert sorted(picked[len(tactical) :]) == sorted(checks)
        assert not tt_move or picked[0] == tt_move
        assert sorted(game.picked(record, thread, tt_move, QUIESCENCE, skip_quiets=True)) == sorted(tactical)
        checking += len(checks)
    assert (checking > 20) == (name != "onitama")
