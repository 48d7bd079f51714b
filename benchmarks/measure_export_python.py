"""How fast generated Python searches, beside the same kernels as plain Python over numpy's records.

The kernels can't run with numba switched off: their intrinsics are machine code. So the fair equivalent is measured:
every kernel's own source, run by Python, with each intrinsic as a naive Python function and each `@kernel` a plain one.
Both search the same positions to the same depth, in turn, and have to count the same nodes. Not part of the tests.

    python tests/measure_export_python.py [GAME]...
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import exported

from arena.export.translator import special
from arena.export.translator.sources import find_entry
from eval.weights import tuned
from rules.base import BasePosition
from rules.tables import layout
from rules.variants import find
from search import expectimax, root
from search.chance import NO_LIMIT, chance_dtype, chance_table
from search.root_moves import root_moves
from search.stack import INFINITE, REDUCTIONS, stack_dtype
from search.worker import REDUCTION_SCALE

POSITIONS, SLOW_POSITIONS, ROUNDS = 24, 3, 3
DEPTHS = {"minishogi-codingame": 6, "dice-codingame": 3, "onitama": 7, "generals": 5}
SLOW_DEPTHS = {"minishogi-codingame": 2, "dice-codingame": 2, "onitama": 3, "generals": 2}
WORDS = 1 << 17  # of the transposition table
ONE = np.uint64(1)


def _lowest(board: Any) -> int:
    return (int(board) & -int(board)).bit_length() - 1


def _store(array: Any, index: Any, board: Any) -> None:
    array[index] = board


def _down_to_highest(board: Any) -> Any:
    return np.uint64((-1 << (int(board) | 1).bit_length() - 1) % (1 << 64))


class Plain:
    """Kernels as Python functions."""

    def __init__(self, with_cards: bool) -> None:
        self.with_cards, self.made = with_cards, dict[int, Any]()
        self.memory = np.zeros(WORDS, np.uint64)
        self.operations: dict[str, Any] = {
            "scan": lambda board: np.uint64(_lowest(board)),
            "rest": lambda board: board & (board - ONE),
            "count": lambda board: np.uint64(int(board).bit_count()),
            "any_of": lambda board: board != 0,
            "several": lambda board: board & (board - ONE) != 0,
            "none_of": lambda board: np.uint64(0),
            "up_to_lowest": lambda board: board ^ (board - ONE),
            "down_to_highest": _down_to_highest,
            "load": lambda array, *index: array[index],
            "store": _store,
            "peek": lambda address: self.memory[int(address) >> 3],
            "poke": lambda address, value: self.memory.__setitem__(int(address) >> 3, value),
            "fetch": lambda address: None,
        }

    def function(self, kernel: Any) -> Any:
        """A kernel, with all that it calls."""
        if id(kernel) not in self.made:
            original = kernel.py_func
            scope = dict(original.__globals__)
            self.made[id(kernel)] = FunctionType(original.__code__, scope, original.__name__)
            for name in original.__code__.co_names:
                if name in scope:
                    scope[name] = self.stand_in(scope[name])
        return self.made[id(kernel)]

    def stand_in(self, thing: Any) -> Any:
        """What plain Python has in the place of a kernel's global name."""
        thing = special.choice(thing, self.with_cards) or thing
        if (operation := special.operation(thing)) is not None:
            return self.operations[operation]
        if special.is_kernel(thing):
            return self.function(thing)
        entry = special.recursion_name(thing)
        return thing if entry is None else self.function(find_entry(entry))


def plain_search(name: str, position: BasePosition, depth: int) -> tuple[int, float]:
    """(nodes, seconds) of a search by plain kernels, from full windows at every depth."""
    variant = find(name)
    kind = chance_dtype if variant.die else stack_dtype
    stack = np.zeros(1, kind(layout(variant))).view(np.recarray)[0]
    plain = Plain(variant.cards)
    rules, weights = (array.view(np.recarray)[0] for array in tuned(variant))
    record = position.record.copy().view(np.recarray)[0]
    stack.table_mask, stack.generation = WORDS // 8 - 1, 1
    moves = root_moves(position, tuned(variant)[0])
    stack.root_count, stack.root_move[: len(moves)] = len(moves), moves
    if variant.die:
        stack.chance[:], stack.last_ply = chance_table(), variant.max_plies or NO_LIMIT
        run = plain.function(expectimax.expectimax)
    else:
        stack.reduction[1:] = [int(REDUCTION_SCALE * np.log(i)) for i in range(1, REDUCTIONS)]
        stack.max_plies = variant.max_plies
        run = plain.function(root.search_root)
    started = time.process_time()
    with np.errstate(all="ignore"):
        for number in range(1, depth + 1):
            arguments = (number, 0) if variant.die else (-INFINITE, INFINITE, number)
            run(rules, weights, record, stack, *(np.int64(argument) for argument in arguments))
    return int(stack.nodes), time.process_time() - started


