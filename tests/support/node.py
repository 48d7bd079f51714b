"""The engine's JavaScript in Node processes that answer questions."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kogoma.native.library import Library
from kogoma.native.linker import wasm_linker
from kogoma.native.object_file import KernelError
from kogoma.rules.base_position import BasePosition
from kogoma.rules.library import rules_library
from kogoma.rules.position import new_position
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.variants import Variant, find
from kogoma.search.library import mate_library, warmup
from kogoma.web import games_folder
from kogoma.web.game_data import game_data, libraries_of, mate_data
from support.random_games import start_of
from support.usi_client import ROOT, processor_time

# The depths of the searches that are compared. Each search visits some thousand nodes.
EQUALITY_DEPTH = {
    "shogi": 3, "minishogi": 5, "minishogi-codingame": 5, "dice": 2, "dice-hyper": 2, "dice-codingame": 2,
    "judkins": 4, "66shogi": 3, "gorogoro": 4, "micro": 4, "kyoto": 4, "dobutsu": 5, "generals": 3, "onitama": 5,
}  # fmt: skip
EQUALITY_COUNT = 100

DRIVER = ROOT / "tests" / "web" / "driver.mjs"


def missing() -> str:
    """Return the name of a program that is missing for tests with Node, or "" if none is missing."""
    if shutil.which("node") is None:
        return "node"
    try:
        wasm_linker()
    except KernelError:
        return "ziglang"
    return ""


def equality_positions(name: str) -> list[tuple[BasePosition, int | None]]:
    """Return positions from random games, each with a roll or None. The game has not ended in any of these positions.
    Only variants with a die have rolls, and some of their positions have none."""
    rng, found = random.Random(f"equality {name}"), list[tuple[BasePosition, int | None]]()
    while len(found) < EQUALITY_COUNT:
        position = new_position(name, start_of(rng, name) if name == "generals" else None)
        for _ in range(rng.randrange(60)):
            position.push(rng.choice(sorted(position.legal_moves())))
            if position.outcome() is not None:
                position.pop()
                break
        found.append((position, rng.randint(1, 6) if position.variant.die and rng.random() < 0.7 else None))
    return found


def told(position: BasePosition) -> dict[str, Any]:
    """Return a position's properties in the form in which the driver reports them."""
    outcome = position.outcome()
    return {
        "sfen": position.sfen(),
        "key": str(position.key),
        "moves": position.legal_moves(),
        "checkers": position.checkers,
        "outcome": None if outcome is None else asdict(outcome),
    }


def write_game(variant: Variant, folder: Path) -> None:
    """Write the files that the driver reads for a variant."""
    folder.mkdir(exist_ok=True)
    data = game_data(variant)
    (folder / "description.json").write_text(json.dumps(data.description), encoding="utf-8")
    (folder / "struct.bin").write_bytes(data.struct)
    (folder / "tables.bin").write_bytes(data.network)
    warmup(lambda text: print(text, file=sys.stderr), variant)
    _write_module(folder / "module.wasm", libraries_of(variant))


def write_mate(variant: Variant, folder: Path) -> None:
    """Write the files of the mate solver that the driver reads for a variant."""
    folder.mkdir(exist_ok=True)
    description, struct = mate_data(variant)
    (folder / "mate.json").write_text(json.dumps(description), encoding="utf-8")
    (folder / "mate.bin").write_bytes(struct)
    layout = layout_of(variant)
    _write_module(folder / "mate.wasm", (rules_library(layout), mate_library(layout)))


def _write_module(path: Path, libraries: tuple[Library, Library]) -> None:
    """Write the page's WebAssembly module of these libraries. It is compiled only if the cache does not have it."""
    (path.parent / "kernels").mkdir(exist_ok=True)
    name = games_folder._write_kernels(path.parent, libraries, lambda text: print(text, file=sys.stderr))
    (path.parent / name).replace(path)


class Node:
    """A Node process that runs a script of tests/web/ for one variant."""

    def __init__(self, variant: Variant, folder: Path, driver: Path = DRIVER) -> None:
        self.variant = variant
        write_game(variant, folder / variant.name)
        self._process = subprocess.Popen(
            ["node", str(driver), str(folder / variant.name)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def ask(self, what: str, **about: Any) -> Any:
        """Return the process's answer to a question. If the answer is an error, raises ValueError with the error's
        text."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"ask": what, **about}) + "\n")
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer["is"]

    def worked(self) -> float:
        """Return the processor time of the Node process in seconds, as `processor_time` measures it."""
        return processor_time(self._process.pid)

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(20)
        self._process.stdout.close()


class Nodes:
    """Node processes for variants. Each process starts when it is first used."""

    def __init__(self, folder: Path, driver: Path = DRIVER) -> None:
        self.folder, self._driver, self._running = folder, driver, dict[str, Node]()

    def __call__(self, name: str) -> Node:
        if name not in self._running:
            self._running[name] = Node(find(name), self.folder, self._driver)
        return self._running[name]

    def close(self) -> None:
        """End the processes."""
        for node in self._running.values():
            node.close()
