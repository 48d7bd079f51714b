"""Actions during a game: resign, rematch, hint, swap, take back, clocks, typed rolls, set-ups, cards."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from kogoma.rules.onitama_cards import CARDS
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from support.browsers.played_page import PlayedPage

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# (variant, position before the last move, last move, the page's message)
ENDS = {
    "checkmate": ("minishogi", "4k/5/4P/5/K4 b G 1", "G*1b", "Black wins: checkmate."),
    "stalemate": ("minishogi", "4k/2B2/2G2/5/K4 b - 1", "3c2c", "Black wins: White has no legal move, and has lost."),
    "stalemate-dice": (
        "dice",
        "4k/2B2/2G2/5/K4 b - 1",
        "3c2c",
        "White wins: White has no legal move, which wins here.",
    ),
    "king": ("generals", "k5/G5/6/6/6/5K b - 1", "6b6a", "Black wins: the king is captured."),
    "goal": ("dobutsu", "3/L1g/1l1/3 b - 1", "3b3a", "Black wins: the lion has crossed the board."),
    "shrine": ("onitama", "5/2M2/5/5/4m b 15,4/2,9/6 1", "4:c4c5", "Black wins: the master is on the shrine."),
    "master": ("onitama", "5/5/2m2/2S2/2M2 b 15,4/2,9/6 1", "4:c2c3", "Black wins: the master is captured."),
    "longest": (
        "onitama",
        "ssmss/5/5/5/SSMSS b 10,15/2,4/6 200",
        "15:a1a3",
        "Draw: the maximum length of 200 moves was reached.",
    ),
}


def message(opened: PlayedPage) -> str:
    """Wait for the end of the game, and return the page's message."""
    opened.wait("over")
    return opened.page.inner_text("#status strong")


@pytest.mark.long
@pytest.mark.parametrize("end", ENDS)
def test_ends_are_explained_in_words(browser: Browser, site_address: str, end: str) -> None:
    variant, start, move, words = ENDS[end]
    opened = PlayedPage(browser, site_address)
    opened.new_game(variant, start="typed", sfen=start, player_0="person", player_1="person", **dice(variant))
    if VARIANTS[variant].die.name != "NONE":
        opened.page.click("#dice button >> nth=5")
    opened.play(move, 0)
    position = new_position(variant, start)
    position.push(move)
    outcome = position.outcome()
    assert outcome is not None and message(opened) == words
    opened.page.click("#settings")
    opened.page.select_option("dialog select >> nth=0", "ja")
    opened.page.click("dialog .close")
    assert re.search("[ぁ-ん一-龯]", message(opened)) and opened.heard == []


def dice(variant: str) -> dict[str, str]:
    """Return the settings for a new game in which people type the rolls of the die. If the variant has no die, return
    no settings."""
    return {"dice": "typed"} if VARIANTS[variant].die.name != "NONE" else {}


