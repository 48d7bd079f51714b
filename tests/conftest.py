"""What the tests share: the engines they compare with, and positions to compare on."""

from __future__ import annotations

import os
import random
from collections.abc import Generator, Iterator
from typing import NamedTuple, NoReturn

import pytest

from rules.position import Position
from rules.variants import VARIANTS
from search.library import warmup
from support import referee


class Sample(NamedTuple):
    """A position of a random game, with what the engine said of it in the middle of that game."""

    sfen: str
    legal_moves: list[str]
    key: int
    checkers: list[str]


def absent(peer: str) -> NoReturn:
    """Skip a test whose peer is not installed; where CI is set, everything has to be there."""
    reason = f"{peer} is not installed: nothing to compare with"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Before the whole suite, build for all games at once, which uses two processors; a few tests build what they
    need."""
    if len(session.items) > 500:
        warmup(lambda text: None, *VARIANTS.values())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    """Skip any test that asks `referee` for a pyffish which is not there."""
    try:
        return (yield)
    except ModuleNotFoundError as error:
        if error.name != "pyffish":
            raise
        absent("pyffish")


@pytest.fixture(scope="session")
def fairy_stockfish() -> Iterator[referee.FairyStockfish]:
    """One Fairy-Stockfish for all tests."""
    path = referee.find_fairy_stockfish()
    if path is None:
        absent("fairy-stockfish")
    with referee.FairyStockfish(path) as engine:
        yield engine


@pytest.fixture(scope="session")
def samples() -> list[Sample]:
    """20,000 different positions from random games of at most 150 plies, always the same ones."""
    rng, found, position = random.Random(20_000), dict[str, Sample](), Position("minishogi")
    while len(found) < 20_000:
        moves = sorted(position.legal_moves())
        sfen = position.sfen()
        found.setdefault(sfen.rsplit(" ", 1)[0], Sample(sfen, moves, position.key, position.checkers))
        if not moves or len(position.moves) >= 150:
            position = Position("minishogi")
        else:
            position.push(rng.choice(moves))
    return list(found.values())
