"""The mate solver in WebAssembly has the answers of the native solver, and finds the mate after every defence."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from kogoma.rules.custom.registry import load_file
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from kogoma.search.mate.solver import MateLimits, MateSolver, refusal
from kogoma.search.table_memory import Table
from support.node import Nodes, equality_positions, missing, write_mate
from support.peers import absent
from support.scope import count, mostly_long
from support.usi_client import ROOT

pytestmark = pytest.mark.slow

SUPPORTED = [name for name, variant in VARIANTS.items() if refusal(variant) is None]
NODES = 10_000  # of each search


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    """Yield the Node processes that run the solver, one per variant."""
    if lacking := missing():
        absent(lacking)
    made = Nodes(tmp_path_factory.mktemp("mates"))
    yield made
    made.close()


def problems(name: str) -> list[tuple[str, list[str]]]:
    """Return positions (SFEN, moves) of a variant: those of tests/data/mates.tsv, or else of random games."""
    text = (ROOT / "tests" / "data" / "mates.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()]
    listed = [(sfen, list[str]()) for variant, sfen, *_ in rows if variant == name]
    random.Random(name).shuffle(listed)
    return listed or [(position.start_sfen, position.moves) for position, _ in equality_positions(name)]


@pytest.mark.parametrize("name", mostly_long(SUPPORTED, "minishogi", "onitama"))
def test_answers_are_those_of_the_native_solver(nodes: Nodes, name: str) -> None:
    """Check verdict, length, moves and number of nodes. After each of the attacker's moves, every defence has a mate
    that is as short as the proof says, and the native solver proves some of these mates and the first moves of their
    lines, too."""
    compare(nodes, name)


@pytest.mark.long
@pytest.mark.parametrize("name", ["tori", "euroshogi", "checkshogi"])
def test_answers_in_custom_variants(nodes: Nodes, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    variant = load_file(str(ROOT / "docs" / "custom-variants" / f"{name}.toml"))
    monkeypatch.setitem(VARIANTS, variant.name, variant)
    compare(nodes, variant.name)


def compare(nodes: Nodes, name: str) -> None:
    node, limits = nodes(name), MateLimits(nodes=NODES, shortest=True, short_first=True)
    write_mate(node.variant, nodes.folder / name)
    solver = MateSolver(Table(16))
    for sfen, moves in problems(name)[: count(12, 6)]:
        position = new_position(name, sfen)
        for move in moves:
            position.push(move)
        answer, found = solver.solve(position, limits), node.ask("mate", sfen=sfen, moves=moves, nodes=NODES)
        expected = answer.verdict, answer.plies, answer.moves, answer.is_shortest, answer.useless, answer.nodes
        keys = "verdict", "plies", "moves", "isShortest", "useless", "nodes"
        assert tuple(found[key] for key in keys) == expected, (sfen, moves)
        for index, defences in enumerate(found["walk"]):
            left = answer.plies - 2 * index - 1
            for played in answer.moves[max(0, 2 * index - 1) : 2 * index + 1]:
                position.push(played)
            if not defences:
                assert left == 0 or not answer.is_shortest  # then `left` may be too large
                assert solver.verdict_after_move(position, MateLimits()) == "mate"
            for defence in defences:
                assert 0 < defence["plies"] <= left - 1, (sfen, moves, index, defence)
            for defence in defences[:2]:
                position.push(defence["move"])
                assert solver.verdict(position, MateLimits(plies=defence["plies"])) == "mate"
                position.push(defence["moves"][0])
                assert solver.verdict_after_move(position, MateLimits()) == "mate"
                position.pop()
                position.pop()
