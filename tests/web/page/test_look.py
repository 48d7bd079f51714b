"""The look of the page: languages, themes, small screens, colours of marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.browsers.played_page import PlayedPage

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route


def background(opened: PlayedPage) -> str:
    """Return the background colour of the page."""
    found: str = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    return found


def test_languages_and_themes(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address, locale="ja-JP", color_scheme="dark")
    page = opened.page
    assert page.get_attribute("html", "lang") == "ja" and page.inner_text("#variant") == "5五将棋"
    dark = background(opened)
    page.click("#settings")
    page.select_option("dialog select >> nth=0", "en")
    page.wait_for_selector("dialog h2:text-is('Settings')")  # the texts change after the language was chosen
    assert page.get_attribute("html", "lang") == "en"
    seen = {dark}
    for theme in ("light", "contrast"):
        page.select_option("dialog select >> nth=1", theme)
        seen.add(background(opened))
    assert len(seen) == 3
    page.select_option("dialog select >> nth=1", "dark")
    assert background(opened) == dark
    pieces, boards = ("two", "western", "moves", "one"), ("plain", "slate", "wood", "plain")
    for setting, names in (("#set-pieces", pieces), ("#set-board", boards)):
        pictures = set()
        for name in names:
            page.select_option(setting, name)
            pictures.add(page.locator("#settings-picture").screenshot())
        assert len(pictures) == len(set(names)), setting
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.get_attribute("html", "lang") == "en" and page.get_attribute("html", "data-theme") == "dark"
    assert page.get_attribute("html", "data-board") == "plain"
    assert page.inner_text("#variant") == "Minishogi" and opened.heard == []


# This script returns the different colours of each side's marks in a part of the page.
MARKS = """(part) => ["path.mark:not(.white)", "path.mark.white"].map((side) =>
  [...new Set([...document.querySelectorAll(`${part} ${side}`)].map((mark) => {
    const { fill, stroke } = getComputedStyle(mark);
    return `${fill} ${stroke}`;
  }))])"""


def test_the_marks_of_the_sides_have_the_same_colours_everywhere(browser: Browser, site_address: str) -> None:
    seen = set()
    for theme in ("light", "dark"):
        opened = PlayedPage(browser, site_address, color_scheme=theme)
        page = opened.page
        opened.new_game("minishogi", player_0="person", player_1="person", time="clock")
        opened.play("3e3d", 0)
        opened.play("3a3b", 1)
        page.click("#new-game")
        for part in ("#play > .player", "#moves", "dialog"):
            (black,), (white,) = page.evaluate(MARKS, part)
            seen.add((black, white))
        assert page.evaluate(MARKS, "#status") == [[], [white]]  # White has moved last
        # The characters ☗ and ☖ are not used as marks, because in dark mode both would be light, like the text.
        assert not set("☗☖") & set(page.inner_text("body"))
        page.click("dialog .close")
        opened.view("analyse")
        page.click("#set-position")
        page.wait_for_selector("dialog .editor-turn")
        assert page.evaluate(MARKS, "dialog .editor-turn") == [[black], [white]]
        assert opened.heard == []
    edges = ("rgb(144, 138, 126)", "rgb(216, 208, 194)")  # in dark mode lighter, so that Black's mark can be seen
    assert seen == {(f"rgb(20, 17, 13) {edge}", f"rgb(255, 250, 240) {edge}") for edge in edges}


@pytest.mark.long
@pytest.mark.parametrize("variant", ["minishogi", "shogi", "onitama", "dice"])
def test_small_screens(browser: Browser, site_address: str, variant: str) -> None:
    opened = PlayedPage(browser, site_address, viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    page = opened.page
    opened.new_game(variant, player_0="person", player_1="engine:", level_1="340", time="clock")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    top, bottom = page.evaluate(
        "(({ top, bottom }) => [top, bottom])(document.querySelector('#board').getBoundingClientRect())"
    )
    assert 0 < top < 150 and bottom < 740
    small = page.evaluate(
        "[...document.querySelectorAll('#play button, #menu button')].filter((one) => one.offsetParent)"
        ".map((one) => one.getBoundingClientRect()).filter(({ width, height }) => width < 43 || height < 43).length"
    )
    assert small == 0
    page.click("#new-game")
    assert page.evaluate("document.querySelector('dialog').scrollWidth <= document.querySelector('dialog').clientWidth")
    assert opened.heard == []


def test_a_slow_start_is_shown(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address, ready="", locale="ja-JP")
    page = opened.page = opened.new_page()
    waiting: list[Route] = []
    page.route("**/*.wasm*", lambda route: waiting.append(route))
    page.goto(f"{site_address}#play")
    page.wait_for_selector("#loading:has-text('読み込み中…') progress", timeout=5000)
    assert not page.is_visible("#play") and not page.is_visible("#moves-panel")
    for route in waiting:
        route.continue_()
    page.wait_for_selector("html[data-ready=true]", state="attached")
    assert page.is_visible("#play") and not page.is_visible("#loading") and opened.heard == []


@pytest.mark.long
@pytest.mark.parametrize("lacking", ["WebAssembly", "DecompressionStream", "Worker"])
def test_a_missing_feature_of_the_browser_is_reported(browser: Browser, site_address: str, lacking: str) -> None:
    opened = PlayedPage(browser, site_address, ready="")
    page = opened.page = opened.new_page()
    page.add_init_script(f"delete globalThis.{lacking}")
    page.goto(f"{site_address}#play")
    page.wait_for_selector(f".message.problem:has-text('{lacking}')")
    if lacking == "Worker":
        opened.play("5d5c", 0)
        opened.play("1b1c", 1)
        assert opened.moves == ["5d5c", "1b1c"] and opened.heard == []
