"""What the tests share: the engines they compare with, and positions to compare on."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from rules.native.library import Library
from rules.variants import VARIANTS
from search.library import warmup
from support import referee
from support.browsers.board_page import board, checkout_address
from support.browsers.page_records import page_nodes
from support.dice_search import plain_library
from support.kernels import LAYOUTS, entries_library
from support.peers import absent
from support.samples import Sample, samples
from support.site import browser, plain_address, site_address, site_folder

# Fixtures.
__all__ = ["board", "browser", "checkout_address", "page_nodes", "plain_address", "site_address", "site_folder"]

# Files with clocks: time limits, games in real time, memory. They run alone, after all others.
CLOCK = frozenset(
    f"tests/{name}.py"
    for name in (
        "arena/test_codingame",
        "arena/test_cold_cache",
        "arena/test_margin",
        "lab/test_engines",
        "lab/test_peer_games",
        "mate/test_go_mate",
        "search/test_clocks",
        "usi/test_clients",
        "usi/test_time",
        "web/page/test_page_time",
    )
)
# Files that take long, the longest first, as they are to be begun; what is in neither list is quick.
SLOW = tuple(
    f"tests/{name}.py"
    for name in (
        "lab/test_tune",
        "arena/test_export_files",
        "arena/test_export_wasm",
        "arena/test_export_tables",
        "arena/test_export_python",
        "arena/test_export_codeabbey",
        "arena/test_streams",
        "web/page/test_games",
        "web/page/test_play",
        "web/page/test_look",
        "web/page/test_keep",
        "web/page/test_offline",
        "web/test_client_engine",
        "web/test_server_page",
        "web/test_board_looks",
        "web/test_board_moves",
        "web/test_board_editor",
        "web/test_analysis_page",
        "web/test_analysis_server",
        "web/test_records_kif",
        "web/test_records_lines",
        "web/test_records_page",
        "web/test_wasm",
        "web/test_server_engines",
        "web/test_server_guard",
        "mate/test_solver",
        "rules/test_moves",
        "rules/test_perft",
        "rules/test_perft_page",
        "rules/test_own_games",
        "rules/test_own_games_peers",
        "mate/test_suite",
        "mate/test_mate_command",
        "kifu/test_judges",
        "rules/test_outcome",
        "lab/test_resume",
        "lab/test_tune_search",
        "lab/test_soak",
        "rules/test_generators",
        "search/test_see",
        "search/test_ordering",
        "lab/test_match",
        "lab/test_report",
        "lab/test_analyse",
        "book/test_book_making",
        "lab/test_statistics",
        "lab/test_cluster",
        "own/test_changed_games",
        "rules/test_variants",
        "rules/test_onitama",
        "rules/test_recorded_games",
        "search/test_mates",
        "search/test_search",
        "search/test_expectimax",
        "arena/test_recorded_turns",
        "arena/test_codeabbey",
        "usi/test_engine_sh",
        "rules/test_compiled_objects",
        "usi/test_bad_input",
        "usi/test_answers",
        "usi/test_fuzz",
        "usi/test_declared_ends",
        "usi/test_variant_option",
    )
)


def file_of(nodeid: str) -> str:
    """The path of a test's file, from the checkout."""
    return nodeid.split("::", 1)[0]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests by their files, and bring them into the order in which they are to be begun."""
    rank = {file: number - len(SLOW) for number, file in enumerate(SLOW)} | dict.fromkeys(CLOCK, 1)
    for item in items:
        file = file_of(item.nodeid)
        if file in CLOCK:
            item.add_marker(pytest.mark.clock)
        elif file not in SLOW:
            item.add_marker(pytest.mark.quick)
    items.sort(key=lambda item: rank.get(file_of(item.nodeid), 0))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let tests without clocks run side by side."""
    from support.scheduling import ClocksAlone

    config.option.loadscopereorder = False  # the order above is better
    scheduler = ClocksAlone(config, log)
    scheduler.has_clocks = CLOCK.__contains__
    return scheduler


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Before there are workers, build for all games at once; without them a test builds what it needs."""
    if getattr(session.config.option, "numprocesses", None) and not hasattr(session.config, "workerinput"):
        warmup(print, *VARIANTS.values())
        with ThreadPoolExecutor(2) as pool:  # as warmup does
            list(pool.map(Library.build, [plain_library(), *map(entries_library, LAYOUTS)]))


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