@pytest.mark.long
def test_repetition_and_perpetual_check(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    opened.new_game("minishogi", player_0="person", player_1="person")
    for _ in range(3):
        for side, move in enumerate(("4e4d", "2a2b", "4d4e", "2b2a")):
            opened.play(move, side % 2)
    assert message(opened) == "White wins: the position was repeated, which Black loses here."
    opened.new_game("minishogi", start="typed", sfen="1k3/5/5/R4/4K b - 1", player_0="person", player_1="person")
    for _ in range(3):
        for index, move in enumerate(("5d4d", "4a5a", "4d5d", "5a4a")):
            opened.play(move, index % 2)
    assert message(opened) == "White wins: perpetual check by Black is forbidden."


def test_resign_undo_rematch_swap_hint(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address, seed=7)
    page = opened.page
    opened.new_game("minishogi", player_0="person", player_1="engine:", level_1="340")
    opened.play("5d5c", 0)
    assert opened.wait("person")
    page.click("#do-hint")
    page.wait_for_selector("#board .arrows > *", state="attached")
    page.click("#do-resign")
    assert message(opened) == "White wins: Black resigned."
    page.click(".message button:has-text('Undo')")
    assert opened.wait("person") and len(opened.moves) == 2
    page.click("#do-swap-sides")
    page.wait_for_selector("#moves li:nth-child(4)")
    assert opened.wait("person")
    page.click("#do-resign")
    assert message(opened) == "Black wins: White resigned."
    page.click("#do-rematch")
    assert opened.wait("person") and opened.moves == [] and page.is_disabled("#do-take-back")
    opened.play("5d5c", 0)
    assert opened.wait("person") and len(opened.moves) == 2
    page.keyboard.press("ArrowLeft")
    assert opened.wait("aside")
    opened.play("1b1c", 1)
    assert opened.moves == ["5d5c", "1b1c"] and opened.wait("aside")
    page.click("#status button:has-text('Back to the game')")
    assert opened.wait("person") and len(opened.moves) == 2
    assert opened.heard == []


@pytest.mark.long
def test_a_hint_in_onitama_names_the_card(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    start = "5/2M2/5/5/4m b 15,4/2,9/6 1"  # only card 4 reaches the shrine
    opened.new_game("onitama", start="typed", sfen=start, player_0="person", player_1="person")
    opened.page.click("#do-hint")
    opened.page.wait_for_selector(".message")
    assert opened.page.inner_text(".message span") == f"Hint: with the card {CARDS[4].name}."


@pytest.mark.long
def test_clocks_run_and_fall(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    page = opened.page
    opened.new_game("minishogi", player_0="person", player_1="engine:", level_1="340", time="move", move_seconds="1")
    assert page.inner_text("#clock-0").startswith("0:0")
    assert message(opened) == "White wins: Black has no time left."
    clocks = {"main_minutes": "5", "byoyomi_seconds": "0", "increment_seconds": "30"}
    opened.new_game("minishogi", player_0="person", player_1="person", time="clock", **clocks)
    opened.play("5d5c", 0)
    assert page.inner_text("#clock-0") in ("5:30", "5:29")
    page.click("#do-pause")
    before = page.inner_text("#clock-1")
    assert opened.wait("paused")
    page.wait_for_timeout(1200)  # a running clock would change in this time
    assert page.inner_text("#clock-1") == before
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert opened.wait("paused") and page.inner_text("#clock-1") == before
    page.click("#do-go-on")
    opened.play("1b1c", 1)
    assert opened.wait("person")
    clocks = {"main_minutes": "5", "byoyomi_seconds": "0", "increment_seconds": "0.5"}
    opened.new_game("minishogi", player_0="person", player_1="person", time="clock", **clocks)
    opened.play("5d5c", 0)
    assert opened.wait("person") and len(opened.moves) == 1 and opened.heard == []


@pytest.mark.long
def test_typed_rolls_restrict_the_moves(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    page = opened.page
    opened.new_game("dice", player_0="person", player_1="engine:", level_1="340", dice="typed")
    assert opened.wait("roll")
    page.click("#dice button >> nth=0")
    assert opened.wait("person") and opened.roll == 1
    opened.item("4e").click()
    assert page.locator("#board .cell.target").count() == 0  # targets on file 1 only
    opened.play("1e1d", 0)
    assert opened.wait("roll") and "White" in page.inner_text("#status") + page.inner_text("#board")
    page.click("#dice button >> nth=5")
    assert opened.wait("roll") and len(opened.moves) == 2
    page.click("#do-take-back")
    assert opened.wait("person") and opened.roll == 1  # after taking back, the roll stays
    assert opened.heard == []


@pytest.mark.long
def test_two_engines_play_and_pause(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    page = opened.page
    opened.new_game("dobutsu", player_0="engine:", player_1="engine:", level_0="340", level_1="340")
    page.wait_for_selector("#moves li:nth-child(3)")
    page.click("#do-pause")
    assert opened.wait("paused", "over") and opened.heard == []


@pytest.mark.long
def test_set_ups(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    page = opened.page
    people = {"player_0": "person", "player_1": "person"}

    def start() -> str:
        opened.play(moves[0], 0)
        page.reload()
        page.wait_for_selector("html[data-ready]", state="attached")
        kept: str = page.evaluate(
            "JSON.parse(localStorage[`kogoma/game/${sessionStorage['kogoma/current']}`]).tree.start"
        )
        return kept

    for kind in ("random", "symmetric"):
        opened.new_game("generals", start=kind, **people)
        moves = ["6e6d"]
        position = new_position("generals", start())
        rows = position.sfen().split()[0].split("/")
        white, black = rows[0].upper(), rows[-1]
        for row in (white, black):
            assert len(set(row)) == 6 and "K" in row
        assert kind == "random" or white == black[::-1]
    opened.new_game("onitama", start="random", **people)
    cards = page.eval_on_selector_all("#board [data-key^=card]", "(all) => all.map((one) => one.dataset.key)")
    assert len(set(cards)) >= 4
    page.click("#new-game")
    page.select_option("#ask-game", "minishogi")
    page.select_option("#ask-start", "typed")
    page.fill("#ask-sfen", "rbsgk/4p/5/P4/KGSB b - 1")
    page.click("dialog button[type=submit]")
    page.wait_for_selector(".trouble:has-text('rank e is 4 squares wide, not 5')")
    page.keyboard.press("Escape")
    assert page.inner_text("#variant") == "Onitama" and opened.heard == []


@pytest.mark.long
def test_declaration_wins(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    ready = "K+R+R+B+BGGGG/SSSS5/9/9/9/9/9/9/4k4 b - 1"
    opened.new_game("shogi", start="typed", sfen=ready, player_0="person", player_1="person")
    opened.page.click("#do-declare")
    assert message(opened) == "Black wins: Black won by declaration."
    opened.new_game("shogi", start="usual", player_0="person", player_1="person")
    assert opened.page.is_disabled("#do-declare") and opened.heard == []


def test_keys_and_words(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    page = opened.page
    opened.new_game("minishogi", player_0="person", player_1="person")
    opened.item("5d").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_selector('#moves [data-move="5d5c"]')
    assert page.inner_text("#live") == "Black: pawn 5d to 5c"
    opened.play("1b1c", 1)
    page.click("#moves-title")
    for key, shown in (("Home", 0), ("ArrowRight", 1), ("End", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        assert page.locator("#moves li").nth(shown).locator("[aria-current=step]").count() == 1
    page.keyboard.press("f")
    assert page.get_attribute("#flip", "aria-pressed") == "true"
    # The keys do the same if the board has the focus.
    opened.item("5d").focus()
    for key, shown in (("Home", 0), ("End", 2)):
        page.keyboard.press(key)
        assert page.locator("#moves li").nth(shown).locator("[aria-current=step]").count() == 1
    page.keyboard.press("f")
    assert page.get_attribute("#flip", "aria-pressed") == "false"
    page.keyboard.press("h")
    page.wait_for_selector("#board .arrows > *", state="attached")
    assert opened.heard == []


def test_f_flips_the_board_wherever_the_focus_is(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    page = opened.page
    opened.new_game("minishogi", player_0="person", player_1="person")
    opened.play("5d5c", 0)
    flipped = False
    for view, places in (
        ("play", ("#play", '#board [tabindex="0"]', "#do-hint", "#to-play")),
        ("analyse", ("#play", '#board [tabindex="0"]', '#tree [tabindex="0"]', '[role=tab][aria-selected="true"]')),
    ):
        opened.view(view)
        for place in places:
            page.locator(place).first.focus()
            page.keyboard.press("f")
            flipped = not flipped
            assert page.get_attribute("#flip", "aria-pressed") == str(flipped).lower(), (view, place)
            first = page.locator("#board [role=gridcell]").first.get_attribute("data-key")
            assert first == ("1e" if flipped else "5a"), (view, place)
    opened.view("home")  # has no board to flip
    page.keyboard.press("f")
    assert page.get_attribute("#flip", "aria-pressed") == str(flipped).lower()
    page.click("#games")
    page.keyboard.press("f")  # a dialog keeps its keys
    assert page.get_attribute("#flip", "aria-pressed") == str(flipped).lower() and opened.heard == []
