"""Arrows and marks that the user draws on the board, with the mouse and with keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import pytest

from support.browsers.played_page import PlayedPage

if TYPE_CHECKING:
    from playwright.sync_api import Browser

START = "4k/5/5/5/4K b G2P 1"


class MarkedPage(PlayedPage):
    """The page, with methods that draw on its board."""

    def middle(self, key: str) -> tuple[float, float]:
        box = self.item(key).bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def draw(self, start: str, end: str, button: Literal["left", "right"] = "right", key: str = "") -> None:
        """Drag from one item to another, while a key is held."""
        mouse = self.page.mouse
        if key:
            self.page.keyboard.down(key)
        mouse.move(*self.middle(start))
        mouse.down(button=button)
        mouse.move(*self.middle(end), steps=3)
        mouse.up(button=button)
        if key:
            self.page.keyboard.up(key)

    @property
    def marks(self) -> list[str]:
        """Return the drawn marks: the squares, and `second` if the second colour was chosen."""
        found: list[str] = self.page.eval_on_selector_all(
            "#board .drawn",
            "(all) => all.map((one) => one.dataset.mark + (one.classList.contains('second') ? ' second' : ''))",
        )
        return found

    @property
    def told(self) -> str:
        return self.page.inner_text("#live")


@pytest.fixture
def opened(browser: Browser, site_address: str) -> Iterator[MarkedPage]:
    page = MarkedPage(browser, site_address)
    page.page.evaluate(
        "window.menus = []; addEventListener('contextmenu', (event) => menus.push(event.defaultPrevented))"
    )
    page.new_game("minishogi", player_0="person", player_1="person", start="typed", sfen=START)
    yield page
    assert page.heard == []
    page.context.close()


@pytest.mark.parametrize("view", ["play", "analyse"])
def test_marks_are_drawn_and_removed_with_the_mouse(opened: MarkedPage, view: str) -> None:
    page = opened.page
    opened.view(view)
    opened.draw("1e", "3c")
    assert opened.marks == ["1e 3c"] and opened.told == "Marked: 1e → 3c"
    opened.draw("5a", "5a", key="Control")
    opened.draw("hand0G", "2b", key="Alt")
    opened.draw("2c", "2d", "left", "Shift")
    assert opened.marks == ["1e 3c", "5a second", "hand0G 2b second", "2c 2d"]
    opened.draw("1e", "3c", key="Control")  # another colour
    opened.draw("2c", "2d")  # the same again
    assert opened.marks == ["5a second", "hand0G 2b second", "1e 3c second"] and opened.told == "Marks removed: 2c → 2d"
    # The arrow ends in the middle of its square.
    box = page.locator('[data-mark="1e 3c"] path').bounding_box()
    (x, y), square = opened.middle("3c"), opened.item("3c").bounding_box()
    assert box is not None and square is not None
    assert abs(box["x"] - x) < square["width"] / 4 and abs(box["y"] - y) < square["height"] / 4
    # Outside of the board nothing is drawn, and no menu has opened.
    page.mouse.move(*opened.middle("1e"))
    page.mouse.down(button="right")
    page.mouse.move(5, 5)
    page.mouse.up(button="right")
    assert len(opened.marks) == 3
    assert set(page.evaluate("menus.slice(0, -1)")) == {True}
    page.keyboard.press("f")
    assert len(opened.marks) == 3
    opened.item("5c").click()
    assert opened.marks == [] and opened.moves == [] and opened.told == "Marks removed"


def test_each_position_has_its_own_marks(opened: MarkedPage) -> None:
    page = opened.page
    opened.draw("1e", "1d")
    opened.play("G*3c", 0)
    assert opened.marks == []
    opened.draw("3c", "3c")
    page.click("#to-start")
    assert opened.marks == []  # the move has removed them
    opened.draw("1a", "1b")
    page.click("#to-end")
    assert opened.marks == ["3c"]
    page.click("#to-start")
    assert opened.marks == ["1a 1b"]
    kept = page.evaluate("JSON.stringify(localStorage)")
    assert "1a 1b" not in kept and "marks" not in kept
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert opened.marks == [] and opened.moves == ["G*3c"]


def test_the_right_button_cancels_a_choice_and_a_drag(opened: MarkedPage) -> None:
    page = opened.page
    opened.item("1e").click()
    assert page.locator("#board .target").count()
    opened.draw("3c", "3c")
    assert opened.marks == ["3c"] and page.locator("#board .target").count() == 0
    page.mouse.move(*opened.middle("1e"))
    page.mouse.down()
    page.mouse.move(*opened.middle("2d"), steps=3)
    page.mouse.down(button="right")
    page.mouse.up(button="right")
    page.mouse.up()
    assert opened.moves == []


def test_marks_by_keys(opened: MarkedPage) -> None:
    page = opened.page
    opened.item("1e").focus()
    page.keyboard.press("m")
    assert opened.marks == ["1e"] and opened.told == "Marked: 1e"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("m")
    assert opened.marks == ["1e 1d"] and opened.told == "Marked: 1e → 1d"
    page.keyboard.press("Shift+M")
    assert opened.marks == ["1e 1d", "1d second"]
    page.keyboard.press("Escape")  # ends the arrow, but keeps the marks
    page.keyboard.press("ArrowUp")
    page.keyboard.press("m")
    page.keyboard.press("m")
    assert opened.marks == ["1e 1d", "1d second"]
    page.locator('#board [data-key="hand0P"] [role=button]').focus()
    page.keyboard.press("m")
    assert opened.told == "Marked: Black's hand: pawn, 2"
    opened.item("3c").focus()
    page.keyboard.press("m")
    assert opened.marks == ["1e 1d", "1d second", "hand0P 3c"]
    page.keyboard.press("Escape")
    assert opened.marks == [] and opened.moves == []
