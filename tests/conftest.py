"""The fixtures and hooks of all tests: command-line options, the order of the tests, engines to compare with."""

from __future__ import annotations

import os
import random
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from kogoma.environment import NO_INSTALL
from kogoma.japanese import LANGUAGE
from kogoma.native.prebuilt import IGNORE
from kogoma.rules.variants import VARIANTS
from kogoma.search.library import TABLEBASES, build_all, dice_library, libraries_of, mate_library, tablebase_library
from kogoma.search.processors import processors
from support import referee, scope
from support.browsers.board_page import board, checkout_address
from support.browsers.page_records import page_nodes
from support.dice_search import plain_library
from support.kernels import LAYOUTS, entries_library
from support.peers import absent, add_node_to_path
from support.repeats import Repeats
from support.samples import Sample, samples
from support.site import browser, needs_chromium, plain_address, site_address, site_folder

# Fixtures.
__all__ = [
    "board",
    "browser",
    "checkout_address",
    "needs_chromium",
    "page_nodes",
    "plain_address",
    "site_address",
    "site_folder",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options --all, --passed and --seed."""
    parser.addoption("--all", action="store_true", help="also run the tests marked `long`, and draw new random seeds")
    parser.addoption(
        "--passed",
        type=Path,
        metavar="FILE",
        help="write the names of tests that pass to FILE; with --all, skip those in FILE",
    )
    parser.addoption("--seed", type=int, help="seed of the tests that fuzz (by default 1; a new one with --all)")


def pytest_configure(config: pytest.Config) -> None:
    """Apply the options --all, --passed and --seed, and add Node to PATH. xdist sends the seed to its workers. Select
    English messages, whatever the language of the machine is. Prevent commands that tests start from installing
    packages. Unless an installed engine is tested, ignore the checkout's prebuilt libraries, so that results do not
    depend on them."""
    os.environ[LANGUAGE] = "en"
    os.environ[NO_INSTALL] = "1"
    if not os.environ.get("KOGOMA_TEST_ENGINE"):
        os.environ[IGNORE] = "1"
    whole = config.getoption("--all")
    if config.getoption("--seed") is None:
        config.option.seed = random.SystemRandom().randrange(2**31) if whole else 1
    slow = [HealthCheck.too_slow]  # the machine may be busy, so there is no deadline either
    settings.register_profile("fixed", derandomize=True, deadline=None, suppress_health_check=slow)
    settings.register_profile("new", print_blob=True, deadline=None, suppress_health_check=slow)
    settings.load_profile("new" if whole else "fixed")
    scope.set_whole(whole)
    if file := config.getoption("--passed"):
        config.pluginmanager.register(Repeats(file, whole))
    add_node_to_path()


def pytest_report_header(config: pytest.Config) -> str:
    """Return a line with the seed. pytest prints this line at the start of a run."""
    return f"seed: {config.getoption('--seed')} (--seed repeats a run)"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Put the tests of each file into one group, so that a single worker runs all of them. xdist reads the groups
    before `pytest_collection_modifyitems` runs, so this hook sets the groups."""
    if not item.get_closest_marker("xdist_group"):
        item.add_marker(pytest.mark.xdist_group(item.path.relative_to(item.config.rootpath / "tests").as_posix()))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Remove the tests marked `long` unless --all is given. Mark fast tests as `quick`. Start slow tests first, so that
    no worker still has a slow test to run at the end."""
    if not config.getoption("--all"):
        long = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
    for item in items:
        if not any(item.iter_markers("slow")) and not any(item.iter_markers("clock")):
            item.add_marker(pytest.mark.quick)
    if not config.pluginmanager.hasplugin("randomly"):
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return the number of workers, which is one more than the number of processors. Many tests only wait for a clock
    or for another program."""
    return processors() + 1


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Build the native libraries of all variants before the workers start. Without workers, each test builds the
    libraries that it needs."""
    if getattr(session.config.option, "numprocesses", None) and not hasattr(session.config, "workerinput"):
        libraries = {library: None for variant in VARIANTS.values() for library in libraries_of(variant)}
        for layout in LAYOUTS:
            libraries |= dict.fromkeys([mate_library(layout), entries_library(layout)])
        libraries |= dict.fromkeys(map(tablebase_library, TABLEBASES))
        for layout in ("64", "128") if session.config.getoption("--all") else ("64",):  # 128: a random variant's
            libraries |= dict.fromkeys([dice_library(layout), plain_library(layout)])
        build_all(list(libraries), print)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    """Skip a test that needs the package pyffish if pyffish is not installed."""
    try:
        return (yield)
    except ModuleNotFoundError as error:
        if error.name != "pyffish":
            raise
        absent("pyffish")


@pytest.fixture(scope="session")
def fairy_stockfish() -> Iterator[referee.FairyStockfish]:
    """Yield a Fairy-Stockfish process that all tests share."""
    path = referee.find_fairy_stockfish()
    if path is None:
        absent("fairy-stockfish")
    with referee.FairyStockfish(path) as engine:
        yield engine


@pytest.fixture(scope="session")
def seed(request: pytest.FixtureRequest) -> int:
    """Return the seed of the fuzz tests."""
    return int(request.config.getoption("--seed"))


@pytest.fixture(scope="session", name="samples")
def sampled() -> list[Sample]:
    """Return the positions of `support.samples`."""
    return samples()
