"""Making and unmaking moves and null moves in every layout: incrementally updated fields equal those computed from the
board, and unmaking restores everything."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from kogoma.rules.move_encoding import DROP, PROMOTION, SQUARE_MASK
from kogoma.rules.position import new_position
from support.kernels import GAMES, Array, Kernels, kernels

BOARD = ("by_side", "by_type", "board", "king", "side")
ENTRY = ("key", "score")
OF_THE_BOARD = {"shogi": (*BOARD, "by_slide", "hand"), "onitama": BOARD}
OF_THE_ENTRY = {"shogi": (*ENTRY, "checkers", "pinned"), "onitama": (*ENTRY, "cards", "threat")}
COUNTERS = {"shogi": ("ply", "game_ply", "seen"), "onitama": ("ply", "game_ply")}
OF_THE_MOVE = {"shogi": ("move", "captured", "moved", "checks_run"), "onitama": ("move", "captured", "moved")}


def family(kernels: Kernels) -> str:
    return "onitama" if kernels.variant.cards else "shogi"


def meaning(kernels: Kernels, position: Array) -> dict[str, bytes]:
    """Return the values of all meaningful fields of a position's struct. In fields with one entry per ply, entries
    after the current ply have no meaning and are left out."""
    record, kind = position[0], family(kernels)
    entries = int(record["ply"]) + 1
    whole = {name: record[name].tobytes() for name in (*OF_THE_BOARD[kind], *COUNTERS[kind])}
    lists = (*OF_THE_ENTRY[kind], *OF_THE_MOVE[kind])
    return whole | {name: record[name][:entries].tobytes() for name in lists}


def newest(kernels: Kernels, position: Array) -> dict[str, Any]:
    """Return the fields of the current position that must not depend on the moves that led to this position."""
    record, kind = position[0], family(kernels)
    ply = int(record["ply"])
    board = {name: record[name].tolist() for name in OF_THE_BOARD[kind]}
    board["king"] = record["king"][:, 0].tolist()
    return board | {name: record[name][ply].tolist() for name in OF_THE_ENTRY[kind]}


def from_scratch(kernels: Kernels, position: Array) -> dict[str, Any]:
    """Return the same fields as `newest`, but computed only from the board, the hands or cards, and the side to
    move."""
    fresh = np.zeros(1, position.dtype)
    for name in ("board", "hand", "side"):
        if name in position.dtype.names:
            fresh[0][name] = position[0][name]
    fresh[0]["game_ply"] = position[0]["game_ply"] + int(position[0]["ply"])
    if kernels.variant.cards:
        fresh[0]["cards"][0] = position[0]["cards"][int(position[0]["ply"])]
    kernels.call("derive_fields", kernels.rules, fresh)
    return newest(kernels, fresh)


def moves_of(kernels: Kernels, position: Array) -> list[int]:
    """Return the legal moves, or an empty list if the game is over."""
    if kernels.call("over", kernels.rules, position):
        return []
    return sorted(kernels.generated(position))


@pytest.mark.parametrize("name", GAMES)
def test_make_updates_all_fields_and_unmake_restores_them(name: str) -> None:
    rng, kinds, game = random.Random(2), set[tuple[bool, bool, bool]](), kernels(name)
    for _ in range(25):
        position, before = game.struct(new_position(name)), list[dict[str, bytes]]()
        while len(before) < 60 and (moves := moves_of(game, position)):
            before.append(meaning(game, position))
            move = rng.choice(moves)
            captures = bool(position[0]["board"][move & int(SQUARE_MASK)]) and not move & int(DROP)
            kinds.add((bool(move & int(DROP)), bool(move & int(PROMOTION)), captures))
            game.call("make", game.rules, position, move)
            if not game.call("over", game.rules, position):  # at the end, a captured king is on no square
                assert newest(game, position) == from_scratch(game, position)
        if "seen" in position.dtype.names:
            assert position[0]["seen"].sum() == len(before) + 1
        while before:
            game.call("unmake", game.rules, position)
            assert meaning(game, position) == before.pop()
    # There were moves with and without promotion (in Onitama: with either card), moves with and without capture, and
    # drops if the variant has them.
    assert len(kinds) == {"micro": 4, "onitama": 4}.get(name, 5), kinds


@pytest.mark.parametrize("name", GAMES)
def test_null_move_passes_the_turn_and_is_taken_back(name: str) -> None:
    rng, nulls, game = random.Random(3), 0, kernels(name)
    for _ in range(20):
        position = game.struct(new_position(name))
        for _ in range(50):
            if not (moves := moves_of(game, position)):
                break
            ply = int(position[0]["ply"])
            places = int(position[0]["game_ply"]) + ply < game.variant.placements  # then a null move is wrong
            if not places and not game.call("in_check", position):
                before = meaning(game, position)
                game.call("make_null", game.rules, position)
                assert newest(game, position) == from_scratch(game, position)
                assert (position[0]["move"][ply + 1], position[0]["ply"]) == (0, ply + 1)
                game.call("unmake_null", position)
                assert meaning(game, position) == before
                nulls += 1
            game.call("make", game.rules, position, rng.choice(moves))
    assert nulls > 100
