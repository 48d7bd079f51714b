"""The cost of the page: the first visit, the start, a move, and an idle page."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

import pytest

from support.browsers.meter import Meter
from support.browsers.played_page import PlayedPage, begin_own_game, plies_in_time

if TYPE_CHECKING:
    from playwright.sync_api import Browser

START = 0.5  # seconds of the page's main thread
DRAWN = 0.1  # seconds of the main thread for a move: two clicks and the drawing

# Keeps the page's main thread busy for most of the time, so that it handles messages late.
BUSY_PAGE = """setInterval(() => {
  const end = performance.now() + 2000;
  while (performance.now() < end);
}, 50)"""

pytestmark = pytest.mark.clock


@pytest.mark.long
def test_the_page_starts_fast(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    meter = Meter(opened.page)
    before = meter.seconds()
    opened.page.reload()
    opened.page.wait_for_selector("html[data-ready]", state="attached")
    assert 0.02 < meter.seconds() - before < START


@pytest.mark.long
def test_an_idle_page_rests(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    page = opened.page
    opened.new_game("minishogi", player_0="person", player_1="engine:", level_1="340")
    opened.play("5d5c", 0)
    opened.wait("person")
    page.wait_for_timeout(500)  # wait until everything started by the move has ended
    meter = Meter(page)
    before, began = meter.seconds(), time.perf_counter()
    page.wait_for_timeout(2000)
    assert meter.seconds() - before < 0.01 * (time.perf_counter() - began)
    assert opened.heard == []


def test_a_move_is_drawn_at_once(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    page = opened.page
    opened.new_game("shogi", player_0="person", player_1="person")
    meter, worked = Meter(page), list[float]()
    for index, move in enumerate(["7g7f", "3c3d", "2g2f", "8c8d", "2f2e", "8d8e"]):
        before = meter.seconds()
        opened.play(move, index % 2)
        page.wait_for_selector(f'#moves [aria-current="step"][data-move="{move}"]')
        page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        worked.append(meter.seconds() - before)
    assert 0.001 < statistics.median(worked) < DRAWN, worked
    assert opened.heard == []


@pytest.mark.long
def test_messages_that_arrive_late_cost_no_time(browser: Browser, site_address: str) -> None:
    """Check that a late message from the engine's Worker makes no side lose on time. The page counts only the time of a
    move that the Worker itself has measured."""
    opened = PlayedPage(browser, site_address)
    begin_own_game(opened, "3")
    opened.page.evaluate(BUSY_PAGE)
    assert plies_in_time(opened, 3) == 3
    assert opened.heard == []
