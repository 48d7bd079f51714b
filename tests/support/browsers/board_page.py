"""A page that shows only the board of `web/board` (`tests/web/board_page`), with positions and legal moves from
Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from kogoma.lab.report.replays import cards_by_number, shape_of
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from kogoma.web.games_folder import moves_of
from support.browsers.chromium import Watched
from support.site import served
from support.usi_client import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PATH = "tests/web/board_page/index.html"


class BoardPage(Watched):
    """A page with one board or editor. Keys name squares ("5e"), pieces in hand ("hand0P") and cards ("card7")."""

    def __init__(self, browser: Browser, address: str, theme: str = "", **context: Any) -> None:
        """Open the page. `address` is the URL of a server for the checkout's files; `context` has options for the
        browser."""
        super().__init__(browser, **context)
        self.page.goto(address + PATH)
        self.page.wait_for_selector("html[data-ready]", state="attached")
        for variant in VARIANTS.values():
            self.page.evaluate("given => told.defineMoves(...given)", [variant.name, moves_of(variant)])
        if theme:
            self.page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)

    def show(self, name: str, sfen: str | None = None, moves: str = "", **view: Any) -> float:
        """Show a position on the board, and return the time in milliseconds that the drawing takes. The board allows
        the legal moves of the position unless `view` has another list of moves."""
        given = self.given(name, sfen, moves, **view)
        took: float = self.page.evaluate("given => told.show(given)", given)
        return took

    def edit(self, name: str, sfen: str | None = None, **view: Any) -> None:
        """Put a position into the editor."""
        self.page.evaluate("given => told.edit(given)", self.given(name, sfen, **view))

    @staticmethod
    def given(name: str, sfen: str | None = None, moves: str = "", **view: Any) -> dict[str, Any]:
        """Return the settings with which the page's script shows the position after `moves`."""
        variant, position = VARIANTS[name], new_position(name, sfen)
        for move in moves.split():
            position.push(move)
        plain = {
            "flipped": 0,
            "pieceSet": "one",
            "names": ["Black", "White"],
            "die": 0,
            "over": False,
            "language": "en",
        }
        shown = {
            **plain,
            "cards": cards_by_number(),
            "dice": bool(variant.die),
            "legal": position.legal_moves(),
            **view,
        }
        start = sfen or variant.start
        return {"variant": name, "sfen": start, "moves": moves.split(), "shape": shape_of(variant), "view": shown}

    @property
    def moves(self) -> list[str]:
        """Return the moves that the user has chosen."""
        chosen: list[str] = self.page.evaluate("told.moves")
        return chosen

    @property
    def sfens(self) -> list[str]:
        """Return the SFENs that the editor has reported, without their move numbers."""
        told: list[str] = self.page.evaluate("told.sfens")
        return [text.rsplit(" ", 1)[0] for text in told]

    def middle(self, key: str) -> tuple[float, float]:
        """Return the coordinates of the middle of an item, in pixels."""
        box: Any = self.page.locator(f'#board [data-key="{key}"]').bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def click(self, *keys: str) -> None:
        """Click these items one after the other."""
        for key in keys:
            self.page.mouse.click(*self.middle(key))

    def drag(self, start: str, end: str) -> None:
        """Drag from one item to another."""
        (x, y), (to_x, to_y) = self.middle(start), self.middle(end)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move((x + to_x) / 2, (y + to_y) / 2)
        self.page.mouse.move(to_x, to_y)
        self.page.mouse.up()

    def press(self, *names: str) -> None:
        """Press these keys of the keyboard one after the other."""
        for name in names:
            self.page.keyboard.press(name)

    def focused(self) -> str:
        """Return the key of the item that has the focus."""
        key: str = self.page.evaluate("document.activeElement.closest('[data-key]')?.dataset.key ?? ''")
        return key

    def targets(self) -> set[str]:
        """Return the keys of the items that are marked as targets of the chosen piece or card."""
        found = self.page.locator("#board .target").all()
        return {str(item.get_attribute("data-key")) for item in found}

    def answers(self) -> list[str]:
        """Return the names of the choices that are shown over the board, or [] if there are none."""
        return [str(button.get_attribute("aria-label")) for button in self.page.locator(".chooser button").all()]


@pytest.fixture(scope="session")
def checkout_address() -> Iterator[str]:
    """Yield the address of a server on 127.0.0.1 that serves the checkout's files with the strict content security
    policy."""
    with served(ROOT, isolated=False) as address:
        yield address


@pytest.fixture
def board(browser: Browser, checkout_address: str) -> Iterator[BoardPage]:
    """Yield a page large enough for a board and the editor's palette. The test fails if the page reports any error."""
    opened = BoardPage(browser, checkout_address, viewport={"width": 520, "height": 1300})
    yield opened
    assert opened.complaints == [], opened.complaints
    opened.context.close()
