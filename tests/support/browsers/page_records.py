"""Random games in the formats of the lab and of the web page, and Node processes with the page's modules for game
records."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from kogoma.lab.journals.match_journal import GameRecord
from kogoma.rules.dice.die import allowed
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS, can_be_held, find
from support.kifu.records import random_record
from support.lab_records import start_of
from support.node import Node, Nodes, missing
from support.peers import absent
from support.usi_client import ROOT

GAMES = [
    {
        "name": variant.name,
        "files": variant.files,
        "ranks": variant.ranks,
        "letters": [piece.letter for piece in variant.pieces],
        "placements": variant.placements,
        "held": [piece.letter for piece in variant.pieces if can_be_held(variant, piece)],
        "cards": variant.cards,
        "start": variant.start,
    }
    for variant in VARIANTS.values()
]
SAID = "a <b>bold</b> comment\n&bookmark\n*two* lines & 変化：2手\n\n# dice 3"
DRIVER = ROOT / "tests" / "web" / "records_driver.mjs"


@pytest.fixture(scope="module")
def page_nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    """Yield Node processes with the page's modules for game records, one per variant."""
    if lacking := missing():
        absent(lacking)
    folder = tmp_path_factory.getbasetemp() / "records"  # all test files share the WebAssembly modules
    folder.mkdir(exist_ok=True)
    made = Nodes(folder, DRIVER)
    yield made
    made.close()


def played(name: str, seed: int) -> GameRecord:
    """Return a random game of at most 60 plies in the form of a match journal's record."""
    rng, variant = random.Random(f"{name}{seed}"), find(name)
    made = random_record(name, seed, rng, 60, start=start_of(variant, rng) if seed else None)
    made["black"], made["white"] = "one <script>alert(1)</script>", "二"
    made["time_ms"] = [rng.choice((0, 999, 1500, 61000.5, 4e6)) for _ in made["moves"]]
    if variant.die:
        made["dice"] = [rng.randint(1, 6) for _ in made["moves"]]
    return made


def stored(record: GameRecord) -> dict[str, Any]:
    """Convert a game record to the form in which the page stores games."""
    moves, book = [*record["book"], *record["moves"]], len(record["book"])
    times = [0.0] * book + list(record["time_ms"])
    rolls = [0] * book + list(record.get("dice", [])) + [0] * len(moves)
    next_nodes: list[dict[str, Any]] = []
    for move, ms, roll in reversed(list(zip(moves, times, rolls, strict=False))):
        node: dict[str, Any] = {"move": move, "ms": ms}
        if roll:
            node["dice"] = roll
        if not next_nodes:
            node["end"] = {"winner": record["winner"], "reason": record["reason"]}
        if next_nodes:
            node["next"] = next_nodes
        next_nodes = [node]
    return {
        "variant": record["variant"],
        "start": record["start"],
        "names": [record["black"], record["white"]],
        "label": str(record["game"]),
        "headers": [["持ち時間", record["clock"]]],
        "next": next_nodes,
    }


def branching(name: str, rng: random.Random) -> dict[str, Any]:
    """Return a random game with comments, rolls and nested variations."""
    variant = find(name)
    start = start_of(variant, rng)

    def line(moves: list[str], plies: int, left: int) -> list[dict[str, Any]]:
        position = new_position(variant, start)
        for move in moves:
            position.push(move)
        legal = sorted(position.legal_moves())
        if position.outcome() is not None or plies == 0:
            return []
        chosen = rng.sample(legal, min(len(legal), 1 + (left > 0 and rng.random() < 0.3) * rng.randint(1, 2)))
        nodes = []
        for index, move in enumerate(chosen):
            node: dict[str, Any] = {"move": move}
            if variant.die and rng.random() < 0.8:
                node["dice"] = rng.choice([roll for roll in range(1, 7) if move in allowed(position, roll)])
            if rng.random() < 0.5:
                node["ms"] = rng.randint(0, 9) * 1000
            if rng.random() < 0.2:
                node["comment"] = SAID
            if rng.random() < 0.1:
                node["end"] = {"winner": None, "reason": "interrupted", "comment": "an end", "ms": 2000}
            following = line([*moves, move], plies - 1 if index == 0 else rng.randint(0, 4), left - (index > 0))
            if following:
                node["next"] = following
            nodes.append(node)
        return nodes

    headers = [["開始日時", "2026/11/24"], ["棋戦", "a match"]]
    about = {"variant": name, "start": start, "names": ["a", "b"], "headers": headers, "comment": "of the start"}
    return {**about, "next": line([], 16, 3)}


def whole_seconds(node: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a stored tree of moves with all times rounded down to whole seconds. Some formats store only
    whole seconds."""
    kept = dict(node)
    if "ms" in kept:
        kept["ms"] = int(kept["ms"] / 1000) * 1000
    if "next" in kept:
        kept["next"] = [whole_seconds(one) for one in kept["next"]]
    return kept


def opened(node: Node, text: str, preferred: str = "shogi") -> dict[str, Any]:
    """Open a game record as the page does, and return the only game in the record."""
    games = node.ask("open", text=text, games=GAMES, preferred=preferred)
    assert len(games) == 1
    found: dict[str, Any] = games[0]
    return found
