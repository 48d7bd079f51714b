"""Exported bots with networks search like the engine with the same networks."""

from __future__ import annotations

import functools
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kogoma.arena.export.command import LIMIT, compose
from kogoma.arena.export.native_code import unpack_network
from kogoma.arena.export.targets import GAMES
from kogoma.eval.network_file import split_bytes
from kogoma.eval.weights import cached_weights
from kogoma.rules.dice.die import allowed
from kogoma.rules.position import new_position
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher
from support.exports.files import bare, searches
from support.exports.positions import random_positions
from support.random_networks import networks_in_use, random_network

pytestmark = pytest.mark.slow

DEPTHS = {"minishogi": 6, "dice": 2, "onitama": 6, "generals": 4}
TURNS = Path(__file__).parents[1] / "data" / "onitama_turns.jsonl"
COUNT = 20
Wanted = list[tuple[str, int | None, int]]  # (sfen, roll, depth)
Found = list[list[object]]  # [best move, kind of score, score, nodes]


@pytest.fixture(scope="module", autouse=True)
def networks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Replace the networks of all games by random networks while the tests of this module run."""
    with networks_in_use(tmp_path_factory.mktemp("weights"), *(game.variant for game in GAMES.values())):
        yield


@functools.cache
def composed(game: str) -> str:
    """Return the text of a game's exported file. Each file is composed only once, with the random networks of this
    module."""
    return compose(game)


def positions(game: str) -> Wanted:
    """Return positions of random games. Each is a tuple of the SFEN, a roll of the die or None, and the search
    depth."""
    rng, found = random.Random(game), Wanted()
    for position in random_positions(GAMES[game].variant.name, COUNT, seed=3):
        rolls = [roll for roll in range(1, 7) if allowed(position, roll)] if position.variant.die else [None]
        if rolls:
            found.append((position.sfen(), rng.choice(rolls), DEPTHS[game]))
    return found


def engine(game: str, wanted: Wanted) -> Found:
    """Return the results of the engine's searches of the positions `wanted`, with the game's network."""
    variant = GAMES[game].variant
    searcher, found = Searcher(16, variant=variant), Found()
    for sfen, roll, depth in wanted:
        searcher.new_game()
        result = searcher.search(new_position(variant, sfen), Limits(depth=depth, dice=roll))
        found.append([result.best, result.score_kind, result.score, result.nodes])
    return found


@pytest.mark.long
@pytest.mark.parametrize("game", DEPTHS)
def test_the_search_equals_the_engines_with_the_same_network(game: str, tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    text = composed(game)
    path.write_text(text, encoding="utf-8")
    assert len(text) <= LIMIT and re.search('\nNETWORK ?= ?"[^"]{1000}', text)
    wanted = positions(game)
    assert searches(path, wanted) == engine(game, wanted)


@pytest.mark.long
def test_on_other_processors_plain_python_is_used(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(composed("onitama"), encoding="utf-8")
    first = next(turn for line in TURNS.read_text().splitlines() if (turn := json.loads(line))["first"])["input"]
    elsewhere = "import platform; platform.machine = lambda: 'arm'"
    program = f"import runpy, sys; {elsewhere}; runpy.run_path(sys.argv.pop(1), run_name='__main__')"
    done = bare("-c", program, path, text="\n".join(first) + "\n")
    assert "going on in plain Python" in done.stderr and done.stdout.rstrip("\n") in first, done.stderr


@pytest.mark.long
def test_a_file_with_a_network_is_always_the_same() -> None:
    assert compose("onitama") == composed("onitama")


@pytest.mark.parametrize("game", GAMES)
def test_packed_networks_are_unpacked(game: str) -> None:
    variant = GAMES[game].variant
    rows = random_network(variant).rows
    assert abs(rows).max() > 127
    assert (cached_weights(variant)["layers"].rows == rows).all()
    assert unpack_network(split_bytes(rows)) == rows.astype("<i2").tobytes()


@pytest.mark.long
def test_without_a_network_the_file_is_smaller(capsys: pytest.CaptureFixture[str]) -> None:
    text = compose("onitama", "native", with_network=False)
    assert "--no-network`" in text.splitlines()[2]
    assert len(text) < len(composed("onitama")) - 2_000
