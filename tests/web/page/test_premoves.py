"""Premoves: moves that a person enters while the engine thinks."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS, Promotion
from kogoma.web.game_data import game_data
from support.browsers.board_page import BoardPage
from support.browsers.played_page import PlayedPage

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# This script lets the engine answer only when the test calls `answerNow`. Its answers are those of the test.
HELD = """(() => {
  const handler = Object.getOwnPropertyDescriptor(Worker.prototype, "onmessage");
  window.held = [];
  window.answerNow = () => held.splice(0).forEach((act) => act());
  const add = Worker.prototype.addEventListener;
  const wrapped = (worker, act) => (event) => {
    if (event.data?.best !== undefined || event.data?.result !== undefined) held.push(() => act.call(worker, event));
    else act.call(worker, event);
  };
  Worker.prototype.addEventListener = function (type, act, ...more) {
    return add.call(this, type, type === "message" ? wrapped(this, act) : act, ...more);
  };
  Object.defineProperty(Worker.prototype, "onmessage", {
    ...handler, set(act) { handler.set.call(this, act && wrapped(this, act)); },
  });
})()"""
# White has one legal move: it takes the gold on 5b.
FORCED = "k4/G4/5/5/4K w Pp 1"


class AheadPage(PlayedPage):
    """The page, with premoves switched on, in a game of White, the engine, whose answers wait."""

    def __init__(self, browser: Browser, address: str, **context: Any) -> None:
        super().__init__(browser, address, **context)
        self.page.add_init_script(HELD)
        self.page.evaluate("localStorage.setItem('kogoma/settings', JSON.stringify({ premoves: true }))")
        self.page.reload()
        self.page.wait_for_selector("html[data-ready]", state="attached")

    def start(self, variant: str = "minishogi", sfen: str = FORCED, **choices: str) -> None:
        """Begin a game in which the engine is to move."""
        given = {"player_0": "person", "player_1": "engine:", "level_1": "340", "start": "typed", "sfen": sfen}
        self.new_game(variant, **given, **choices)
        assert self.wait("engine")
        self.page.wait_for_function("() => held.length === 1", timeout=60_000)

    def answer(self) -> None:
        """Let the engine make its move."""
        self.page.evaluate("answerNow()")

    @property
    def premove(self) -> str:
        shown = self.page.locator("#board .arrow.premove")
        return str(shown.get_attribute("data-arrow")) if shown.count() else ""


@pytest.fixture
def opened(browser: Browser, site_address: str) -> Iterator[AheadPage]:
    page = AheadPage(browser, site_address)
    yield page
    assert page.heard == []
    page.context.close()


def test_a_legal_premove_is_played(opened: AheadPage) -> None:
    page = opened.page
    opened.start()
    opened.play("1e1d", 0)
    assert opened.premove == "1e1d" and opened.moves == []
    assert "premove K1e-1d" in page.inner_text("#status") and page.inner_text("#live") == "premove K1e-1d"
    opened.answer()
    page.wait_for_selector('#moves [data-move="1e1d"]')
    assert opened.moves == ["5a5b", "1e1d"] and opened.premove == ""
    assert page.inner_text("#live") == "White: king 5a to 5b, takes gold. Black: king 1e to 1d"


def test_a_premoved_drop_by_keys_and_the_clock(opened: AheadPage) -> None:
    page = opened.page
    opened.start(time="clock", main_minutes="5", byoyomi_seconds="0", increment_seconds="0")
    page.locator('#board [data-key="hand0P"] [role=button]').focus()
    page.keyboard.press("Enter")
    opened.item("3c").focus()
    page.keyboard.press("Enter")
    assert opened.premove == "P*3c"
    opened.answer()
    page.wait_for_selector('#moves [data-move="P*3c"]')
    assert page.inner_text("#clock-0") == "5:00"


def test_an_illegal_premove_is_dropped(opened: AheadPage) -> None:
    page = opened.page
    opened.start()
    opened.play("5b4b", 0)  # the gold will be captured
    assert opened.premove == "5b4b"
    opened.answer()
    page.wait_for_selector(".message:has-text('The premove')")
    assert page.inner_text(".message span") == "The premove K5b-4b was not legal."
    assert opened.moves == ["5a5b"] and opened.wait("person") and opened.premove == ""


@pytest.mark.parametrize("way", ["Escape", "Escape on the board", "right click", "click", "setting"])
def test_a_cancelled_premove_is_not_played(opened: AheadPage, way: str) -> None:
    page = opened.page
    opened.start()
    opened.play("1e1d", 0)
    assert opened.premove == "1e1d"
    if way == "setting":
        page.click("#settings")
        page.select_option("#set-premoves", "no")
        page.click("dialog .close")
    elif way == "Escape":
        page.keyboard.press("Escape")
    elif way == "Escape on the board":
        opened.item("3c").focus()
        page.keyboard.press("Escape")
    else:
        opened.item("3c").click(button="right" if way == "right click" else "left")
    assert opened.premove == "" and page.locator("#board .drawn").count() == 0
    opened.answer()
    assert opened.wait("person") and opened.moves == ["5a5b"]


def test_a_reload_forgets_a_premove(opened: AheadPage) -> None:
    page = opened.page
    choices = {"player_1": "engine:", "level_1": "340", "start": "typed", "sfen": "k4/5/G4/5/4K b Pp 1"}
    opened.new_game("minishogi", player_0="person", **choices)
    opened.play("5c5b", 0)
    page.wait_for_function("() => held.length === 1", timeout=60_000)
    opened.play("1e1d", 0)
    assert opened.premove == "1e1d"
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert opened.premove == ""
    page.wait_for_function("() => held.length === 1", timeout=60_000)
    opened.answer()
    assert opened.wait("person") and opened.moves == ["5c5b", "5a5b"]


def test_a_premove_may_promote(opened: AheadPage) -> None:
    page = opened.page
    opened.start(sfen="k4/4S/5/5/4K w - 1")
    opened.item("1b").click()
    opened.item("1a").click()
    page.click('.chooser [data-answer="1b1a+"]')
    assert opened.premove == "1b1a+"
    opened.answer()
    page.wait_for_selector('#moves [data-move="1b1a+"]')


def test_premoves_are_off_at_first_and_with_dice(browser: Browser, site_address: str) -> None:
    opened = AheadPage(browser, site_address)
    opened.start("dice", "rbsgk/4p/5/P4/KGSBR w - 1")
    opened.play("5d5c", 0)
    assert opened.premove == ""
    opened.page.evaluate("localStorage.removeItem('kogoma/settings')")
    opened.page.reload()
    opened.page.wait_for_selector("html[data-ready]", state="attached")
    opened.start()
    opened.play("1e1d", 0)
    assert opened.premove == "" and not [address for address in opened.requests if "premoves" in address][1:]
    assert opened.heard == []


PREMOVES = """async ([given, variant, side, cards]) => {
  const { premovesOf } = await import('/kogoma/web/page/play/premoves.js');
  const { parseSfen } = await import('/kogoma/web/board/state.js');
  return premovesOf(parseSfen(given.sfen, given.variant, given.shape), variant, side, cards);
}"""


@pytest.mark.parametrize("name", [name for name, variant in VARIANTS.items() if not variant.die])
def test_every_move_that_can_become_legal_may_be_entered(board: BoardPage, name: str) -> None:
    """Check in random positions of every variant that each legal reply to each move of the opponent may be entered
    before that move. With promotion by captures, the premove has no sign of promotion."""
    chance, variant = random.Random(name), VARIANTS[name]
    described = game_data(variant).description["variant"]
    for _ in range(6):
        position = new_position(name)
        for _ in range(chance.randrange(40)):
            if position.outcome() is not None:
                break
            position.push(chance.choice(sorted(position.legal_moves())))
        if position.outcome() is not None:
            continue
        side = 1 - position.turn
        given = board.given(name, position.sfen())
        offered = set(board.page.evaluate(PREMOVES, [given, described, side, given["view"]["cards"]]))
        for move in position.legal_moves():
            position.push(move)
            if position.outcome() is None:
                replies = {one for one in position.legal_moves() if "pass" not in one}
                if variant.promotion is Promotion.CAPTURE:
                    replies = {one.rstrip("+-") for one in replies}
                assert replies <= offered, (position.sfen(), sorted(replies - offered))
            position.pop()
