"""The review of a game on the page: search, marks, figures, better lines, and questions that the keyboard answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from support.browsers.analysis_page import AnalysisPage
from support.browsers.axe import serious_faults

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# White leaves the rook unguarded with the second move, and Black does not take it.
MOVES = "2e3d 4a5b 1e2e 5b4a 2e1e 4a5b".split()

# This script replaces the time limits of searches by a number of nodes, so that results do not depend on the machine.
FEW_NODES = """() => {
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...more) {
    if (message.limits?.movetime) message = { ...message, limits: { ...message.limits, movetime: undefined, nodes: 3000 } };
    return post.call(this, message, ...more);
  };
}"""


@pytest.fixture
def opened(browser: Browser, site_address: str) -> Iterator[AnalysisPage]:
    """Yield the page with a new game of minishogi between two people."""
    page = AnalysisPage(browser, site_address, viewport={"width": 1500, "height": 1000})
    page.page.evaluate(FEW_NODES)
    page.new_game("minishogi", player_0="person", player_1="person")
    yield page
    assert page.heard == []
    page.context.close()


def test_a_game_is_reviewed_and_its_mistakes_are_learnt(opened: AnalysisPage) -> None:
    page = opened.page
    opened.open_text(f"position startpos moves {' '.join(MOVES)}")
    page.wait_for_selector("dialog", state="detached")
    opened.tab("review")
    page.click("#review-game")
    page.wait_for_function("() => document.querySelector('#review-status').textContent === 'The review is complete.'")
    assert page.locator("#moves small:not(:empty)").count() == len(MOVES)
    assert serious_faults(page, "#panel-review") == []
