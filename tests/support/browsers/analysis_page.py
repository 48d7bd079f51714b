"""The web page in Chromium, with methods for its analysis, its tree of variations and its dialogs for game records."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import Position
from support.browsers.played_page import PlayedPage

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

LOOK = """() => Object.fromEntries([...document.querySelectorAll("#board [data-square][data-piece]")]
  .map((one) => [one.dataset.square, one.dataset.piece]))"""


class AnalysisPage(PlayedPage):
    """The web page, with methods for its analysis."""

    def new_game(self, variant: str, **choices: str) -> None:
        """Begin a game as `PlayedPage.new_game` does, and show the view for analysis."""
        super().new_game(variant, **choices)
        self.view("analyse")

    def tab(self, name: str) -> None:
        """Show a panel of the analysis: lines, graph, review or records."""
        self.page.click(f"#tab-{name}")

    def analyse(self, lines: int = 1) -> None:
        """Switch the analysis on, and let it show `lines` variations."""
        self.tab("lines")
        if self.page.is_enabled("#line-count"):
            self.page.select_option("#line-count", str(lines))
        self.page.click("#analyse[data-running=false]")

    def stop(self) -> None:
        """Switch the analysis off."""
        self.tab("lines")
        self.page.click("#analyse[data-running=true]")

    def line(self, number: int) -> Locator:
        """Return the row of an analysis line, counted from 1."""
        return self.page.locator(f'#lines .line[data-line="{number}"]')

    def wait_for_lines(self, count: int, depth: int = 3) -> None:
        """Wait until the analysis shows `count` lines that have at least this depth."""
        self.page.wait_for_function(
            """([count, depth]) => {
              const rows = [...document.querySelectorAll("#lines .line:not([hidden])")];
              return rows.length === count && rows.every((row) => Number(row.dataset.depth) >= depth);
            }""",
            arg=[count, depth],
            timeout=30_000,
        )

    def variation(self, number: int) -> list[str]:
        """Return the moves of an analysis line in USI notation."""
        found: list[str] = self.line(number).evaluate(
            '(row) => [...row.querySelectorAll("button:not([hidden])")].map((one) => one.dataset.usi)'
        )
        return found

    @property
    def variations(self) -> list[list[str]]:
        """Return the moves of all analysis lines, read at the same moment."""
        found: list[list[str]] = self.page.locator("#lines .line:not([hidden])").evaluate_all(
            """(rows) => rows.map((row) => [...row.querySelectorAll("button:not([hidden])")]
              .map((one) => one.dataset.usi))"""
        )
        return found

    @property
    def pieces(self) -> dict[str, str]:
        """Return a dictionary from each occupied square to the piece on this square."""
        found: dict[str, str] = self.page.evaluate(LOOK)
        return found

    @property
    def tree(self) -> list[str]:
        """Return the texts of the nodes in the tree of variations."""
        return self.page.locator("#tree [role=treeitem]").all_inner_texts()

    def records(self, action: str) -> None:
        """Open a dialog of the game records: open, save or share."""
        self.tab("records")
        self.page.click(f"#{action}-record")

    def open_text(self, text: str) -> None:
        """Open a game record that is given as text."""
        self.records("open")
        self.page.fill("#record-text", text)
        self.page.click("dialog button[type=submit]")

    def close_dialog(self) -> None:
        self.page.click("dialog .dialog-head .close")
        self.page.wait_for_selector("dialog", state="detached")

    def messages(self) -> list[str]:
        """Return the messages at the foot of the page."""
        return self.page.locator("#messages .message span").all_inner_texts()


@contextmanager
def minishogi_page(browser: Browser, address: str, script: str = "") -> Iterator[AnalysisPage]:
    """Yield the page with a new game of minishogi between two people, after running a `script` in it. Check at the end
    that the page did not complain."""
    page = AnalysisPage(browser, address, viewport={"width": 1500, "height": 1000})
    if script:
        page.page.evaluate(script)
    page.new_game("minishogi", player_0="person", player_1="person")
    yield page
    assert page.heard == []
    page.context.close()


def pieces_of(position: BasePosition) -> dict[str, str]:
    """Return the pieces of a position in the form of `AnalysisPage.pieces`."""
    assert isinstance(position, Position)
    variant, found = position.variant, dict[str, str]()
    for square, cell in enumerate(position.setup().board):
        if cell:
            name = f"{variant.files - square % variant.files}{chr(ord('a') + square // variant.files)}"
            letter = variant.pieces[(cell & 15) - 1].letter
            found[name] = letter.lower() if cell >> 4 else letter
    return found


def said(node: Any) -> list[Any]:
    """Return the score of each move in the main line of a stored game, or None for a move without a score."""
    scores = []
    while node.get("next"):
        node = node["next"][0]
        scores.append(node.get("said"))
    return scores
