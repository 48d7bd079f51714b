"""The page's editor of positions in Chromium: the positions after clicks, drags and keys, as SFEN."""

from __future__ import annotations

import pytest

from support.browsers.board_page import BoardPage

EMPTY = "4k/5/5/5/K4 b - 1"


def take(board: BoardPage, tool: str) -> None:
    board.page.locator(f'[data-tool="{tool}"]').click()


def test_pieces_from_the_palette(board: BoardPage) -> None:
    board.edit("minishogi", EMPTY)
    take(board, "+r")
    board.click("3c", "2c", "2c")
    take(board, "P")
    board.click("5a")
    take(board, "erase")
    board.click("1a")
    assert board.sfens == [
        "4k/5/2+r2/5/K4 b -",
        "4k/5/2+r+r1/5/K4 b -",
        "4k/5/2+r2/5/K4 b -",
        "P3k/5/2+r2/5/K4 b -",
        "P4/5/2+r2/5/K4 b -",
    ]


@pytest.mark.long
def test_pieces_are_moved_and_turned(board: BoardPage) -> None:
    board.edit("minishogi", "4k/5/2s2/5/K4 b - 1")
    board.click("3c", "4d")
    board.click("4d", "4d", "4d", "4d")
    assert board.sfens == ["4k/5/5/1s3/K4 b -", "4k/5/5/1+s3/K4 b -", "4k/5/5/1S3/K4 b -", "4k/5/5/1+S3/K4 b -"]


@pytest.mark.long
def test_hands(board: BoardPage) -> None:
    board.edit("minishogi", "4k/5/2+s2/5/K4 b - 1")
    board.click("hand0P", "hand0P", "hand1R")
    board.drag("3c", "hand0G")
    board.drag("hand0P", "2b")
    board.drag("1a", "hand0G")
    board.drag("hand0S", "hand1G")
    x, y = board.middle("2b")
    board.page.mouse.move(x, y)
    board.page.mouse.down()
    board.page.mouse.move(x, 1290)
    board.page.mouse.up()
    assert board.sfens == [
        "4k/5/2+s2/5/K4 b P",
        "4k/5/2+s2/5/K4 b 2P",
        "4k/5/2+s2/5/K4 b 2Pr",
        "4k/5/5/5/K4 b S2Pr",
        "4k/3P1/5/5/K4 b SPr",
        "4k/3P1/5/5/K4 b Prs",
        "4k/5/5/5/K4 b Prs",
    ], "a king cannot be put into a hand"


@pytest.mark.long
def test_keys(board: BoardPage) -> None:
    board.edit("minishogi", EMPTY)
    board.page.locator('[data-key="3c"]').focus()
    board.press("Shift+B", "+", "ArrowLeft", "g", "ArrowLeft", "r", "Delete")
    board.page.locator('[data-key="hand1S"] .ring').focus()
    board.press("Enter", "+", "-")
    assert board.focused() == "hand1S"
    board.page.get_by_role("button", name="White to move").focus()
    board.press("Enter")
    assert board.sfens == [
        "4k/5/2B2/5/K4 b -",
        "4k/5/2+B2/5/K4 b -",
        "4k/5/1g+B2/5/K4 b -",
        "4k/5/rg+B2/5/K4 b -",
        "4k/5/1g+B2/5/K4 b -",
        "4k/5/1g+B2/5/K4 b s",
        "4k/5/1g+B2/5/K4 b 2s",
        "4k/5/1g+B2/5/K4 b s",
        "4k/5/1g+B2/5/K4 w s",
    ]
    board.page.locator('[data-tool="move"]').focus()
    board.press("ArrowRight", "ArrowRight")
    chosen = board.page.locator(".palette [aria-checked=true]")
    assert chosen.get_attribute("data-tool") == "p" and chosen.get_attribute("aria-label") == "White's pawn"


@pytest.mark.long
def test_onitamas_cards_are_exchanged(board: BoardPage) -> None:
    board.edit("onitama")
    slots = board.page.locator(".editor-cards select")
    assert slots.evaluate_all("all => all.map(slot => +slot.value)") == [10, 15, 2, 9, 6]
    slots.nth(0).select_option(label="crab")
    slots.nth(4).select_option(label="eel")
    assert board.sfens == ["ssmss/5/5/5/SSMSS b 6,15/2,9/10", "ssmss/5/5/5/SSMSS b 6,15/2,9/0"]
    take(board, "m")
    board.click("a3")
    assert board.sfens[-1] == "ssmss/5/m4/5/SSMSS b 6,15/2,9/0"


@pytest.mark.long
def test_kyotos_faces(board: BoardPage) -> None:
    """Check that a piece of Kyoto Shogi shows one of its two sides on the board, but has no particular side in hand."""
    board.edit("kyoto", EMPTY, language="ja")
    take(board, "+L")
    assert board.page.locator('[data-tool="+L"]').get_attribute("aria-label") == "先手のと金"
    board.click("3c")
    board.drag("3c", "hand0N")
    assert board.sfens == ["4k/5/2+L2/5/K4 b -", "4k/5/5/5/K4 b L"]
