"""The page's storage: games after reloads and closed tabs, full storage, invalid data, and the list of games."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support.browsers.played_page import PlayedPage

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

GAME = "kogoma/game/"

# These scripts make the browser's storage throw errors, as if it were forbidden or always full.
NO_STORAGE = (
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })"
)
FULL_STORAGE = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }"


def two_people(opened: PlayedPage, *moves: str) -> None:
    """Start a game of minishogi between two people, and make these moves."""
    opened.new_game("minishogi", player_0="person", player_1="person")
    for index, move in enumerate(moves):
        opened.play(move, index % 2)
        opened.page.wait_for_selector(f'#moves [aria-current="step"][data-move="{move}"]')


def games_in(opened: PlayedPage) -> dict[str, Any]:
    """Return the games that are stored in the browser, as a dictionary from the id of each game to its data."""
    kept = opened.page.evaluate("Object.entries(localStorage).filter(([key]) => key.startsWith('kogoma/game/'))")
    return {key.removeprefix(GAME): json.loads(text) for key, text in kept}


def moves_in(entry: Any) -> list[str]:
    """Return the moves of the main line of a stored game."""
    return [step["move"] for step in entry["tree"]["next"][0]] if entry["tree"]["next"] else []


def test_a_game_survives_its_tab(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    two_people(opened, "5d5c", "1b1c", "3e3d")
    opened.page.click("#back")
    opened.page.close()
    again = opened.page = opened.new_page()
    again.goto(f"{site_address}#play")
    again.wait_for_selector("html[data-ready]", state="attached")
    assert opened.moves == ["5d5c", "1b1c", "3e3d"]
    assert opened.stands == "aside", "the position that was shown last"
    again.click("#status button:has-text('Back to the game')")
    assert opened.wait("person") and "White to move" in again.inner_text("#status")
    opened.play("3a3b", 1)
    again.reload()
    again.wait_for_selector("html[data-ready]", state="attached")
    assert opened.moves[-1] == "3a3b" and opened.heard == []


def test_a_saved_game_waits_until_its_variant_is_compiled(browser: Browser, site_address: str) -> None:
    """Check it with answers of a server that is compiling: at first they lack minishogi."""
    opened = PlayedPage(browser, site_address)
    two_people(opened, "5d5c", "1b1c")
    asked = list[int]()

    def answer(route: Route) -> None:
        index: Any = route.fetch().json()
        server = {"engines": [], "matches": [], "socket": "", "threads": 1, "hashMb": 16, "compiling": None}
        asked.append(len(asked))
        if len(asked) < 3:
            index["games"] = [game for game in index["games"] if game["name"] != "minishogi"]
            server |= {"compiling": "minishogi", "progress": {"elapsed": 1, "expected": 3}}
        route.fulfill(json={**index, "server": {"progress": None, **server}})

    opened.page.route("**/games/index.json", answer)
    opened.page.reload()
    opened.page.wait_for_selector("html[data-ready=true]", state="attached")
    assert len(asked) == 3 and opened.moves == ["5d5c", "1b1c"] and opened.page.locator(".problem").count() == 0
    assert opened.heard == []


@pytest.mark.long
def test_games_are_listed_named_opened_deleted(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    page = opened.page
    two_people(opened, "5d5c")
    two_people(opened, "3e3d", "3a3b")
    opened.new_game("kyoto", player_0="person", player_1="person")
    page.click("#games")
    rows = page.locator(".kept li")
    assert rows.count() == 2  # a game without moves is not saved
    rows.nth(0).locator("input").fill("the second")
    rows.nth(0).locator("input").press("Tab")
    rows.nth(1).locator(".open").click()
    page.wait_for_selector("dialog", state="detached")
    assert opened.moves == ["5d5c"]
    page.click("#games")
    rows = page.locator(".kept li")
    names = [rows.nth(index).locator("input").input_value() for index in range(rows.count())]
    assert sorted(names) == ["", "the second"]
    second = rows.nth(names.index("the second"))
    second.locator(".erase").click()
    assert rows.count() == 1 and len(games_in(opened)) == 1
    page.click(".message button:has-text('Undo')")
    assert rows.count() == 2 and {game["name"] for game in games_in(opened).values()} == {"", "the second"}
    assert opened.heard == []


def test_the_focus_stays_where_something_is_removed(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    page = opened.page
    has_focus = "(one) => one === document.activeElement"
    two_people(opened, "5d5c")
    two_people(opened, "3e3d")
    page.locator("#new-game").press("Enter")
    page.locator("dialog button[type=submit]").press("Enter")
    page.wait_for_selector("dialog", state="detached")
    assert page.locator("#board [tabindex='0']").first.evaluate(has_focus)
    # After a game is deleted, the next game gets the focus. After the last game is deleted, the dialog gets the focus.
    page.locator("#games").press("Enter")
    erase = page.locator(".kept .erase")
    erase.nth(1).press("Enter")
    assert erase.count() == 1 and erase.evaluate(has_focus)
    page.locator(".message button:has-text('Undo')").press("Enter")
    assert erase.count() == 2 and erase.nth(0).evaluate(has_focus)
    for _ in range(2):
        page.keyboard.press("Enter")
    assert erase.count() == 0 and page.locator("dialog").evaluate(has_focus)
    page.keyboard.press("Escape")
    assert page.locator("#games").evaluate(has_focus)
    # After a message is closed, the element that had the focus before gets it again.
    opened.play("5d5c", 0)
    opened.view("analyse")
    page.locator("#remove").press("Enter")
    assert page.locator("#tree [aria-selected=true]").evaluate(has_focus)
    page.locator("#messages .close").last.press("Enter")
    assert page.locator("#tree [aria-selected=true]").evaluate(has_focus) and opened.heard == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "words"), [("en-GB", ("unreadable", "cannot be opened")), ("ja-JP", ("読めません", "開けません"))]
)
def test_invalid_data_in_the_storage_is_refused(
    browser: Browser, site_address: str, language: str, words: tuple[str, str]
) -> None:
    opened = PlayedPage(browser, site_address, locale=language)
    page = opened.page
    two_people(opened, "5d5c", "1b1c")
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    [(good, stored)] = games_in(opened).items()
    illegal = {**stored, "tree": {**stored["tree"], "next": [[{"move": "5d5a"}]]}}
    shapes = {
        "number": 5, "empty": {}, "null": None, "list": [],
        "seats": {**stored, "match": {**stored["match"], "seats": [1, 2]}},
        "nodes": {**stored, "tree": {**stored["tree"], "next": [[{"move": 5}]]}},
        "deep": {**stored, "tree": {**stored["tree"], "next": [[{"move": "5d5c", "next": 7}]]}},
        "variant": {**stored, "tree": {**stored["tree"], "variant": "chess"}}, "illegal": illegal,
        "start": {**stored, "tree": {**stored["tree"], "start": "nothing"}},
        "level": {**stored, "match": {**stored["match"], "seats": [{"kind": "engine", "engine": "", "level": -5}] * 2}},
    }  # fmt: skip
    for name, rubbish in shapes.items():
        page.evaluate("([key, text]) => localStorage.setItem(key, text)", [GAME + name, json.dumps(rubbish)])
    page.evaluate(f"localStorage.setItem('{GAME}text', '{{]'); localStorage.setItem('kogoma/settings', '[5')")
    page.evaluate("localStorage.setItem('kogoma/settings', JSON.stringify({theme: 7, language: 'xx', threads: -1}))")
    page.click("#games")
    refused = page.locator(".kept .unreadable")
    rows = page.locator(".kept li")
    assert words[0] in refused.nth(0).inner_text() and rows.count() == len(shapes) + 2
    # An entry whose errors show only when it is opened does not change the current game.
    for index in range(rows.count()):
        row = rows.nth(index)
        if row.get_attribute("class") != "unreadable" and not row.get_attribute("aria-current"):
            row.locator(".open").click()
            page.wait_for_selector(f'.message.problem:has-text("{words[1]}")')
            page.locator(".message .close").first.click()
    page.click("dialog .close")
    assert opened.moves == ["5d5c", "1b1c"]
    page.evaluate("sessionStorage.clear(); localStorage.setItem('kogoma/current', '\"illegal\"')")
    page.reload()
    page.wait_for_selector("html[data-ready=true]", state="attached")
    page.wait_for_selector(f'.message.problem:has-text("{words[1]}")')
    assert opened.wait("person") and opened.moves == []
    page.click("#games")
    page.locator(".kept li", has=page.locator("input")).locator(".open").nth(0).wait_for()
    assert opened.heard == [] and page.evaluate("(key) => key in localStorage", GAME + good)


@pytest.mark.long
def test_a_game_continues_in_one_tab_at_a_time(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(browser, site_address)
    two_people(opened, "5d5c", "1b1c")
    first, second = opened.page, opened.new_page()
    message = ".message.problem:has-text('This game continues in another tab.')"
    opened.page = second
    second.goto(f"{site_address}#play")
    second.wait_for_selector("html[data-ready=true]", state="attached")
    assert opened.moves == ["5d5c", "1b1c"] and first.locator(message).count() == 0
    opened.play("3e3d", 0)
    first.wait_for_selector(message)
    assert list(map(moves_in, games_in(opened).values())) == [["5d5c", "1b1c", "3e3d"]]
    opened.page = first
    assert opened.wait("paused") and len(opened.moves) == 2
    # The first tab continues the game with the moves of the second tab, and the second tab shows a message.
    first.locator(message).get_by_role("button", name="Continue here").click()
    second.wait_for_selector(message)
    assert opened.wait("person") and opened.moves == ["5d5c", "1b1c", "3e3d"]
    opened.play("3a3b", 1)
    assert opened.wait("person") and first.locator(message).count() == 0
    # If the second tab also continues, its game is saved as another game, and nothing is overwritten.
    opened.page = second
    assert opened.wait("paused") and len(opened.moves) == 3
    second.click("#do-go-on")
    opened.play("1c1d", 1)
    assert opened.wait("person")
    kept = [moves_in(entry) for entry in games_in(opened).values()]
    assert sorted(kept) == [["5d5c", "1b1c", "3e3d", "1c1d"], ["5d5c", "1b1c", "3e3d", "3a3b"]]
    # A tab that received no event checks the storage before it writes.
    (mine,) = (one for one, entry in games_in(opened).items() if moves_in(entry)[-1] == "1c1d")
    second.evaluate(
        "(key) => localStorage.setItem(key, localStorage[key].replace('\"changed\":', '\"changed\":1'))", GAME + mine
    )
    opened.play("3d3c", 0)
    second.wait_for_selector(message)
    assert len(games_in(opened)) == 3 and len(moves_in(games_in(opened)[mine])) == 4
    assert opened.heard == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("storage", "words"), [(NO_STORAGE, "does not allow the page to save"), (FULL_STORAGE, "storage is full")]
)
def test_without_storage_the_page_plays(browser: Browser, site_address: str, storage: str, words: str) -> None:
    opened = PlayedPage(browser, site_address, ready="")
    page = opened.page = opened.new_page()
    page.add_init_script(storage)
    page.goto(f"{site_address}#play")
    page.wait_for_selector("html[data-ready=true]", state="attached")
    two_people(opened, "5d5c", "1b1c")
    page.wait_for_selector(f".message:has-text('{words}')")
    page.locator(".message .close").click()
    opened.play("3e3d", 0)
    page.wait_for_timeout(400)  # in this time, the message would come again
    assert page.locator(".message").count() == 0
    page.click("#games")
    assert page.locator(".kept li").count() == 1
    assert opened.moves == ["5d5c", "1b1c", "3e3d"] and opened.heard == []
