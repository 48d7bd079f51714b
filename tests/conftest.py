"""What the tests share: the engines they compare with, and positions to compare on."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import pytest

from rules.variants import VARIANTS
from search.library import warmup
from support import referee
from support.peers import absent
from support.samples import Sample, samples


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


@pytest.fixture(scope="session", name="samples")
def sampled() -> list[Sample]:
    """What `support.samples` has."""
    return samples()
