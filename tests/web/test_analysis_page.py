"""Analysis on the page: lines of the engine, their moves, the graph, the tree, set-up positions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import pytest

from kogoma.rules.base_position import BasePosition
from kogoma.rules.dice.die import allowed
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from support.browsers.analysis_page import AnalysisPage, minishogi_page, pieces_of
from support.usi_client import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

GAME = "position startpos moves 2e3d 3a2b 3e2d 4a3b 1e2e 1b1c"
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture
def opened(browser: Browser, site_address: str) -> Iterator[AnalysisPage]:
    """Yield the page with a new game of minishogi between two people."""
    with minishogi_page(browser, site_address) as page:
        yield page


def with_game(page: AnalysisPage) -> list[str]:
    """Open a game of six moves, and return its moves. The page then shows the start of the game."""
    moves = GAME.split(" moves ")[1].split()
    page.open_text(GAME)
    page.page.wait_for_selector("dialog", state="detached")
    assert page.moves == moves
    return moves


def after(moves: list[str]) -> BasePosition:
    """Return the position of minishogi after these moves."""
    position = new_position("minishogi")
    for move in moves:
        position.push(move)
    return position


def test_three_lines_and_a_move_of_one(opened: AnalysisPage) -> None:
    page = opened.page
    opened.analyse(lines=3)
    opened.wait_for_lines(3, depth=6)
    lines = opened.variations
    assert len({line[0] for line in lines}) == 3
    for line in lines:
        position = new_position("minishogi")
        for move in line:
            position.push(move)
    assert "nodes" in page.inner_text("#speed") and "hash" in page.inner_text("#speed")
    scores = [opened.line(number).locator(".line-score").inner_text() for number in (1, 2, 3)]
    assert all(score.lstrip("≥≤ ")[0] in "+−0" for score in scores), scores
    page.wait_for_function("() => document.querySelectorAll('#board .arrow').length === 3")
    # Pointing at a move shows the position after it; pointing away shows the old one again.
    steps = opened.line(2).locator("button:not([hidden])")
    page.wait_for_function(
        "() => document.querySelectorAll('#lines [data-line=\"2\"] button:not([hidden])').length > 1"
    )

    def shows_the_second_move() -> bool:
        page.mouse.move(5, 5)
        steps.nth(1).hover()
        return opened.pieces == pieces_of(after(opened.variation(2)[:2]))

    until(shows_the_second_move)  # the line may change while the pointer moves there
    page.mouse.move(5, 5)
    assert opened.pieces == pieces_of(new_position("minishogi"))
    # The keyboard does the same.
    steps.nth(0).focus()
    page.keyboard.press("ArrowRight")
    until(lambda: opened.pieces == pieces_of(after(opened.variation(2)[:2])))
    wanted = opened.variation(2)[:2]
    played = after(wanted)
    page.keyboard.press("Enter")
    assert opened.moves == wanted and opened.stands == "aside"
    assert opened.pieces == pieces_of(played)
    # The engine now analyses the position that is shown.
    opened.wait_for_lines(3, depth=4)
    assert {line[0] for line in opened.variations} <= set(played.legal_moves())
    opened.stop()
    page.wait_for_selector("#lines .line:not([hidden])", state="detached")
    assert page.locator("#board .arrow").count() == 0


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_button_shows_whether_the_analysis_is_on(opened: AnalysisPage, scheme: Literal["light", "dark"]) -> None:
    opened.page.emulate_media(color_scheme=scheme)
    colour = "(button) => getComputedStyle(button).backgroundColor"
    off = opened.page.locator("#analyse").evaluate(colour)
    opened.analyse()
    opened.page.mouse.move(5, 5)
    assert opened.page.locator("#analyse").evaluate(colour) != off
    opened.stop()


@pytest.mark.long
def test_pointing_at_the_next_move_of_a_line_that_has_become_shorter(opened: AnalysisPage) -> None:
    seen = opened.page.evaluate("""async () => {
      const { LinesView } = await import("./page/analysis/lines_view.js");
      const host = document.body.appendChild(document.createElement("ol")), seen = [];
      const line = (pv) => [{ multipv: 1, depth: 3, seldepth: 3, scoreKind: "cp", score: 0, pv }];
      const look = (moves) => {
        seen.push(moves?.length ?? 0);
        if (!moves) view.show(line(["2e3d"]), 0, 1);
      };
      const view = new LinesView(host, { play: () => {}, look, write: (moves) => moves });
      view.show(line(["2e3d", "3a2b"]), 0, 1);
      host.querySelector("button").focus();
      view.show(line(["2e3d"]), 0, 1);
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      document.activeElement.blur();
      const diagonally = { pointerType: "mouse", movementX: 3, movementY: -3, bubbles: true };
      host.querySelector("button").dispatchEvent(new PointerEvent("pointermove", diagonally));
      host.remove();
      return seen;
    }""")
    assert seen == [1, 2, 0, 1]


@pytest.mark.long
def test_quick_steps_start_few_searches(opened: AnalysisPage) -> None:
    page = opened.page
    moves = with_game(opened)
    page.evaluate("""() => {
      const post = Worker.prototype.postMessage;
      window.searches = [];
      Worker.prototype.postMessage = function (message, ...more) {
        if (message.type === "search") window.searches.push(message.game.moves.length);
        return post.call(this, message, ...more);
      };
    }""")
    opened.analyse()
    for _ in range(5):
        for key in ("End", "Home", "ArrowRight", "ArrowRight", "ArrowRight"):
            page.keyboard.press(key)
    opened.wait_for_lines(1, depth=5)
    position = new_position("minishogi")
    for move in moves[:3]:
        position.push(move)
    assert opened.variation(1)[0] in position.legal_moves()
    searches = page.evaluate("window.searches")
    assert searches[-1] == 3 and len(searches) <= 6
    # A hidden page does not search.
    page.evaluate("""() => {
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }""")
    assert page.inner_text("#speed") == "Paused while the page is hidden."
    count = len(page.evaluate("window.searches"))
    page.evaluate("() => { delete document.hidden; document.dispatchEvent(new Event('visibilitychange')); }")
    opened.wait_for_lines(1, depth=5)
    assert len(page.evaluate("window.searches")) == count + 1


def test_the_tree_by_the_keyboard(opened: AnalysisPage) -> None:
    page = opened.page
    with_game(opened)
    page.keyboard.press("ArrowRight")
    opened.play("3a4b", 1)
    assert [text.split(" ")[0] for text in opened.tree] == ["Start", "1.", "2.", "2.", "3.", "4.", "5.", "6."]
    assert opened.moves == ["2e3d", "3a4b"]
    page.locator("#tree [aria-selected=true]").focus()
    page.keyboard.press("p")
    assert opened.tree[2].endswith("3a-4b") and opened.tree[3].endswith("3a-2b")
    for key, at in (("ArrowDown", 3), ("ArrowRight", 4), ("ArrowUp", 3), ("ArrowLeft", 1), ("End", 7), ("Home", 0)):
        page.keyboard.press(key)
        selected = page.locator("#tree [role=treeitem]").nth(at)
        assert selected.get_attribute("aria-selected") == "true", key
        assert selected.evaluate("(item) => item === document.activeElement")
    # A comment is shown as text, whatever it contains, and is saved.
    page.keyboard.press("c")
    page.keyboard.type(HOSTILE)
    assert page.inner_text("#tree .comment") == HOSTILE
    page.wait_for_function("(text) => Object.values(localStorage).some((value) => value.includes(text))", arg="onerror")
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.inner_text("#tree .comment") == HOSTILE and page.locator("#tree img").count() == 0
    # A deleted move can be restored.
    page.locator("#tree [role=treeitem]").nth(4).click()
    page.keyboard.press("Delete")
    assert len(opened.tree) == 4
    page.click("#messages .message button.small")
    assert len(opened.tree) == 8


# This script counts how often the move list, an item of the tree, or the storage changes. Typing must change none.
COUNT = """() => {
  window.changes = window.writes = 0;
  const changed = (found) => { changes += found.filter(({ target }) => !target.closest(".comment")).length; };
  new MutationObserver(changed).observe(document.querySelector("#moves"), { childList: true, subtree: true });
  for (const item of document.querySelectorAll("#tree [role=treeitem]"))
    new MutationObserver(changed).observe(item, { childList: true, attributes: true });
  const { setItem } = Storage.prototype;
  Storage.prototype.setItem = function (...given) { writes += 1; setItem.apply(this, given); };
}"""


def test_a_comment_is_typed_without_drawing_or_saving_the_game(opened: AnalysisPage) -> None:
    page = opened.page
    with_game(opened)
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(500)  # the opened game is saved in this time
    page.locator("#comment").focus()
    page.evaluate(COUNT)
    page.keyboard.type("a comment", delay=40)
    assert page.inner_text("#tree .comment") == "a comment" and page.evaluate("[changes, writes]") == [0, 0]
    # The comment is saved when the page or the field is left, and after a second.
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    page.locator("#tree [role=treeitem]").nth(1).click()
    assert page.inner_text("#tree .comment") == page.input_value("#comment") == "a comment"
    stored = "(text) => Object.values(localStorage).some((value) => value.includes(text))"
    page.fill("#comment", "another")
    page.locator("#analyse").focus()
    assert page.evaluate(stored, "another")
    page.locator("#comment").focus()
    page.keyboard.type(", typed")
    page.wait_for_function(stored, arg=", typed", timeout=5000)
    page.fill("#comment", "")
    assert page.locator("#tree .comment").count() == 0


@pytest.mark.long
def test_a_position_is_set_up(opened: AnalysisPage) -> None:
    page = opened.page
    opened.play("2e3d", 0)
    before = opened.pieces
    page.click("#set-position")
    for sfen, told in (
        ("rubbish", "SFEN: 5 ranks expected, not 1"),
        ("rbsg1/4p/5/P4/1GSBR b - 1", "SFEN: neither side has a king"),
        ("4k/5/5/5/K3r w R 1", "SFEN: White is to move and could capture the king"),
        (HOSTILE, "SFEN: 5 ranks expected, not 1"),
    ):
        page.fill("#position-sfen", sfen)
        page.wait_for_selector(f"#position-told.trouble:has-text({json.dumps(told)})")
        assert page.is_disabled("dialog button[type=submit]")
    assert page.locator("dialog img[src=x]").count() == 0
    # Pieces are put on the board, and the SFEN changes with them.
    page.fill("#position-sfen", "4k/5/5/5/K4 b - 1")
    page.wait_for_selector("#position-told:not(.trouble)")
    page.click('dialog .palette [data-tool="P"]')
    for square in ("2c", "2d"):  # pawns may share a file
        page.locator(f'dialog [data-key="{square}"]').click()
    assert page.input_value("#position-sfen") == "4k/5/3P1/3P1/K4 b - 1"
    page.wait_for_selector("#position-told:not(.trouble)")
    page.fill("#position-sfen", "4k/5/5/5/K4 b - 1")
    page.wait_for_selector("#position-told:not(.trouble)")
    page.click('dialog .palette [data-tool="G"]')
    page.locator('dialog [data-key="3c"]').click()
    assert page.input_value("#position-sfen") == "4k/5/2G2/5/K4 b - 1"
    page.click("dialog button[type=submit]")
    page.wait_for_selector("dialog", state="detached")
    assert opened.pieces == {"1a": "k", "3c": "G", "5e": "K"} != before
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert opened.pieces == {"1a": "k", "3c": "G", "5e": "K"}
    # An SFEN of another variant switches to this variant.
    page.click("#set-position")
    page.fill("#position-sfen", VARIANTS["dobutsu"].start)
    page.wait_for_selector("#position-told:not(.trouble)")
    page.click("dialog button[type=submit]")
    page.wait_for_selector("dialog", state="detached")
    assert opened.pieces == pieces_of(new_position("dobutsu"))
    opened.analyse()
    opened.wait_for_lines(1)


@pytest.mark.long
@pytest.mark.parametrize("name", ["onitama", "dice", "kyoto", "generals"])
def test_other_variants_are_analysed(opened: AnalysisPage, name: str) -> None:
    page = opened.page
    opened.new_game(name, player_0="person", player_1="person")
    position = new_position(name)
    legal = allowed(position, opened.roll) if name == "dice" else position.legal_moves()
    count = 1 if name == "dice" else 2
    opened.analyse(lines=2)
    opened.wait_for_lines(count, depth=2)
    first = [line[0] for line in opened.variations]
    assert len(set(first)) == count
    if name in ("dice", "kyoto"):  # other variants start from random set-ups or cards
        assert set(first) <= set(legal)
    button = opened.line(count).locator("button").first
    button.focus()  # a focused button keeps its move
    move = button.get_attribute("data-usi")
    page.keyboard.press("Enter")
    assert opened.moves == [move]
