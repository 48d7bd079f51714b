"""Exported bots that carry tables of piece relations: the same search as the engine's with the same tables."""

from __future__ import annotations

import functools
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kogoma.arena.export.command import LIMIT, compose
from kogoma.arena.export.host.relation_table import unpack_table
from kogoma.arena.export.targets import GAMES
from kogoma.eval.relation_table import Features, split_bytes
from kogoma.eval.weights import cached_weights
from kogoma.rules.dice.die import allowed
from kogoma.rules.position import new_position
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher
from support.exports.files import bare, searches
from support.exports.kernels import Native, described, exported, generated, random_positions
from support.random_tables import random_table, tables_in_use
from support.scope import mostly_long

pytestmark = pytest.mark.slow

DEPTHS = {
    "native": {"minishogi": 6, "dice": 2, "onitama": 6, "generals": 4},
    "python": {"minishogi": 3, "dice": 1, "onitama": 3},
}
TURNS = Path(__file__).parents[1] / "data" / "onitama_turns.jsonl"
COUNT = {"native": 20, "python": 10}
Wanted = list[tuple[str, int | None, int]]  # (sfen, roll, depth)
Found = list[list[object]]  # [best move, kind of score, score, nodes]


@pytest.fixture(scope="module", autouse=True)
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Random tables for every game."""
    with tables_in_use(tmp_path_factory.mktemp("weights"), *(game.variant for game in GAMES.values())):
        yield


@functools.cache
def composed(game: str, flavor: str = "native") -> str:
    """The file with the tables in use, made once."""
    return compose(game, flavor)


def positions(game: str, flavor: str) -> Wanted:
    """Positions of random games."""
    rng, found = random.Random(game), Wanted()
    for position in random_positions(GAMES[game].variant.name, COUNT[flavor], seed=3):
        rolls = [roll for roll in range(1, 7) if allowed(position, roll)] if position.variant.die else [None]
        if rolls:
            found.append((position.sfen(), rng.choice(rolls), DEPTHS[flavor][game]))
    return found


def engine(game: str, wanted: Wanted) -> Found:
    """What the engine finds, with the tables in use."""
    variant = GAMES[game].variant
    searcher, found = Searcher(16, variant=variant), Found()
    for sfen, roll, depth in wanted:
        searcher.new_game()
        result = searcher.search(new_position(variant, sfen), Limits(depth=depth, dice=roll))
        found.append([result.best, result.score_kind, result.score, result.nodes])
    return found


@pytest.mark.parametrize(
    ("flavor", "game"),
    mostly_long([(flavor, game) for flavor, games in DEPTHS.items() for game in games], ("native", "onitama")),
)
def test_the_search_is_the_engines_with_the_same_tables(flavor: str, game: str, tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    text = composed(game, flavor)
    path.write_text(text, encoding="utf-8")
    assert len(text) <= LIMIT and re.search('\nTABLES ?= ?"[^"]{1000}', text)
    wanted = positions(game, flavor)
    assert searches(path, wanted) == engine(game, wanted)


@pytest.mark.long
def test_on_other_processors_plain_python_goes_on_with_the_tables(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(composed("onitama"), encoding="utf-8")
    first = next(turn for line in TURNS.read_text().splitlines() if (turn := json.loads(line))["first"])["input"]
    elsewhere = "import platform; platform.machine = lambda: 'arm'"
    program = f"import runpy, sys; {elsewhere}; runpy.run_path(sys.argv[1], run_name='__main__')"
    done = bare("-c", program, path, text="\n".join(first) + "\n")
    assert "going on in plain Python" in done.stderr and done.stdout.rstrip("\n") in first, done.stderr


@pytest.mark.long
def test_a_file_with_tables_is_always_the_same() -> None:
    assert compose("onitama") == composed("onitama")


@pytest.mark.parametrize(
    "name", mostly_long(["minishogi-codingame", "dice-codingame", "onitama", "generals"], "onitama")
)
def test_generated_kernels_evaluate_with_tables(name: str) -> None:
    native = Native(name)
    with exported(name, generated(name)) as process:
        for position in random_positions(name, 15, seed=2):
            answer = process.ask(depth=1, step=60_000, **described(position))
            assert answer["eval"] == native.static_eval(position), position.sfen()


@pytest.mark.parametrize("game", GAMES)
def test_tables_come_back_from_their_bytes(game: str) -> None:
    variant = GAMES[game].variant
    table = random_table(variant)
    assert abs(table).max() > 127
    assert (cached_weights(variant)["table"] == table).all()
    numbers = unpack_table(split_bytes(table), Features(variant).count)
    assert numbers.tolist() == [0, *table.ravel().tolist()]


@pytest.mark.long
def test_where_tables_do_not_fit_the_file_goes_without(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Generals has 800 features."""
    text = compose("generals", "python")
    assert len(text) <= LIMIT and "the tables are left out" in capsys.readouterr().err
    path = tmp_path / "bot.py"
    path.write_text(text, encoding="utf-8")
    (found,) = searches(path, [(GAMES["generals"].variant.start, None, 2)])
    assert found[0]


@pytest.mark.long
def test_without_tables_plain_python_stays_readable() -> None:
    text = compose("minishogi", "python", with_tables=False)
    assert "--no-tables`" in text.splitlines()[1]
    assert all(f"def {name}(" in text for name in ("quiesce", "start_picking", "continuation_row", "king_danger"))
    assert len(compose("onitama", "native", with_tables=False)) < len(composed("onitama")) - 2_000
