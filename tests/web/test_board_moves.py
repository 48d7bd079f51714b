"""The page's board in Chromium, used with mouse, finger and keyboard: the moves made and the squares marked."""

from __future__ import annotations

from typing import Any

import pytest

from kogoma.rules.position import new_position
from support.browsers.board_page import BoardPage

PROMOTING = "4k/1P3/5/5/4K b - 1"  # 4b4a with and without promotion
HELD = "4k/5/5/5/K4 b GPg 1"
TWO_CARDS = "ssmss/5/5/5/SSMSS b 3,7/2,9/6 1"  # horse and ox have a move in common
PASSING = "2m2/5/5/5/4M b 7,8/2,9/6 1"


def test_clicks_make_a_move(board: BoardPage) -> None:
    board.show("minishogi")
    board.click("4e")
    assert board.targets() == {move[2:] for move in new_position("minishogi").legal_moves() if move[:2] == "4e"}
    board.click("4e")
    assert board.targets() == set(), "a second click cancels the choice"
    board.click("4e", "1a")
    assert board.targets() == set() and board.moves == []
    board.click("4e", "5d", "3e", "3d")
    assert board.moves == ["3e3d"], "the side's own piece is no target"


@pytest.mark.long
def test_a_piece_is_dragged(board: BoardPage) -> None:
    board.show("minishogi")
    board.drag("3e", "3d")
    assert board.moves == ["3e3d"]
    board.show("minishogi", moves="3e3d")
    board.drag("1a", "1e")
    assert board.moves == ["3e3d"], "an illegal drag is no move"
    board.page.locator(".lifted > *").wait_for(state="detached")
    home = board.page.locator('[data-square="1a"]')
    assert home.get_attribute("data-piece") == "k" and "away" not in str(home.get_attribute("class"))
    assert board.targets() == set()


@pytest.mark.long
def test_a_finger_drags(browser: Any, checkout_address: str) -> None:
    """Check that a finger moves a piece without scrolling the page. If there is no legal move, a finger on the board
    must scroll the page."""
    board = BoardPage(browser, checkout_address, viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    board.show("minishogi")
    touch = "board => getComputedStyle(board).touchAction"
    assert board.page.locator("#board svg.board").evaluate(touch) == "pinch-zoom"
    session = board.context.new_cdp_session(board.page)
    (x, y), (to_x, to_y) = board.middle("3e"), board.middle("3d")
    for kind, points in (
        ("touchStart", [(x, y)]),
        ("touchMove", [(x, (y + to_y) / 2)]),
        ("touchMove", [(to_x, to_y)]),
        ("touchEnd", []),
    ):
        at = [{"x": px, "y": py} for px, py in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})
    assert board.moves == ["3e3d"]
    for key in ("4e", "5d", "4e", "3d"):
        board.page.touchscreen.tap(*board.middle(key))
    assert board.moves == ["3e3d", "4e3d"]
    board.show("minishogi", legal=[])
    assert board.page.locator("#board svg.board").evaluate(touch) == "auto"
    assert board.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert board.complaints == []


def test_the_keyboard_reaches_everything(board: BoardPage) -> None:
    board.show("minishogi", HELD)
    board.page.evaluate("document.activeElement.blur()")
    board.press("Tab")
    assert board.focused() == "hand1G"
    board.press("Tab")
    assert board.focused() == "5a"
    board.press(*["ArrowDown"] * 4)
    assert board.focused() == "5e"
    board.press("Enter", "ArrowRight", "ArrowUp", "Escape", "Enter")
    assert board.moves == [] and board.focused() == "4d", "Escape cancels the choice"
    board.press("ArrowLeft", "ArrowDown", " ", "ArrowUp", " ")
    assert board.moves == ["5e5d"]
    board.press("ArrowDown", "ArrowDown")
    assert board.focused() == "hand0G"
    board.press("ArrowRight", "Enter")
    pressed = board.page.locator('[data-key="hand0P"] .ring').get_attribute("aria-pressed")
    assert board.focused() == "hand0P" and pressed == "true"
    board.press("ArrowUp", "ArrowUp", "Enter")
    assert board.moves[1:] == ["P*4d"]
    board.press("Tab")
    assert board.focused() == "hand0P", "Tab goes to the item of a group that last had the focus"


@pytest.mark.long
def test_drops(board: BoardPage) -> None:
    board.show("minishogi", HELD)
    board.click("hand0G", "3c")
    board.drag("hand0P", "2c")
    board.click("hand1G", "4d")
    board.drag("hand0P", "hand1G")
    assert board.moves == ["G*3c", "P*2c"], "only the owner of a hand can drop from it"
    board.click("hand0P")
    assert "5a" not in board.targets() and "5b" in board.targets(), "a pawn on the last row could not move"


