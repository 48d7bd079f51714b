"""The views of the page, their addresses, and their layout in windows of eight sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kogoma.rules.variants import VARIANTS
from kogoma.version import __version__
from support.browsers.axe import serious_faults
from support.browsers.played_page import PlayedPage

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The least size of a square in pixels in 9x9 shogi, by the size of the window.
SQUARES = {
    (1920, 1080): 100, (1280, 800): 69, (1024, 768): 58, (768, 1024): 58, (844, 390): 36, (640, 400): 34,
    (390, 844): 37, (320, 640): 31,
}  # fmt: skip

# This script returns the size of a square, the scrolling distances of the page, and the names of those parts of the
# view that are outside of the window, too small for a finger, or covered by the board.
LAYOUT = """() => {
  const box = (one) => one.getBoundingClientRect(), name = ({ id, textContent }) => id || textContent;
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  const inside = ({ top, left, bottom, right }) =>
    top >= -1 && left >= -1 && bottom <= innerHeight + 1 && right <= innerWidth + 1;
  const before = (a, b) => a.bottom <= b.top + 1 || a.right <= b.left + 1;
  const apart = (a, b) => before(a, b) || before(b, a);
  const needed = shown("#board svg.board, .player, #status, #dice, #controls button, #menu a, #menu button");
  const board = box(document.querySelector("#board svg.board"));
  const { scrollWidth, scrollHeight } = document.documentElement, row = document.querySelector("#board [role=row]");
  return {
    square: box(document.querySelector("#board .frame")).width / row.children.length,
    scrolls: [scrollWidth - innerWidth, scrollHeight - innerHeight],
    outside: needed.filter((one) => !inside(box(one))).map(name),
    small: shown("#controls button, #menu a, #menu button, [role=tab], #tree-panel button")
      .filter((one) => box(one).width < 43.5 || box(one).height < 43.5).map(name),
    covered: needed.filter((one) => !one.closest("#stage") && !apart(box(one), board)).map(name),
  };
}"""


def in_order(opened: PlayedPage) -> None:
    """Wait until the page has drawn its new layout."""
    opened.page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


@pytest.mark.parametrize("variant", ["shogi", "minishogi", "onitama", "dice"])
def test_the_board_fills_the_window(browser: Browser, site_address: str, variant: str) -> None:
    opened = PlayedPage(browser, site_address, has_touch=True)
    page = opened.page
    opened.new_game(variant, player_0="person", player_1="engine:", level_1="340", time="clock")
    for width, height in SQUARES:
        page.set_viewport_size({"width": width, "height": height})
        for view in ("play", "analyse"):
            opened.view(view)
            in_order(opened)
            found: dict[str, Any] = page.evaluate(LAYOUT)
            where = (width, height, view, found)
            assert found["scrolls"] == [0, 0] and not found["outside"] + found["covered"] + found["small"], where
            least = SQUARES[width, height]
            if variant == "shogi":
                assert found["square"] >= (least if view == "play" else 0.7 * least), where
            else:
                assert found["square"] >= (1.15 if view == "play" else 0.8) * least, where
        opened.view("home")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0, (width, height)
    assert opened.heard == []


@pytest.mark.long
def test_a_tiny_window_can_be_scrolled(browser: Browser, site_address: str) -> None:
    """Check that at 400% zoom the board keeps a size that can be used, and that all actions can be reached."""
    opened = PlayedPage(browser, site_address, viewport={"width": 320, "height": 256})
    opened.new_game("minishogi", player_0="person", player_1="person")
    in_order(opened)
    assert opened.page.evaluate(LAYOUT)["square"] > 20
    opened.play("5d5c", 0)
    opened.page.locator("#do-rules").scroll_into_view_if_needed()
    opened.page.click("#do-take-back")
    assert opened.moves == [] and opened.heard == []


def test_two_clicks_from_home_to_the_first_move(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, f"{site_address}#home")
    page = opened.page
    assert page.locator(".card").count() == page.locator(".card svg").count() == len(VARIANTS)
    assert page.inner_text("footer").startswith(f"Kogoma {__version__}. ")
    page.click(".card[data-variant=gorogoro] button")
    opened.wait("person")
    assert page.url.endswith("/#play") and "Gorogoro" in page.title()
    opened.play("3d3c", 0)
    assert opened.moves[0] == "3d3c" and opened.wait("person")
    # The game can be continued, also after another game was begun.
    page.click("#to-home")
    assert page.inner_text("#continue").startswith("Continue: Gorogoro Shogi")
    page.click(".card[data-variant=dobutsu] button")
    page.wait_for_selector("#variant:has-text('Dōbutsu')")
    page.click("#to-home")
    page.click("#continue")
    page.wait_for_selector("#variant:has-text('Gorogoro')")
    assert len(opened.moves) == 2 and page.url.endswith("/#play")
    # A game that is over is in the list of the last games with its result, and is opened to be analysed.
    page.click("#do-resign")
    page.click("#to-home")
    assert page.locator("#continue").count() == 0 and "White wins" in page.inner_text(".last li")
    page.click(".last button")
    page.wait_for_selector("#tools", state="visible")
    assert page.url.endswith("/#analyse") and opened.heard == []


def test_views_have_addresses(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, f"{site_address}#")
    page = opened.page
    parts = {"home": "#home-page", "play": "#moves-panel", "analyse": "#tools"}

    def shows(name: str) -> None:
        for view, part in parts.items():
            page.wait_for_selector(part, state="visible" if view == name else "hidden")
        assert page.locator("#menu [aria-current=page]").get_attribute("id") == f"to-{name}"

    shows("home")  # without an address
    for name in ("play", "analyse", "home", "analyse"):
        opened.view(name)
        shows(name)
        assert page.url.endswith(f"/#{name}")
    for step, name in ((page.go_back, "home"), (page.go_back, "analyse"), (page.go_forward, "home")):
        step()
        shows(name)
    page.go_back()
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    shows("analyse")
    # A shared game is opened to be analysed; going back leads to the view before it.
    page.evaluate("location.hash = 'game=minishogi&moves=zM'")
    page.wait_for_selector(".message")
    shows("analyse")
    # Keys move between the tabs. Only the chosen tab is a tab stop, and only its panel is shown.
    page.focus("#tab-lines")
    for key, name in (
        ("ArrowRight", "graph"),
        ("End", "records"),
        ("ArrowRight", "lines"),
        ("ArrowLeft", "records"),
        ("Home", "lines"),
    ):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.id") == f"tab-{name}"
        assert page.eval_on_selector_all(
            "[role=tab][tabindex='0'][aria-selected=true]", "(all) => all.map(({ id }) => id)"
        ) == [f"tab-{name}"]
        panels = page.eval_on_selector_all(
            "[role=tabpanel]", "(all) => all.filter((one) => one.offsetParent).map(({ id }) => id)"
        )
        assert panels == [f"panel-{name}"]
    assert opened.heard == []


# The words of each piece's diagram in the dialog of rules, in English.
PIECES = """() => Object.fromEntries([...document.querySelectorAll("dialog figure")].map((one) =>
  [one.dataset.piece ?? one.dataset.card, one.querySelector(".unseen").textContent]))"""


def test_the_rules_of_the_game_are_shown(browser: Browser, site_address: str) -> None:
    """Check that the dialog of rules is made from the data of the variant: which pieces it draws, how many dots, arrows
    and jumps they have, and which sentences it shows."""
    opened = PlayedPage(browser, site_address)
    page = opened.page
    for name, special in (
        ("shogi", "declare a win with 28 points"), ("dice-hyper", "A side in check plays without the die."),
        ("micro", "turns over when it captures"), ("dobutsu", "reaches the last rank"),
        ("generals", "Capture the opponent's king"),
    ):  # fmt: skip
        variant = VARIANTS[name]
        opened.new_game(name, player_0="person", player_1="person")
        page.click("#do-rules")
        assert special in page.inner_text("dialog .rules"), name
        for piece in variant.pieces:
            figure = page.locator(f'dialog figure[data-piece="{piece.letter}"]')
            jumps = sum(max(map(abs, step)) > 1 for step in piece.steps)
            found = [figure.locator(part).count() for part in (".step-dot", ".jump", ".slide", ".tip")]
            assert found == [len(piece.steps) - jumps, jumps, len(piece.rays), len(piece.slides)], (name, piece.letter)
        page.click("dialog .close")
    opened.new_game("onitama", player_0="person", player_1="person")
    page.click("#do-rules")
    page.wait_for_selector("dialog .rules")
    start = VARIANTS["onitama"].start.split()[2]
    assert set(page.evaluate(PIECES)) == set(start.replace("/", ",").split(","))
    page.click("dialog .close")
    page.click("#settings")
    page.select_option("dialog select >> nth=0", "ja")
    page.wait_for_selector("dialog h2:text-is('設定')")
    page.click("dialog .close")
    opened.view("analyse")
    page.click("#do-rules")
    assert "相手の師範を取る" in page.inner_text("dialog .rules") and opened.heard == []


@pytest.mark.long
@pytest.mark.parametrize(("locale", "themes"), [("en-GB", ("light", "contrast")), ("ja-JP", ("dark",))])
def test_no_view_has_an_accessibility_fault(
    browser: Browser, site_address: str, locale: str, themes: tuple[str, ...]
) -> None:
    """Check the views, tabs and dialogs with axe-core. What a tab or dialog does not change is checked once, in the
    view. Themes differ only in colours, so a language's second theme is checked only for them. The layouts for other
    sizes of the window have the same colours, so they are checked for everything else, and in one language."""
    opened = PlayedPage(browser, site_address, locale=locale)
    page = opened.page

    def check(name: str, part: str = "html", rules: str = "all") -> None:
        for theme in themes if rules == "all" else themes[:1]:
            page.evaluate("(theme) => { document.documentElement.dataset.theme = theme }", theme)
            faults = serious_faults(page, part, "colours" if theme != themes[0] else rules)
            assert faults == [], (page.viewport_size, name, theme)

    opened.new_game("dice", player_0="person", player_1="engine:", level_1="340", time="clock")
    check("a game with dice")
    page.click("#do-resign") if page.is_enabled("#do-resign") else page.click("#do-swap-sides")
    check("a game that is over")
    opened.new_game("kyoto", player_0="person", player_1="engine:", level_1="340")
    opened.play("1d1c" if page.locator('#board [data-square="1d"]').count() else "3e3d", 0)
    opened.wait("person")
    opened.item("3c").focus()
    page.keyboard.press("m")  # marks the square
    page.wait_for_selector("#board [data-mark]", state="attached")
    sizes = (1280, 800), (640, 400), (390, 844)
    for size in sizes if locale == "en-GB" else sizes[:1]:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        rules = "all" if size == sizes[0] else "others"
        for view in ("home", "play", "analyse"):
            opened.view(view)
            check(view, rules=rules)
        if size == sizes[1]:
            continue  # the tabs and dialogs are those of the other sizes
        for tab in ("graph", "review", "records", "lines"):
            page.click(f"#tab-{tab}")
            check(tab, "#tools", rules)
        for dialog in ("do-rules", "settings", "new-game", "games"):
            if dialog == "games":
                opened.view("home")  # in a low window the other views have no room for this button
            page.click(f"#{dialog}")
            page.wait_for_selector("dialog :is(.rules, select, button)")
            check(dialog, "dialog", rules)
            page.keyboard.press("Escape")
    assert opened.heard == []
