"""Generated Python for a game, in a process of its own, and what the native engine says to the same questions."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from arena.export.translate import translate
from eval import game as evaluation
from eval.explain import eval_library
from eval.weights import tuned
from rules import entries, perft
from rules.base import BasePosition
from rules.library import rules_library
from rules.position import game
from rules.tables import layout, rules_record
from rules.variants import Variant, find
from search import certain, expectimax, root
from search.chance import NO_LIMIT, chance_table
from search.dice_worker import DiceWorker
from search.root_moves import root_moves
from search.table import Table
from search.worker import Worker

GAMES = ("minishogi-codingame", "dice-codingame", "onitama", "generals")
HASH_MB = 1


def played_rules(variant: Variant) -> Any:
    """The record for moves of the game. It has the search's terms, but a search leaves out moves that lose the king."""
    rules, _ = tuned(variant)
    if variant.king_capture:
        rules = rules.copy()
        rules["king_capture"] = rules_record(variant)["king_capture"]
    return rules


@cache
def generated(name: str, deadline: int = 0) -> str:
    """The generated source of a game: the entries that it is played with, and those that only tests ask for."""
    variant = find(name)
    rules, weights = tuned(variant)
    search = {"rules": rules, "weights": weights}
    played = {**search, "rules": played_rules(variant)} if variant.king_capture else search
    asked: list[Any] = [entries.set_up, entries.play, entries.may_play, entries.take_back, entries.ended_by]
    asked += [entries.legal_moves, perft.perft]
    thinking = [expectimax.expectimax, certain.certain, certain.decided] if variant.die else [root.search_root]
    asked += [(entry.py_func.__name__, entry, search) for entry in (*thinking, evaluation.static_eval)]
    return translate(asked, layout(variant), played, deadline=deadline)


class Exported:
    """Generated Python that answers questions."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def ask(self, **question: Any) -> Any:
        """The answer to one question (`tests/export_driver.py`)."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


@contextmanager
def exported(name: str, source: str | None = None) -> Iterator[Exported]:
    """A process of the standard library alone that has the generated source."""
    driver = (Path(__file__).parent / "export_driver.py").read_text(encoding="utf-8")
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
    """A position as the driver sets it up."""
    start = game(position.variant, position.start_sfen).record[0]
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
    """Positions of random games, all of them with moves to play."""
    rng, found = random.Random(seed), list[BasePosition]()
    while len(found) < count:
        position = game(name)
        wanted = rng.randrange(0, 60)
        while len(position.moves) < wanted and position.outcome() is None and (moves := sorted(position.legal_moves())):
            position.push(rng.choice(moves))
        if position.outcome() is None:
            found.append(position)
    return found


class Native:
    """The native engine, asked the same."""

    def __init__(self, name: str) -> None:
        self.variant = find(name)
        self.rules, self.weights = tuned(self.variant)
        self.table = Table(HASH_MB)

    def static_eval(self, position: BasePosition) -> int:
        """Centipawns for the side to move."""
        return eval_library(layout(self.variant))("static_eval", self.rules, self.weights, position.record.copy())

    def may_play(self, position: BasePosition, move: int) -> bool:
        """Whether a move of any bits is legal."""
        return bool(rules_library(layout(self.variant))("may_play", position.rules, position.record, move))

    def search(self, position: BasePosition, depth: int) -> dict[str, Any]:
        """Best line, score and nodes of a search of one thread to that depth."""
        self.table.clear()
        self.table.wait()
        self.table.next_generation()
        worker = Worker(self.variant, self.table)
        worker.prepare(position, root_moves(position, worker.rules), self.variant.max_plies, [0, 0], False)
        for number in range(1, depth + 1):
            worker.deepen(number, 1, lambda line: None)
        return {"line": worker.lines[0], "score": worker.scores[0], "nodes": worker.nodes}

    def search_dice(self, position: BasePosition, depth: int, root: list[int], thrown: int) -> dict[str, Any]:
        """The same for a game with a die, with proofs."""
        self.table.clear()
        self.table.wait()
        self.table.next_generation()
        worker = DiceWorker(self.variant, self.table)
        worker.prepare(position, root, self.variant.max_plies, [0, 0])
        worker.stack["table_off"] = 0
        value, proofs = 0, []
        for number in range(1, depth + 1):
            value = worker._call("expectimax", number, thrown)
            for winning in (0, 1):
                worker.stack["proof_nodes"] = 300
                proofs.append(worker._call("certain", number, winning))
                proofs.append(worker._call("decided", number, 0, winning))
        return {"best": int(worker.stack["root_best"]), "value": value, "nodes": worker.nodes, "proofs": proofs}


def search_question(position: BasePosition, depth: int) -> dict[str, Any]:
    """What to ask for a search."""
    moves = root_moves(position, tuned(position.variant)[0])
    asked = {"ask": "search", "depth": depth, "root": moves, "max_plies": position.variant.max_plies}
    return {**described(position), **asked}


def dice_question(position: BasePosition, depth: int, root: list[int], thrown: int) -> dict[str, Any]:
    """What to ask for a search of a game with a die."""
    asked = {"ask": "search_dice", "depth": depth, "root": root, "thrown": thrown, "chance": chance_table().tolist()}
    return {**described(position), **asked, "last_ply": position.variant.max_plies or NO_LIMIT}


def record_content(position: BasePosition) -> dict[str, Any]:
    """The record of a position, made by the native rules with the search's terms, as the driver writes its own."""
    variant = position.variant
    rules, library = played_rules(variant), rules_library(layout(variant))
    array, start = np.zeros(1, position.record.dtype), described(position)
    record, found = array[0], {}
    record["board"], record["side"], record["game_ply"] = start["board"], start["side"], start["game_ply"]
    if "hands" in start:
        record["hand"] = start["hands"]
    if "cards" in start:
        record["cards"][0] = start["cards"]
    library("set_up", rules, array)
    for move in start["moves"]:
        library("play", rules, array, move)
    newest = int(record["ply"]) + 1
    for name in record.dtype.names or ():
        value = np.asarray(record[name])
        if value.ndim and len(value) > 1000 and name != "seen":
            value = value[:newest]
        found[name] = value.tolist()
    return found