@pytest.mark.long
@pytest.mark.parametrize("way", ["click", "drag", "key"])
def test_promotion_is_asked_about(board: BoardPage, way: str) -> None:
    sfen = PROMOTING.replace("P", "S")
    board.show("minishogi", sfen, pieceSet="two")
    if way == "click":
        board.click("4b", "4a")
    elif way == "drag":
        board.drag("4b", "4a")
    else:
        board.page.locator('[data-key="4b"]').focus()
        board.press("Enter", "ArrowUp", "Enter")
    assert board.answers() == ["promoted silver", "silver"] and board.moves == []
    board.press("Escape")
    assert board.answers() == [] and board.targets() == set()
    assert board.focused() == ("4b" if way == "key" else "")
    board.click("4b", "4a")
    faces = board.page.locator(".chooser text").all_text_contents()
    assert faces == ["成", "銀", "銀", "将"]
    board.page.mouse.click(5, 5)
    board.page.mouse.click(*board.middle("1e"))
    assert board.answers() == [] and board.moves == [], "a click outside cancels the question"
    board.click("4b", "4a")
    board.press("ArrowRight", "Enter")
    board.click("4b", "4a")
    board.page.locator(".chooser button").first.click()
    assert board.moves == ["4b4a", "4b4a+"]
    board.show("minishogi", PROMOTING)
    board.click("4b", "4a")
    assert board.moves[2:] == ["4b4a+"], "a forced promotion needs no question"


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "letter", "faces"), [("kyoto", "L", ["tokin", "lance"]), ("micro", "R", ["gold", "rook"])]
)
def test_a_drop_with_either_face(board: BoardPage, name: str, letter: str, faces: list[str]) -> None:
    empty = "4k/5/5/5/K4" if name == "kyoto" else "3k/4/4/4/K3"
    board.show(name, f"{empty} b 2{letter} 1")
    assert board.page.locator(f'[data-key="hand0{letter}"]').get_attribute("data-count") == "2"
    board.click(f"hand0{letter}", "2c")
    assert board.answers() == faces
    board.page.locator(".chooser button").first.click()
    board.drag(f"hand0{letter}", "2c")
    board.page.locator(".chooser button").nth(1).click()
    assert board.moves == [f"+{letter}*2c", f"{letter}*2c"]
    board.show("kyoto")
    board.click("4e", "4d")
    assert board.answers() == [] and board.moves[2:] == ["4e4d+"], "in Kyoto, pieces turn without a question"


@pytest.mark.long
def test_onitama(board: BoardPage) -> None:
    board.show("onitama", TWO_CARDS)
    doubled = _doubled(new_position("onitama", TWO_CARDS).legal_moves())
    start, end = doubled[:2], doubled[2:]
    board.click(start, end)
    assert [words.split(":")[0] for words in board.answers()] == ["horse", "ox"]
    board.page.locator(".chooser button").nth(1).click()
    assert board.moves == [f"7:{doubled}"]
    board.click("card3", start)
    assert board.page.locator('[data-key="card3"] .ring').get_attribute("aria-pressed") == "true"
    board.click(end)
    assert board.moves == [f"7:{doubled}", f"3:{doubled}"], "no question if the card was chosen before"
    board.click("card2", start, "card7", "card7", end)
    assert len(board.answers()) == 2, "a second click cancels the card, and the other side's card cannot be chosen"


def _doubled(legal: list[str]) -> str:
    """Return a move that two cards allow. The number of the card is left out."""
    plain = [move.split(":")[1] for move in legal]
    return next(move for move in sorted(plain) if plain.count(move) == 2)


@pytest.mark.long
def test_a_pass_exchanges_a_card(board: BoardPage) -> None:
    legal = ["7:pass", "8:pass"]
    board.show("onitama", PASSING, legal=legal)
    board.click("e1", "e2")
    assert board.moves == []
    board.click("card8")
    board.page.locator('[data-key="card7"] .ring').focus()
    board.press("Enter")
    assert board.moves == ["8:pass", "7:pass"]


@pytest.mark.long
def test_new_arrows_keep_the_chosen_piece(board: BoardPage) -> None:
    """Check that a chosen piece stays chosen while the page draws new arrows. An analysis draws new arrows many times
    per second."""
    board.show("minishogi")
    x, y = board.middle("3e")
    board.page.mouse.move(x, y)
    board.page.mouse.down()
    board.page.mouse.move(x, y - 30)
    arrow = {"usi": "3e3d", "weight": 1, "label": "+0.35", "kind": "line"}
    board.show("minishogi", arrows=[arrow])
    assert board.page.locator(".lifted .koma").count() == 1 and "3d" in board.targets()
    assert board.page.locator('[data-arrow="3e3d"]').count() == 1
    board.page.mouse.move(*board.middle("3d"))
    board.page.mouse.up()
    assert board.moves == ["3e3d"]
    board.click("2e")
    board.show("minishogi", moves="3e3d")
    assert board.targets() == set(), "a new position cancels the choice"


@pytest.mark.long
def test_the_die_can_be_pressed(board: BoardPage) -> None:
    board.show("dice", die=0)
    board.click("die")
    board.show("dice", die=3, legal=[])
    assert board.page.locator('[data-die="3"]').count() == 1
    board.page.locator('[data-key="die"] .ring').focus()
    board.press("Enter")
    assert board.page.evaluate("told.dice") == 2
