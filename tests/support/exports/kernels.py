"""Generated Python code of a game in a process of its own, and the native engine's answers to the same questions."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from kogoma.arena.export.translator.translate import translate
from kogoma.eval import entry_points as evaluation
from kogoma.eval.explain import eval_library
from kogoma.eval.weights import tuned
from kogoma.rules import entry_points
from kogoma.rules.base_position import BasePosition
from kogoma.rules.library import rules_library
from kogoma.rules.position import new_position
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.variants import find
from kogoma.search import alphabeta
from kogoma.search.dice import expectimax, proof
from kogoma.search.rules import search_rules

VARIANTS = ("minishogi-codingame", "dice-codingame", "onitama", "generals")


def generated(name: str) -> str:
    """Return the generated Python code of a game with the handcrafted weights. The code has the entry points for
    playing and those that only tests call."""
    variant = find(name)
    rules, weights = tuned(variant, False)
    played = {"rules": rules, "weights": weights}
    search = {"rules": search_rules(variant), "weights": weights}
    asked = [
        entry_points.init_position,
        entry_points.play,
        entry_points.may_play,
        entry_points.take_back,
        entry_points.ended_by,
    ]
    asked += [entry_points.legal_moves, entry_points.perft]
    thinking = [expectimax.expectimax, proof.certain, proof.decided] if variant.die else [alphabeta.search_root]
    thinking.append(evaluation.static_eval)
    wanted = [(entry.kernel.py_func.__name__, entry, played) for entry in asked]
    wanted += [(entry.kernel.py_func.__name__, entry, search) for entry in thinking]
    return translate(wanted, layout_of(variant))


class Exported:
    """A process that answers questions with generated Python code."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def ask(self, **question: Any) -> Any:
        """Return the answer of `tests/support/exports/driver.py` to a question."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


@contextmanager
def exported(name: str, source: str | None = None) -> Iterator[Exported]:
    """Yield a process that runs generated Python code without installed packages. The code is `source`, or by default
    the code of the game `name`."""
    driver = (Path(__file__).parent / "driver.py").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bot.py"
        path.write_text((source or generated(name)) + "\n\n" + driver, encoding="utf-8")
        command = [sys.executable, "-I", "-S", str(path)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            yield Exported(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(60)


def described(position: BasePosition) -> dict[str, Any]:
    """Return a position in the form that the driver reads."""
    start = new_position(position.variant, position.start_sfen).struct[0]
    found: dict[str, Any] = {
        "board": start["board"].tolist(),
        "side": int(start["side"]),
        "game_ply": int(start["game_ply"]),
        "moves": list(position._codes),
    }
    if "hand" in (start.dtype.names or ()):
        found["hands"] = start["hand"].tolist()
    if "cards" in (start.dtype.names or ()):
        found["cards"] = int(start["cards"][0])
    return found


def random_positions(name: str, count: int, seed: int) -> list[BasePosition]:
    """Return `count` positions from random games. The game has not ended in any of these positions."""
    rng, found = random.Random(seed), list[BasePosition]()
    while len(found) < count:
        position = new_position(name)
        wanted = rng.randrange(0, 60)
        while len(position.moves) < wanted and position.outcome() is None and (moves := sorted(position.legal_moves())):
            position.push(rng.choice(moves))
        if position.outcome() is None:
            found.append(position)
    return found


class Native:
    """The native engine without the network. It answers the same questions as the generated code."""

    def __init__(self, name: str) -> None:
        self.variant = find(name)
        self.rules, self.weights = tuned(self.variant, False)

    def static_eval(self, position: BasePosition) -> int:
        """Return the static evaluation in centipawns for the side to move."""
        return eval_library(layout_of(self.variant))("static_eval", self.rules, self.weights, position.struct.copy())

    def may_play(self, position: BasePosition, move: int) -> bool:
        """Return whether `move` is the code of a legal move. `move` may be any 16-bit number."""
        return bool(rules_library(layout_of(self.variant))("may_play", position.rules, position.struct, move))


def record_content(position: BasePosition) -> dict[str, Any]:
    """Return the fields of a position's struct, computed by the native code, in the form in which the driver reports
    them. As in a search, the struct has running scores."""
    variant = position.variant
    rules, library = tuned(variant)[0], rules_library(layout_of(variant))
    array, start = np.zeros(1, position.struct.dtype), described(position)
    record, found = array[0], {}
    record["board"], record["side"], record["game_ply"] = start["board"], start["side"], start["game_ply"]
    if "hands" in start:
        record["hand"] = start["hands"]
    if "cards" in start:
        record["cards"][0] = start["cards"]
    library("init_position", rules, array)
    for move in start["moves"]:
        library("play", rules, array, move)
    newest = int(record["ply"]) + 1
    for name in record.dtype.names or ():
        if name in ("feature", "accumulated", "accumulator"):  # caches of the evaluation
            continue
        value = np.asarray(record[name])
        if value.ndim and len(value) > 1000 and name != "seen":
            value = value[:newest]
        found[name] = value.tolist()
    return found
