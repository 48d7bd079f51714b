"""The engine in JavaScript and WebAssembly has the same results as the native engine in everything repeatable."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS, find
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.search import Info
from kogoma.search.searcher import Searcher
from kogoma.web import games_folder
from kogoma.web.games_folder import write_games
from oracles import shogi as oracle
from support.contradictions import CONTRADICTIONS
from support.node import EQUALITY_DEPTH, Node, Nodes, equality_positions, missing, told
from support.peers import absent
from support.random_games import without_a_king
from support.random_networks import networks_in_use
from support.scope import count, mostly_long, part
from support.usi_client import ROOT

pytestmark = pytest.mark.slow

EXPORTED = {"minishogi-codingame": 6, "dice-codingame": 2, "onitama": 6, "generals": 4}  # depth of the searches


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    """Yield the Node processes that run the engine, one per variant."""
    if lacking := missing():
        absent(lacking)
    made = Nodes(tmp_path_factory.mktemp("wasm"))
    yield made
    made.close()


def random_game(name: str, rng: random.Random, plies: int) -> BasePosition:
    """Return a position after `plies` random moves, or after fewer if the game ends."""
    position = new_position(name)
    while len(position.moves) < plies and position.outcome() is None:
        position.push(rng.choice(sorted(position.legal_moves())))
    return position


# Rules


@pytest.mark.parametrize("name", mostly_long(VARIANTS, "minishogi", "onitama", "kyoto"))
def test_random_games_have_the_same_positions(nodes: Nodes, name: str) -> None:
    """Check that the WebAssembly module and the native library agree after each move of random games: on the position
    and its key, the legal moves and their order, the checks and the outcome. Taking back a move must restore the
    position before the move."""
    rng = random.Random(name)
    for _ in range(count(6, 2)):
        game = random_game(name, rng, 120)
        position = new_position(name)
        seen, sfens = [told(position)], [position.sfen()]
        for move in game.moves:
            position.push(move)
            seen.append(told(position))
            sfens.append(position.sfen())
        walked = nodes(name).ask("walk", sfen=game.start_sfen, moves=game.moves)
        assert walked == {"seen": seen, "back": sfens[-2::-1]}


def test_a_game_may_be_longer_than_the_struct(nodes: Nodes) -> None:
    """Check that a game has the right outcome if it has more moves than the position's struct can hold. Positions that
    the struct has dropped must be counted as repetitions, too. In the game, kings move back and forth."""
    cycle = ["5e4d", "1a2b", "4d5e", "2b1a"]
    start = "4k/5/5/5/K4 b - 1"
    name = "dice-codingame"
    position = new_position(name, start)
    moves = [cycle[ply % 4] for ply in range(1100)]
    for move in moves:
        position.push(move)
    walked = nodes(name).ask("walk", sfen=start, moves=moves)
    assert walked["seen"][-1] == told(position)
    assert walked["back"][-1] == start


@pytest.mark.parametrize(("name", "depth"), [("minishogi", 5), ("shogi", 3), ("kyoto", 4), ("onitama", 5), ("dice", 4)])
def test_perft(nodes: Nodes, name: str, depth: int) -> None:
    assert nodes(name).ask("perft", depth=depth) == new_position(name).perft(depth)


def test_pawns_may_share_a_file(nodes: Nodes) -> None:
    for name, sfen in (
        ("minishogi", "4k/5/P4/P4/K4 b - 1"),
        ("minishogi", "4k/4p/4p/5/K4 b G 1"),
        ("shogi", "4p3k/4P4/4P4/4P4/4P4/4P4/4P4/4P4/K3P4 b P2r2b4g4s4n4l8p 1"),
    ):
        assert nodes(name).ask("show", sfen=sfen) == told(new_position(name, sfen))


@pytest.mark.parametrize("name", ["shogi", "minishogi", "kyoto"])
def test_positions_without_one_king_are_the_same(nodes: Nodes, name: str) -> None:
    for start in list(without_a_king(name))[:20]:
        position = new_position(name, oracle.write_sfen(start))
        assert nodes(name).ask("show", sfen=position.sfen()) == told(position)
        limits = {"depth": 3}
        if position.legal_moves():
            found = nodes(name).ask("search", sfen=position.sfen(), limits=limits)
            result = Searcher(hash_mb=4, variant=find(name)).search(position, Limits(depth=3))
            assert (found["best"], found["nodes"]) == (result.best, result.nodes)


@pytest.mark.parametrize(
    ("name", "sfen"),
    [
        ("minishogi", text)
        for text in (
            "", "9", "rbsgk/4p/5/P4", "rbsgk/4p/5/P4/KGSBRR b - 1", "rbsgk/4p/5/P4/KGSBX b - 1", "rbs'k/4p/5/P4/KGSBR",
            "rbsgk/4p/5/P4/KGSBR x - 1", "rbsgk/4p/5/P4/KGSBR b Q 1", "rbsgk/4p/5/P4/KGSBR b 99P 1",
            "rbsgk/4p/5/P4/KGSBR b - 0", "rbsgk/4p/5/P4/KGSBR b - 1 1", "rbsg1/4p/5/P4/1GSBR b",
            "rbsgk/4p/5/P4/KGSBR b P", "rbsgk/4p/5/P4/KGSBR b K", "P3k/5/5/5/K4 b",
            "4k/5/5/5/K3r w R", "4k/5/5/5/K3R b \u00e9\n",
        )
    ]
    + [
        ("onitama", text)
        for text in (
            "ssmss/5/5/5/SSMSS b", "ssmss/5/5/5/SSMSS b 1,2/3,4/99 1", "ssmss/5/5/5/SSMSS b 1,2/3,4 1",
            "ssmss/5/5/5/SSMSS b 1,2/3,4/1 1", "ssmss/5/5/S4/SSMSS b 1,2/3,4/5 1", "ssmss/5/5/M4/SSMSS b 1,2/3,4/5 1",
            "ss1ss/5/5/5/SSMSS b 1,2/3,4/5 1", "ssM1s/5/5/5/SS1SS b 1,2/3,4/5 1",
        )
    ]
    + [("66shogi", text) for text, message in CONTRADICTIONS.items() if message],
)  # fmt: skip
def test_bad_positions_have_the_same_message(nodes: Nodes, name: str, sfen: str) -> None:
    with pytest.raises(ValueError) as here:
        new_position(name, sfen)
    with pytest.raises(ValueError) as there:
        nodes(name).ask("show", sfen=sfen)
    assert str(there.value) == str(here.value)


@pytest.mark.parametrize(
    ("name", "move"),
    [("minishogi", move) for move in ("", "2e3d+", "7g7f", "K*3c", "P*3c", "P*3c+", "'2e", "5e5e", "z" * 50)]
    + [("onitama", move) for move in ("10:pass", "12:b1b2", "10:b1z9", "a", "10:b1b1")],
)
def test_bad_moves_have_the_same_message(nodes: Nodes, name: str, move: str) -> None:
    with pytest.raises(ValueError) as here:
        new_position(name).push(move)
    with pytest.raises(ValueError) as there:
        nodes(name).ask("show", moves=[move])
    assert str(there.value) == str(here.value)


# Search


def compare(node: Node, searcher: Searcher, position: BasePosition, limits: Limits, **options: Any) -> None:
    """Assert that a search in WebAssembly and the native search have the same result and, except for times, the same
    info lines."""
    infos: list[Info] = []
    searcher.new_game()
    result = searcher.search(position, limits, SearchOptions(**options), infos.append)
    given = {name: value for name, value in asdict(limits).items() if value not in (None, False, ())}
    camel = {
        "".join([first, *(word.title() for word in rest)]): value
        for name, value in options.items()
        for first, *rest in [name.split("_")]
    }
    found = node.ask(
        "search", sfen=position.start_sfen, moves=position.moves, limits=given, options=camel, infos=True, hash=4
    )
    assert (found["best"], found["ponder"], found["scoreKind"], found["score"], found["depth"], found["nodes"]) == (
        result.best, result.ponder, result.score_kind, result.score, result.depth, result.nodes,
    ), position.sfen()  # fmt: skip
    assert [
        (i["depth"], i["seldepth"], i["multipv"], i["score"], i["bound"], i["nodes"], i["hashfull"], i["pv"])
        for i in found["infos"]
    ] == [(i.depth, i.seldepth, i.multipv, i.score, i.bound, i.nodes, i.hashfull, i.pv) for i in infos]


@pytest.mark.parametrize("name", VARIANTS)
def test_a_hundred_positions_are_the_same(nodes: Nodes, name: str) -> None:
    """Check that the WebAssembly module and the native library have the same legal moves, outcomes and perft counts,
    and that their searches have the same results and node counts. In every tenth position, searches with a node limit,
    with three lines, and with limited strength are compared, too."""
    node, searcher = nodes(name), Searcher(hash_mb=4, variant=find(name))
    for index, (position, dice) in enumerate(part(equality_positions(name), 4)):
        game = {"sfen": position.start_sfen, "moves": position.moves}
        assert node.ask("show", **game) == told(position)
        assert node.ask("perft", **game, depth=2) == position.perft(2)
        compare(node, searcher, position, Limits(depth=EQUALITY_DEPTH[name], dice=dice))
        if index % 10 == 0:
            compare(node, searcher, position, Limits(nodes=5000, dice=dice))
            compare(node, searcher, position, Limits(depth=EQUALITY_DEPTH[name], dice=dice), multipv=3)
            compare(node, searcher, position, Limits(nodes=500, dice=dice), noise=300, seed=index)


@pytest.mark.parametrize(("name", "depth"), mostly_long(EXPORTED.items(), ("onitama", 6)))
def test_searches_with_networks_repeat_node_for_node(name: str, depth: int, tmp_path: Path) -> None:
    if lacking := missing():
        absent(lacking)
    rng, variant = random.Random(f"networks {name}"), find(name)
    with networks_in_use(tmp_path, variant):
        node, searcher = Node(variant, tmp_path), Searcher(hash_mb=4, variant=variant)
        for _ in range(12):
            position = random_game(name, rng, rng.randrange(60))
            if position.outcome() is not None:
                position.pop()
            compare(node, searcher, position, Limits(depth=depth))
        node.close()


def test_limits_and_options_have_the_same_effect(nodes: Nodes) -> None:
    name, rng = "minishogi", random.Random(5)
    searcher = Searcher(hash_mb=4, variant=find(name))
    for number in range(12):
        position = random_game(name, rng, 10 + number)
        moves = sorted(position.legal_moves())[:3]
        compare(nodes(name), searcher, position, Limits(depth=6), multipv=4)
        compare(nodes(name), searcher, position, Limits(nodes=20_000))
        compare(nodes(name), searcher, position, Limits(depth=5, searchmoves=tuple(moves)))
        compare(
            nodes(name), searcher, position, Limits(depth=6),
            draw_value_black=100, draw_value_white=-50, max_moves_to_draw=position.ply + 5,
        )  # fmt: skip
    shogi = new_position("shogi", "4K4/1+R+B+P+P+P+P2/2GGSS3/9/9/9/9/9/4k4 b RB2G2S 1")
    assert shogi.may_declare()
    for declaration in (True, False):
        compare(nodes("shogi"), Searcher(4, variant=find("shogi")), shogi, Limits(depth=4), declaration=declaration)
    with pytest.raises(ValueError, match="searchmoves: 5e5d is not legal here"):
        nodes(name).ask("search", limits={"depth": 3, "searchmoves": ["5e5d"]})
    with pytest.raises(ValueError, match="is played without a die"):
        nodes(name).ask("search", limits={"depth": 3, "dice": 3})


def test_the_searcher_keeps_its_memory_between_moves(nodes: Nodes) -> None:
    """Check that searches in WebAssembly have the same results as native searches if both keep their transposition
    table and histories during a game."""
    name = "minishogi"
    searcher, position = Searcher(hash_mb=4, variant=find(name)), new_position(name)
    searcher.new_game()
    for number in range(12):
        result = searcher.search(position, Limits(depth=6))
        found = nodes(name).ask("search", moves=position.moves, limits={"depth": 6}, keep=number > 0)
        assert (found["best"], found["score"], found["nodes"]) == (result.best, result.score, result.nodes)
        if result.best is None:
            break
        position.push(result.best)


@pytest.mark.clock
def test_a_clock_is_kept(nodes: Nodes) -> None:
    """Check that a search in WebAssembly uses most of its time limit of 150 ms, and that it needs less than 200 ms of
    processor time."""
    for name, limits in (("minishogi", {"movetime": 150}), ("dice-codingame", {"movetime": 150, "dice": 3})):
        nodes(name).ask("search", limits=limits)
        for _ in range(3):
            before = nodes(name).worked()
            assert nodes(name).ask("search", limits=limits, keep=True)["elapsed"] > 125
            assert nodes(name).worked() - before < 0.2


@pytest.mark.long
def test_the_example_of_the_docs(tmp_path: Path) -> None:
    """Check that the example in docs/web.md runs unchanged."""
    if lacking := missing():
        absent(lacking)
    write_games(tmp_path / "one", [find("minishogi")], print)
    example = (ROOT / "docs" / "web.md").read_text(encoding="utf-8").split("```js\n")[1].split("```")[0]
    command = ["node", "--input-type=module", "-", str(tmp_path / "one")]
    done = subprocess.run(command, cwd=ROOT, input=example, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    position = new_position("minishogi")
    position.push("3e3d")
    first, second = done.stdout.splitlines()
    assert first == f"{position.sfen()} {len(position.legal_moves())}"
    assert second.split()[0] in position.legal_moves()


@pytest.mark.long
def test_files_of_games_can_be_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the files of a game from the cache equal those that are made without it. Those of all games are made
    in the same way; Onitama's take the least time."""
    if lacking := missing():
        absent(lacking)
    names = "one", "two"
    for name in names:
        write_games(tmp_path / name, [find("onitama")], print)
        monkeypatch.setattr(games_folder, "_cached", lambda name, make, tell: make())
    written = [{path.name: path.read_bytes() for path in sorted((tmp_path / name).rglob("*.*"))} for name in names]
    assert written[0] == written[-1] and len(written[0]) == 4