TIMED = """
import json, sys, time

def timed_search(question):
    position, stack = fresh(question), Stack()
    memory[:] = [0] * len(memory)
    stack.table_mask, stack.generation = len(memory) // 8 - 1, 1
    moves = question["root"]
    stack.root_count, stack.root_move[: len(moves)] = len(moves), moves
    if "chance" in question:
        stack.chance[:], stack.last_ply = question["chance"], question["last_ply"]
        run = lambda depth: expectimax(position, stack, depth, 0)
    else:
        stack.reduction[1:] = [int(21.0 * math.log(i)) for i in range(1, 64)]
        stack.max_plies = question["max_plies"]
        run = lambda depth: search_root(position, stack, -INFINITE, INFINITE, depth)
    started = time.process_time()
    for depth in range(1, question["depth"] + 1):
        run(depth)
    return stack.nodes, time.process_time() - started

print(json.dumps([timed_search(question) for question in json.load(sys.stdin)]))
"""


def generated_search(name: str, positions: list[BasePosition], depth: int) -> list[tuple[int, float]]:
    """(nodes, seconds) of each search by the generated source."""
    questions = [
        exported.dice_question(position, depth, position.legal_codes(), 0)
        if find(name).die
        else exported.search_question(position, depth)
        for position in positions
    ]
    driver = (Path(__file__).parent / "export_driver.py").read_text(encoding="utf-8").split("if __name__")[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bot.py"
        path.write_text(exported.generated(name) + "\n\n" + driver + TIMED, encoding="utf-8")
        command = [sys.executable, "-I", "-S", str(path)]
        done = subprocess.run(command, input=json.dumps(questions), capture_output=True, text=True, check=True)
    return [(int(nodes), float(seconds)) for nodes, seconds in json.loads(done.stdout)]


def start_time(name: str) -> float:
    """Seconds from the start of a process to the end of the generated source."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bot.py"
        path.write_text(exported.generated(name), encoding="utf-8")
        started = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-S", str(path)], check=True)
        return time.perf_counter() - started


def measure(name: str) -> None:
    """One line for a game."""
    positions = exported.random_positions(name, POSITIONS, seed=5)
    slow_depth = SLOW_DEPTHS[name]
    ratios: list[float] = []
    for _ in range(ROUNDS):
        slow = [plain_search(name, position, slow_depth) for position in positions[:SLOW_POSITIONS]]
        fast = generated_search(name, positions[:SLOW_POSITIONS], slow_depth)
        if [nodes for nodes, _ in slow] != [nodes for nodes, _ in fast]:
            raise SystemExit(f"{name}: {slow} nodes and seconds in plain kernels, {fast} in generated Python")
        ratios.append(sum(seconds for _, seconds in slow) / sum(seconds for _, seconds in fast))
    speeds = []
    for _ in range(ROUNDS):
        found = generated_search(name, positions, DEPTHS[name])
        speeds.append(sum(nodes for nodes, _ in found) / sum(seconds for _, seconds in found))
    plain_speed = sum(nodes for nodes, _ in slow) / sum(seconds for _, seconds in slow)
    size, start = len(exported.generated(name)), min(start_time(name) for _ in range(ROUNDS))
    print(
        f"{name}: {max(speeds):,.0f} nodes/s; plain kernels {plain_speed:,.0f} nodes/s; over the same searches "
        f"{min(ratios):.0f} to {max(ratios):.0f} times as fast; {size:,} characters; starts in {start * 1000:.0f} ms"
    )


if __name__ == "__main__":
    for game in sys.argv[1:] or exported.GAMES:
        measure(game)
