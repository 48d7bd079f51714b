"""What the page costs: its first visit, its start, and nothing while nothing happens."""

from __future__ import annotations

import gzip
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

from support.browsers.played_page import PlayedPage

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FIRST_VISIT = 400_000  # bytes, compressed, of minishogi
START = 1000  # ms
DRAWN = 50  # ms from the click to the picture

# From the end of the click that makes a move to the first frame that shows it.
WATCH = """() => {
  window.took = [];
  let clicked = 0;
  addEventListener("pointerup", () => { clicked = performance.now(); }, true);
  new MutationObserver(() => requestAnimationFrame(() => window.took.push(performance.now() - clicked)))
    .observe(document.querySelector("#moves"), { childList: true });
}"""


def test_the_first_visit_is_light_and_quick(browser: Browser, site_address: str, site_folder: Path) -> None:
    opened = PlayedPage(browser, site_address)
    sizes = {}
    for address in opened.requests:
        path = site_folder / (address.removeprefix(site_address).split("?")[0] or "index.html")
        data = path.read_bytes()
        sizes[path.name] = min(len(gzip.compress(data)), len(data))
    assert sum(sizes.values()) < FIRST_VISIT, sizes
    # The page names all modules that it loads, so that none is asked for only after another one has come.
    links = "(links) => links.map((link) => link.href || link.src)"
    named = opened.page.eval_on_selector_all("link[rel=modulepreload], script[type=module]", links)
    assert set(named) == {address for address in opened.requests if address.endswith(".js")}
    ready = [float("inf")]
    # On a busy machine the page waits for its turn: then another try shows what it needs itself.
    while min(ready) >= START and len(ready) < 20:
        opened.page.reload()
        opened.page.wait_for_selector("html[data-ready]", state="attached")
        ready.append(opened.page.evaluate("performance.now()"))
    assert min(ready) < START


def test_an_idle_page_rests(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    page = opened.page
    opened.new_game("minishogi", player_0="person", player_1="engine:", level_1="375")
    opened.play("5d5c", 0)
    opened.wait("person")
    page.wait_for_timeout(1000)  # what the move has set going comes to its end
    client = opened.context.new_cdp_session(page)
    client.send("Performance.enable")

    def busy() -> float:
        metrics = client.send("Performance.getMetrics")["metrics"]
        return float(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))

    before, started = busy(), time.perf_counter()
    page.wait_for_timeout(3000)
    assert (busy() - before) / (time.perf_counter() - started) < 0.01
    assert opened.heard == []


def test_a_move_is_drawn_at_once(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    page = opened.page
    opened.new_game("shogi", player_0="person", player_1="person")
    page.evaluate(WATCH)
    moves = ["7g7f", "3c3d", "2g2f", "8c8d", "2f2e", "8d8e"]
    for index, move in enumerate(moves):
        opened.play(move, index % 2)
        page.wait_for_selector(f'#moves [aria-current="step"][data-move="{move}"]')
        page.wait_for_timeout(100)  # so that each is drawn by itself
    took = page.evaluate("window.took")
    assert len(took) >= len(moves) and statistics.median(took) < DRAWN, took
    assert opened.heard == []
