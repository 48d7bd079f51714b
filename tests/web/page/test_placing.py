"""66-shogi on the web page: placements by click, drag, tap and keyboard, reloading in the phase, and the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kogoma.rules.position import Position
from support.browsers.played_page import PlayedPage

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

PEOPLE = {"player_0": "person", "player_1": "person"}


def hand(opened: PlayedPage, side: int) -> str:
    """Return the letters of the pieces that the page shows in a hand."""
    found: list[str] = opened.page.eval_on_selector_all(
        f'#board [data-key^="hand{side}"]', "(all) => all.map((one) => one.dataset.key.at(-1))"
    )
    return "".join(sorted(found))


def test_pieces_are_placed_by_click_drag_tap_and_keyboard(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address, has_touch=True)
    page = opened.page
    opened.new_game("66shogi", **PEOPLE)
    assert hand(opened, 0) == hand(opened, 1) == "BGKLNRS"
    opened.play("K*1f", 0)
    opened.item("hand1R").drag_to(opened.item("6a"))
    assert hand(opened, 1) == "GKLNS"  # the bishop has left the hand
    opened.item("hand0N").tap()
    opened.item("2f").tap()
    opened.item("hand1K").locator("[role=button]").focus()
    page.keyboard.press("Enter")
    opened.item("1a").focus()
    page.keyboard.press("Enter")
    opened.item("hand0G").click()
    opened.item("3d").click()  # not on the first rank
    opened.play("G*3f", 0)
    assert opened.moves == ["K*1f", "R*6a", "N*2f", "K*1a", "G*3f"]
    page.keyboard.press("Escape")
    opened.view("analyse")
    opened.view("play")
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert opened.moves == ["K*1f", "R*6a", "N*2f", "K*1a", "G*3f"] and hand(opened, 0) == "BLRS"
    assert opened.heard == []


def test_the_engine_places_its_pieces_and_plays(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address, seed=3)
    opened.new_game("66shogi", player_0="engine:", player_1="engine:", level_0="340", level_1="340")
    opened.page.wait_for_function("() => document.querySelectorAll('#moves [data-move]').length >= 24", timeout=120_000)
    position = Position("66shogi")
    for move in opened.moves:
        position.push(move)
    assert opened.heard == []


def test_the_rules_tell_of_the_placements(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    opened.new_game("66shogi", **PEOPLE)
    opened.page.click("#do-rules")
    text = opened.page.inner_text("dialog .rules")
    assert "1 deep and 6 pieces each" in text and "Of rook, bishop, a side places only one" in text


def test_moves_in_japanese_have_the_short_names_of_records(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address, locale="ja-JP")
    opened.new_game("66shogi", **PEOPLE)
    for side, move in enumerate(("R*6f", "L*1a")):
        opened.play(move, side)
    assert [text.split()[-1] for text in opened.page.locator("#moves [data-move]").all_inner_texts()] == [
        "6六飛打",
        "1一香打",
    ]


def test_a_position_within_the_placements_is_set_up(browser: Browser, site_address: str) -> None:
    """Check that the dialog for positions shows kings in hand, and that the move number follows from the pieces."""
    opened = PlayedPage(browser, site_address)
    page = opened.page
    opened.new_game("66shogi", **PEOPLE)
    opened.view("analyse")
    page.click("#tab-lines")
    page.click("#panel-lines button:has-text('Position')")
    dialog = page.locator("dialog")
    dialog.locator('[data-key="hand0K"]').drag_to(dialog.locator('[data-key="1f"]'))
    page.wait_for_selector("#position-told.trouble:has-text('White is then to move')")
    assert page.input_value("#position-sfen") == "6/pppppp/6/6/PPPPPP/5K b RBGSNLkrbgsnl"
    page.fill("#position-sfen", "6/pppppp/6/6/PPPPPP/5K w RBGSNLkrbgsnl")
    page.wait_for_selector("#position-told:not(.trouble)")
    page.click("dialog button[type=submit]")
    page.wait_for_selector("dialog", state="detached")
    assert hand(opened, 0) == "BGLNRS" and hand(opened, 1) == "BGKLNRS" and opened.heard == []
