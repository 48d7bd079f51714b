"""Measure the plain Python of exported files: its speed relative to the kernels run as Python, and its results in
games.

    .venv/bin/python -m benchmarks.measure_export_python [GAME ...] [--games 100]

The kernels cannot run without numba, because their intrinsics are machine code. The measurement therefore uses an
equivalent: Python runs the source of each kernel with numpy structs, and each intrinsic is a simple Python function.
Both sides search the same positions to the same depth in turn, and must count the same nodes.

The games are played with the arena's time limits, against a random mover and against a player that looks one ply ahead
for material. `benchmarks.measure_export --flavor python` measures late answers on a busy machine.
"""

from __future__ import annotations

import argparse
import random
import runpy
import sys
import tempfile
import time
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from benchmarks.measure_export import sfens
from kogoma.arena.export import check
from kogoma.arena.export.command import compose
from kogoma.arena.export.targets import GAMES, Game
from kogoma.arena.export.translator import special
from kogoma.eval.weights import tuned
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.structs import fields, new_struct
from kogoma.search import alphabeta
from kogoma.search.dice import expectimax
from kogoma.search.dice.values import NO_LIMIT, chance_curve, dice_thread_dtype
from kogoma.search.limits import Limits
from kogoma.search.parameters import parameters_of
from kogoma.search.rules import search_rules
from kogoma.search.searcher import root_moves
from kogoma.search.thread import INFINITE, thread_dtype, write_parameters

SLOW_POSITIONS = 3
DEPTHS = {"minishogi": 6, "dice": 3, "onitama": 7, "generals": 5}
SLOW_DEPTHS = {"minishogi": 2, "dice": 2, "onitama": 3, "generals": 2}
WORDS = 1 << 17  # in the transposition table
ONE = np.uint64(1)


def _lowest(board: Any) -> int:
    return (int(board) & -int(board)).bit_length() - 1


def _store(array: Any, index: Any, board: Any) -> None:
    array[index] = board


def _down_to_highest(board: Any) -> Any:
    return np.uint64((-1 << (int(board) | 1).bit_length() - 1) % (1 << 64))


class Plain:
    """A converter that turns kernels into Python functions."""

    def __init__(self, with_cards: bool) -> None:
        self.with_cards, self.made = with_cards, dict[int, Any]()
        self.memory = np.zeros(WORDS, np.uint64)
        self.operations: dict[str, Any] = {
            "lsb": lambda board: np.uint64(_lowest(board)),
            "clear_lsb": lambda board: board & (board - ONE),
            "popcount": lambda board: np.uint64(int(board).bit_count()),
            "any_of": lambda board: board != 0,
            "more_than_one": lambda board: board & (board - ONE) != 0,
            "empty_like": lambda board: np.uint64(0),
            "up_to_lowest": lambda board: board ^ (board - ONE),
            "down_to_highest": _down_to_highest,
            "load_bb": lambda array, *index: array[index],
            "store_bb": _store,
            "peek": lambda address: self.memory[int(address) >> 3],
            "poke": lambda address, value: self.memory.__setitem__(int(address) >> 3, value),
            "nothing": lambda *given: None,
            "never": lambda *given: False,
            "now": time.perf_counter_ns,
        }

    def function(self, kernel: Any) -> Any:
        """Convert a kernel, and all kernels that it calls, to Python functions. Return the function for `kernel`."""
        if id(kernel) not in self.made:
            original = (kernel.kernel if special.is_entry(kernel) else kernel).py_func
            scope = dict(original.__globals__)
            self.made[id(kernel)] = FunctionType(original.__code__, scope, original.__name__)
            for name in original.__code__.co_names:
                if name in scope:
                    scope[name] = self.stand_in(scope[name])
        return self.made[id(kernel)]

    def stand_in(self, thing: Any) -> Any:
        """Return the Python object that replaces `thing`, the value of a global name that a kernel uses."""
        thing = special.choice(thing, self.with_cards)
        if (operation := special.operation(thing)) is not None:
            return self.operations[operation]
        return self.function(thing) if special.is_kernel(thing) else thing


def prepare(game: Game, thread: Any, moves: list[int]) -> None:
    """Fill the empty struct of a search thread with the settings for a search of `moves`."""
    thread["tt_mask"], thread["generation"] = WORDS // 8 - 1, 1
    thread["root_count"] = len(moves)
    thread["root_move"][: len(moves)] = moves
    if game.variant.die:
        thread["chance_curve"][:] = chance_curve()
        thread["last_ply"] = game.variant.max_plies or NO_LIMIT
    else:
        write_parameters(thread, parameters_of(game.variant))
        thread["max_plies"] = game.variant.max_plies


def arguments(game: Game, depth: int) -> tuple[int, ...]:
    """Return the arguments that the search kernel takes after the structs: the depth and a full window."""
    return (depth, 0) if game.variant.die else (-INFINITE, INFINITE, depth)


