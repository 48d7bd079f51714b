"""*Find mate* on the page: the button, the mate's line, the defences, stopping, and positions without an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from kogoma.rules.position import new_position
from kogoma.search.mate.solver import MateLimits, MateSolver
from kogoma.search.table_memory import Table
from support.browsers.analysis_page import AnalysisPage, minishogi_page, pieces_of
from support.browsers.axe import serious_faults

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

MATE = "1rsg1/P2k1/4R/1G3/K1SB1 b BP 1"  # in 7 moves
NO_MATE = "rbsgk/4p/5/P4/KGSBR b - 1"
CHECKED = "2g1k/5/4P/r4/K4 b G 1"  # Black is in check, and no move that answers it gives check
HARD = "ckxhgs/pppppp/6/6/PPPPPP/HXKYRV b - 1"  # Generals: the solver tries all moves


@pytest.fixture
def opened(browser: Browser, site_address: str) -> Iterator[AnalysisPage]:
    """Yield the page with a new game of minishogi between two people."""
    with minishogi_page(browser, site_address) as page:
        yield page


def set_up(opened: AnalysisPage, sfen: str) -> None:
    opened.open_text(f"sfen {sfen}")
    opened.page.wait_for_selector("dialog", state="detached")
    opened.tab("lines")


def wait_told(opened: AnalysisPage, words: str) -> None:
    """Wait until the sentence about the shown position contains these words."""
    opened.page.wait_for_function(
        "(words) => document.querySelector('#mate-status')?.textContent.includes(words)", arg=words
    )


def lines(opened: AnalysisPage) -> list[tuple[str, list[str]]]:
    """Return the lines of the mate: scores, and moves in USI notation."""
    found: list[tuple[str, list[str]]] = opened.page.locator("#mate-lines .line:not([hidden])").evaluate_all(
        """(rows) => rows.map((row) => [row.querySelector(".line-score").textContent,
          [...row.querySelectorAll("button:not([hidden])")].map((one) => one.dataset.usi)])"""
    )
    return [(score, moves) for score, moves in found]


def test_a_mate_is_found_and_every_defence_is_answered(opened: AnalysisPage) -> None:
    page = opened.page
    before = list(opened.requests)
    assert not any("mate" in address for address in before)
    set_up(opened, MATE)
    page.focus("#find-mate")
    page.keyboard.press("Enter")
    wait_told(opened, "Mate in 7 moves.")
    position = new_position("minishogi", MATE)
    answer = MateSolver(Table(16)).solve(position, MateLimits(shortest=True))
    assert lines(opened) == [("+mate 7", answer.moves)]
    # After the first move, the lines are those of all legal defences, the longest mate first.
    page.locator("#mate-lines .move").first.click()
    wait_told(opened, "defences are mated")
    position.push(answer.moves[0])
    defences = lines(opened)
    assert sorted(moves[0] for _, moves in defences) == sorted(position.legal_moves())
    for score, moves in defences:
        position.push(moves[0])
        left = MateSolver(Table(16)).solve(position, MateLimits(shortest=True)).plies
        assert left <= int(score.removeprefix("+mate ")) <= 5
        position.pop()
    # The person chooses the last defence, and sees the answer and what follows it; the moves are in the tree.
    score, moves = defences[-1]
    page.locator("#mate-lines .line:not([hidden])").last.locator(".move").nth(1).click()
    wait_told(opened, "This is mate." if score == "+mate 1" else "defences are mated")
    assert [opened.tree[0], len(opened.tree)] == ["Start", 4]
    for move in moves[:2]:
        position.push(move)
    assert opened.pieces == pieces_of(position)
    # Back at the defender's turn, the defences are still known.
    page.locator("#tree [role=treeitem]").nth(1).click()
    assert lines(opened) == defences
    assert serious_faults(page) == []


def test_the_proof_is_walked_by_keyboard(opened: AnalysisPage) -> None:
    """Check that the focus follows the lines, and that the last focus of a mate is on the button."""
    page = opened.page
    set_up(opened, MATE)
    page.focus("#find-mate")
    page.keyboard.press("Enter")
    wait_told(opened, "Mate in 7 moves.")
    page.keyboard.press("Tab")
    while not page.evaluate("document.activeElement.matches('#mate-lines .move')"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    wait_told(opened, "defences are mated")
    page.wait_for_function("() => document.activeElement.matches('#mate-lines .line:first-child .move:first-child')")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_told(opened, "defences are mated")
    assert len(opened.tree) == 4
    page.wait_for_function("() => document.activeElement.matches('#mate-lines .line:first-child .move:first-child')")


def test_a_search_is_stopped(opened: AnalysisPage) -> None:
    """Check that a search shows its progress, and ends when the person stops it, shows another position or opens
    another game; then the next search works."""
    page = opened.page
    opened.new_game("generals", player_0="person", player_1="person")
    set_up(opened, HARD)

    def begin() -> None:
        page.click("#find-mate")
        page.wait_for_function(
            "() => document.querySelector('#mate-progress')?.textContent.includes('of at most 60 s')"
        )
        assert page.inner_text("#find-mate") == "Stop the search for a mate"

    begin()
    assert page.inner_text("#mate .row").split("\n")[-1] == "and 16 MB of memory"
    page.click("#find-mate")
    wait_told(opened, "Stopped without an answer.")
    begin()
    move = new_position("generals", HARD).legal_moves()[0]
    opened.play(move, 0)
    page.wait_for_function("() => document.querySelector('#find-mate').textContent === 'Find mate'")
    assert page.inner_text("#mate-status") == ""
    begin()
    opened.new_game("minishogi", player_0="person", player_1="person")
    set_up(opened, MATE)
    page.click("#find-mate")
    wait_told(opened, "Mate in 7 moves.")


@pytest.mark.long
def test_the_time_is_limited(opened: AnalysisPage) -> None:
    opened.new_game("generals", player_0="person", player_1="person")
    set_up(opened, HARD)
    opened.page.click("#find-mate")
    opened.page.click("#find-mate")
    wait_told(opened, "Stopped without an answer.")
    opened.page.select_option("#mate-time", "10")
    opened.page.click("#find-mate")
    wait_told(opened, "No answer within 10 s.")


def test_a_position_without_a_mate(opened: AnalysisPage) -> None:
    for sfen in (NO_MATE, CHECKED):
        set_up(opened, sfen)
        opened.page.click("#find-mate")
        wait_told(opened, "No mate by continuous checks.")
        assert lines(opened) == []
        assert MateSolver(Table(16)).verdict(new_position("minishogi", sfen)) == "nomate"


def test_games_with_a_die_have_no_button(opened: AnalysisPage) -> None:
    set_up(opened, NO_MATE)
    assert opened.page.is_visible("#find-mate")
    opened.new_game("dice", player_0="person", player_1="person")
    opened.tab("lines")
    assert opened.page.is_hidden("#find-mate")
