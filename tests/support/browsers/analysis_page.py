"""The page as somebody uses it who analyses: lines, the tree, the board that shows them, and the dialogs of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import Position
from support.browsers.played_page import PlayedPage

if TYPE_CHECKING:
    from playwright.sync_api import Locator

LOOK = """() => Object.fromEntries([...document.querySelectorAll("#board [data-square][data-piece]")]
  .map((one) => [one.dataset.square, one.dataset.piece]))"""


class AnalysisPage(PlayedPage):
    """A page whose analysis is used."""

    def analyse(self, lines: int = 1) -> None:
        """Switch the analysis on, with so many lines."""
        if self.page.is_enabled("#line-count"):
            self.page.select_option("#line-count", str(lines))
        self.page.click("#analyse[aria-pressed=false]")

    def stop(self) -> None:
        """Switch it off."""
        self.page.click("#analyse[aria-pressed=true]")

    def line(self, number: int) -> Locator:
        """The row of a line, from 1."""
        return self.page.locator(f'#lines .line[data-line="{number}"]')

    def wait_for_lines(self, count: int, depth: int = 3) -> None:
        """Wait until so many lines of the position shown are that deep."""
        self.page.wait_for_function(
            """([count, depth]) => {
              const rows = [...document.querySelectorAll("#lines .line:not([hidden])")];
              return rows.length === count && rows.every((row) => Number(row.dataset.depth) >= depth);
            }""",
            arg=[count, depth],
            timeout=30_000,
        )

    def variation(self, number: int) -> list[str]:
        """The moves of a line, in USI notation."""
        found: list[str] = self.line(number).evaluate(
            '(row) => [...row.querySelectorAll("button:not([hidden])")].map((one) => one.dataset.usi)'
        )
        return found

    @property
    def variations(self) -> list[list[str]]:
        """The moves of all lines, as they are at one moment."""
        found: list[list[str]] = self.page.locator("#lines .line:not([hidden])").evaluate_all(
            """(rows) => rows.map((row) => [...row.querySelectorAll("button:not([hidden])")]
              .map((one) => one.dataset.usi))"""
        )
        return found

    @property
    def pieces(self) -> dict[str, str]:
        """What the board shows: the pieces by their squares."""
        found: dict[str, str] = self.page.evaluate(LOOK)
        return found

    @property
    def tree(self) -> list[str]:
        """The texts of the tree's nodes, as they stand."""
        return self.page.locator("#tree [role=treeitem]").all_inner_texts()

    def open_text(self, text: str) -> None:
        """Open a game from a text."""
        self.page.click("#open-record")
        self.page.fill("#record-text", text)
        self.page.click("dialog button[type=submit]")

    def close_dialog(self) -> None:
        self.page.click("dialog .dialog-head .close")
        self.page.wait_for_selector("dialog", state="detached")

    def messages(self) -> list[str]:
        """What the page tells at its foot."""
        return self.page.locator("#messages .message span").all_inner_texts()


def pieces_of(position: BasePosition) -> dict[str, str]:
    """The same for a position of shogi's kind."""
    assert isinstance(position, Position)
    variant, found = position.variant, dict[str, str]()
    for square, cell in enumerate(position.setup().board):
        if cell:
            name = f"{variant.files - square % variant.files}{chr(ord('a') + square // variant.files)}"
            letter = variant.pieces[(cell & 15) - 1].letter
            found[name] = letter.lower() if cell >> 4 else letter
    return found


def said(node: Any) -> list[Any]:
    """The scores along a stored game's main line."""
    scores = []
    while node.get("next"):
        node = node["next"][0]
        scores.append(node.get("said"))
    return scores