def plain_search(game: Game, sfen: str) -> tuple[int, float]:
    """Search a position with the kernels run as Python functions. Return the number of nodes and the time in
    seconds."""
    variant, plain = game.variant, Plain(game.variant.cards)
    array = new_struct((dice_thread_dtype if variant.die else thread_dtype)(layout_of(variant)))
    position = new_position(variant, sfen)
    prepare(game, fields(array), root_moves(position, Limits(), search_rules(variant)))
    run = plain.function(expectimax.expectimax if variant.die else alphabeta.search_root)
    records = (search_rules(variant), tuned(variant, False)[1], position.struct.copy(), array)
    passed = [record.view(np.recarray)[0] for record in records]
    started = time.process_time()
    with np.errstate(all="ignore"):
        for depth in range(1, SLOW_DEPTHS[game.name] + 1):
            run(*passed, *map(np.int64, arguments(game, depth)))
    return int(fields(array)["nodes"]), time.process_time() - started


def translated_search(game: Game, inside: dict[str, Any], sfen: str) -> tuple[int, float]:
    """Search a position with an exported file, to the same depth as in `plain_search`. Return the number of nodes and
    the time in seconds."""
    start = inside.get("new_position") or inside.get("position_Position") or inside["Position"]
    position, thread = start(inside["DEFAULT"], sfen), inside["ThreadStruct"]()
    inside["memory"][:] = [0] * WORDS
    prepare(game, thread, root_moves(new_position(game.variant, sfen), Limits(), search_rules(game.variant)))
    run = inside["ENTRIES"]["expectimax" if game.variant.die else "search_root"]
    started = time.process_time()
    for depth in range(1, SLOW_DEPTHS[game.name] + 1):
        run(position.struct, thread, *arguments(game, depth))
    return int(thread["nodes"]), time.process_time() - started


def speeds(game: Game, inside: dict[str, Any]) -> str:
    """Return a text with the exported file's nodes per second, measured in deep searches. The text also has the file's
    speed relative to the kernels run as Python, measured in shallow searches."""
    positions = sfens(game)
    slow, fast = 0.0, 0.0
    for sfen in positions[:SLOW_POSITIONS]:
        nodes, seconds = plain_search(game, sfen)
        own_nodes, own_seconds = translated_search(game, inside, sfen)
        if nodes != own_nodes:
            raise SystemExit(
                f"{game.name}: the kernels count {nodes} nodes, but the exported file counts {own_nodes}, at {sfen}"
            )
        slow, fast = slow + seconds, fast + own_seconds
    searcher = inside["Searcher"](16, variant=inside["DEFAULT"])
    start = inside.get("new_position") or inside.get("position_Position") or inside["Position"]
    nodes, began = 0, time.process_time()
    for sfen in positions:
        limits = inside["Limits"](depth=DEPTHS[game.name], dice=6 if game.variant.die else None)
        nodes += searcher.search(start(inside["DEFAULT"], sfen), limits).nodes
    return f"{nodes / (time.process_time() - began):,.0f} nodes/s, {slow / fast:.0f} times as fast as plain kernels"


def material(rng: random.Random, position: BasePosition, moves: list[str]) -> str:
    """Return a move that wins the game or, if there is none, a move after which the player is furthest ahead in
    material. If several moves are equally good, choose one at random."""
    us = position.turn
    value = [int(number) for number in fields(tuned(position.variant)[1])["value"]]
    has_hands = "hand" in position.struct.dtype.names

    def worth(move: str) -> int:
        position.push(move)
        outcome, record = position.outcome(), position.fields
        total = 0
        for cell in map(int, record["board"][: position.variant.squares]):
            total += value[cell & 15] * (1 if cell >> 4 == us else -1)
        if has_hands:
            for side, sign in ((us, 1), (1 - us, -1)):
                total += sign * sum(value[kind] * int(count) for kind, count in enumerate(record["hand"][side]))
        position.pop()
        won = 0 if outcome is None or outcome.winner is None else 1 if outcome.winner == us else -1
        return total + won * 1_000_000

    return max(rng.sample(moves, len(moves)), key=worth)


def games(game: Game, path: Path, count: int, opponent: check.Opponent) -> str:
    """Let the exported file play games against `opponent`, and return a line with the results and the slowest
    answers."""
    points, first, later = 0.0, 0.0, 0.0
    command = [*check.interpreter("python"), str(path)]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            winner, times = check.play_game(game, command, Path(folder), number, opponent=opponent)
            points += 0.5 if winner is None else winner == number % 2
            first, later = max(first, times[0]), max([later, *times[1:]])
    return f"{points:g} of {count}; first answers at most {first * 1000:.0f} ms, later {later * 1000:.0f} ms"


def main() -> None:
    """Run the measurements, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="GAME")
    parser.add_argument("--games", type=int, default=100)
    given = parser.parse_args()
    sys.setrecursionlimit(10_000)
    for name in given.names or GAMES:
        game = GAMES[name]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"{name}.py")
            path.write_text(compose(name, "python"), encoding="utf-8")
            print(f"{name}: {len(path.read_text(encoding='utf-8')):,} characters", flush=True)
            inside = runpy.run_path(str(path), run_name="exported")
            print(f"  {speeds(game, inside)}", flush=True)
            if given.games and game.arena:
                print(f"  random mover: {games(game, path, given.games, check.any_move)}", flush=True)
                print(f"  material player: {games(game, path, given.games, material)}", flush=True)


if __name__ == "__main__":
    main()
