"""Backups of the page's games and settings: another browser shows the same, no version of a game is lost, and an
invalid file changes nothing."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kogoma.rules.variants import VARIANTS
from support.browsers.analysis_page import AnalysisPage
from support.browsers.axe import serious_faults
from support.browsers.page_records import branching
from support.browsers.played_page import PlayedPage

if TYPE_CHECKING:
    from playwright.sync_api import Browser

GAME = "kogoma/game/"
SETTINGS = {
    "language": "ja",
    "theme": "dark",
    "board": "slate",
    "pieceSet": "two",
    "coordinates": False,
    "premoves": True,
    "sound": 0.2,
    "threads": 1,
    "hashMb": 64,
    "engine": "",
}
SEATS = [{"kind": "person"}, {"kind": "engine", "engine": "", "level": 340}]
MATCH = {
    "seats": SEATS,
    "control": None,
    "think": 1000,
    "spent": 0,
    "thrown": 0,
    "live": [],
    "startKind": "usual",
    "rolls": "here",
}


def game(tree: dict[str, Any], changed: int = 1, name: str = "") -> dict[str, Any]:
    """Return a game as the page saves it."""
    return {"format": 1, "name": name, "changed": changed, "tree": tree, "match": MATCH}


def line(*moves: str, **more: Any) -> dict[str, Any]:
    """Return a tree of minishogi with these moves; `more` belongs to the last one."""
    tree: list[dict[str, Any]] = []
    for move in reversed(moves):
        tree = [{"move": move, **({"next": tree} if tree else more)}]
    return {"variant": "minishogi", "start": VARIANTS["minishogi"].start, "next": tree}


def keep(opened: PlayedPage, games: dict[str, dict[str, Any]], settings: Any = None) -> None:
    """Put games and settings into the browser's storage, and load the page again."""
    values = {GAME + name: json.dumps(one) for name, one in games.items()}
    if settings:
        values["kogoma/settings"] = json.dumps(settings)
    opened.page.evaluate("(values) => Object.assign(localStorage, values)", values)
    opened.page.reload()
    opened.page.wait_for_selector("html[data-ready]", state="attached")


def stored(opened: PlayedPage) -> dict[str, Any]:
    """Return the content of the browser's storage."""
    texts: dict[str, str] = opened.page.evaluate("({ ...localStorage })")
    return {key: json.loads(text) for key, text in texts.items() if key.startswith("kogoma/")}


def saved_backup(opened: PlayedPage, folder: Path) -> Path:
    """Save a backup with the dialog of games, and return its path."""
    opened.page.click("#games")
    with opened.page.expect_download() as download:
        opened.page.click("#save-backup")
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    opened.page.click("dialog .close")
    return path


def restore(opened: PlayedPage, path: Path) -> str:
    """Restore a backup with the dialog of games, and return what the page says."""
    opened.page.click("#games")
    opened.page.set_input_files("#backup-file", path)
    told = "dialog .message span, #backup-told:not(:empty)"
    text = opened.page.locator(told).first.inner_text()
    opened.page.click("dialog .dialog-head .close")
    opened.page.wait_for_selector("dialog", state="detached")
    return text


def unpacked(one: dict[str, Any]) -> dict[str, Any]:
    """Return a stored game in format 1, in which the next moves are nested."""

    def nodes(lines: list[Any]) -> list[Any]:
        found = []
        for moves in lines:
            following: list[Any] = []
            for node in reversed(moves):
                next_nodes = following + nodes(node.pop("next", []))
                following = [{**node, **({"next": next_nodes} if next_nodes else {})}]
            found += following
        return found

    return (
        one if one["format"] == 1 else {**one, "format": 1, "tree": {**one["tree"], "next": nodes(one["tree"]["next"])}}
    )


def moves_of(one: dict[str, Any]) -> list[str]:
    """Return the moves of the main line of a stored game."""
    node, moves = unpacked(one)["tree"], list[str]()
    while node.get("next"):
        node = node["next"][0]
        moves.append(node["move"])
    return moves


def shown_games(opened: AnalysisPage) -> list[tuple[str, str, list[str], list[str]]]:
    """Return title, facts, tree and comments of all games that the page lists, by opening each of them."""
    opened.page.click("#games")
    rows = opened.page.locator(".kept li")
    found = list[tuple[str, str, list[str], list[str]]]()
    for index in range(rows.count()):
        name = rows.nth(index).locator("input").get_attribute("placeholder") or ""
        facts = rows.nth(index).locator("small").inner_text()
        rows.nth(index).locator(".open").click()
        opened.page.wait_for_selector("dialog", state="detached")
        opened.view("analyse")
        found.append(
            (name, facts.split(" · ", 1)[1], opened.tree, opened.page.locator("#tree .comment").all_inner_texts())
        )
        opened.page.click("#games")
    opened.page.click("dialog .close")
    return found


@pytest.mark.long
def test_another_browser_shows_the_same_games_and_settings(browser: Browser, site_address: str, tmp_path: Path) -> None:
    """Check it with a random game of each variant, with comments, variations, rolls, and the lines of a review."""
    rng = random.Random("backup")
    games = {f"id-{name}": game(branching(name, rng), 1000 + number) for number, name in enumerate(VARIANTS)}
    for one in games.values():
        for node in one["tree"]["next"]:
            node["lines"] = [[[node["move"]], "cp", 31, 7], [["1a1b"], "mate", -3, 7]]
            node["said"] = ["cp", 31, 7]
    first = AnalysisPage(browser, site_address, accept_downloads=True)
    keep(first, games, SETTINGS)
    texts = shown_games(first)
    path = saved_backup(first, tmp_path)
    second = AnalysisPage(browser, site_address)
    assert f"追加 {len(games)}件" in restore(second, path)
    assert (
        second.page.get_attribute("html", "lang") == "ja" and second.page.get_attribute("html", "data-theme") == "dark"
    )
    assert shown_games(second) == texts
    # The games that were not opened yet are saved without any change.
    third = PlayedPage(browser, site_address)
    restore(third, path)
    found = {name: unpacked(one) for name, one in stored(third).items() if name.startswith(GAME)}
    assert found == {GAME + name: one for name, one in games.items()} and stored(third)["kogoma/settings"] == SETTINGS
    # Saving it there again writes the same file, and restoring it again changes nothing.
    again = saved_backup(first, tmp_path)
    assert json.loads(again.read_text()) == json.loads(path.read_text())
    assert f"変更なし {len(games)}件" in restore(second, path) and len(shown_games(second)) == len(games)
    assert first.heard == second.heard == third.heard == []


def test_no_version_of_a_game_is_lost(browser: Browser, site_address: str, tmp_path: Path) -> None:
    opened = PlayedPage(browser, site_address, accept_downloads=True)
    old = {
        "same": game(line("5d5c", "1b1c"), 10),
        "longer": game(line("5d5c", "1b1c"), 10),
        "newer": game(line("5d5c"), 10),
        "fork": game(line("5d5c", "1b1c"), 10),
        "comment": game(line("5d5c", comment="mine"), 30),
        "gone": game(line("3e3d"), 10),
    }
    keep(opened, old)
    path = saved_backup(opened, tmp_path)
    opened.page.evaluate("localStorage.clear()")
    now = {
        **old,
        "longer": game(line("5d5c", "1b1c", "3e3d"), 20),
        "newer": game(line(), 5),
        "fork": game(line("5d5c", "3a3b"), 20),
        "comment": game(line("5d5c", comment="other"), 20),
        "own": game(line("2e3d"), 3),
    }
    del now["gone"]
    keep(opened, now)
    opened.page.click("#games")
    opened.page.locator(".kept li", has_text="2 moves").first.locator(".open").click()
    opened.page.wait_for_selector("dialog", state="detached")
    text = restore(opened, path)
    assert "added: 1;" in text and "later versions: 2;" in text and "two versions: 2;" in text and "were: 2." in text
    kept = {key.removeprefix(GAME): one for key, one in stored(opened).items() if key.startswith(GAME)}
    assert len(kept) == 9  # the seven games, and a second version of "fork" and "comment"
    lines = {name: moves_of(one) for name, one in kept.items()}
    expected = {
        "same": ["5d5c", "1b1c"],
        "longer": ["5d5c", "1b1c", "3e3d"],
        "newer": ["5d5c"],
        "fork": ["5d5c", "3a3b"],
        "comment": ["5d5c"],
        "gone": ["3e3d"],
        "own": ["2e3d"],
    }
    assert {name: lines.pop(name) for name in expected} == expected
    assert sorted(lines.values()) == [["5d5c"], ["5d5c", "1b1c"]]
    assert restore(opened, path) and len([key for key in stored(opened) if key.startswith(GAME)]) == 9
    assert opened.heard == []


def test_the_open_game_is_replaced_by_a_later_version(browser: Browser, site_address: str, tmp_path: Path) -> None:
    opened = PlayedPage(browser, site_address, accept_downloads=True)
    keep(opened, {"one": game(line("5d5c", "1b1c", "3e3d"), 20)})
    path = saved_backup(opened, tmp_path)
    keep(opened, {"one": game(line("5d5c"), 10)})
    opened.page.click("#games")
    opened.page.click(".kept .open")
    opened.page.wait_for_selector("dialog", state="detached")
    assert opened.moves == ["5d5c"]
    restore(opened, path)
    assert opened.moves == ["5d5c", "1b1c", "3e3d"] and len(stored(opened)) >= 2 and opened.heard == []


def test_a_file_that_is_not_valid_changes_nothing(browser: Browser, site_address: str, tmp_path: Path) -> None:
    opened = PlayedPage(browser, site_address, accept_downloads=True)
    keep(opened, {"one": game(line("5d5c"), 10), "two": game(line("5d5c", "1b1c"), 20)})
    path = saved_backup(opened, tmp_path)
    text = path.read_text(encoding="utf-8")
    good, before = json.loads(text), stored(opened)
    bad_game = {**good["games"]["two"], "tree": {**good["games"]["two"]["tree"], "next": [[{"move": 5}]]}}
    deep = "[" * 100_000 + "]" * 100_000
    texts = {
        "cut": text[: len(text) // 2],
        "empty": "",
        "binary": "\0\1\2",
        "kif": "手合割：平手\n",
        "list": "[]",
        "null": "null",
        "review": '{"format":"kogoma-review","version":1,"games":[]}',
        "one bad game": json.dumps({**good, "games": {**good["games"], "two": bad_game}}),
        "bad id": json.dumps({**good, "games": {"../x y": good["games"]["two"]}}),
        "no settings": json.dumps({**good, "settings": 5}),
        "no games": json.dumps({**good, "games": []}),
        "no version": json.dumps({**good, "version": "1"}),
        "prototype": text.replace('"one":', '"__proto__":').replace('"move":"5d5c"', '"move":7'),
        "deep": text.replace('"games":{', f'"games":{{"deep":{{"format":2,"tree":{{"next":{deep}}}}},'),
    }
    for name, content in texts.items():
        path.write_text(content, encoding="utf-8")
        assert "Nothing was changed." in restore(opened, path), name
        assert stored(opened) == before, name
    path.write_text(json.dumps({**good, "version": 2, "games": "other"}), encoding="utf-8")
    assert "saved by a newer version of the page (format 2). Nothing was changed." in restore(opened, path)
    assert stored(opened) == before
    # The storage has room for some of the games only.
    more = {f"more{number}": game(line("5d5c", comment="x" * 20_000), 30) for number in range(9)}
    later = {"one": game(line("5d5c", comment="later"), 40), "two": game(line("5d5c"), 50)}
    path.write_text(json.dumps({**good, "games": {**later, **more}}), encoding="utf-8")
    opened.page.evaluate("""() => {
      for (let size = 2 ** 22; size > 10_000; size /= 2) {
        try {
          for (;;) localStorage.setItem(`filler${Math.random()}`, "x".repeat(size));
        } catch {
          // this size is too large
        }
      }
    }""")
    assert "no room for these games. Nothing was changed." in restore(opened, path)
    assert stored(opened) == before and opened.heard == []


def test_the_dialog_of_games_is_accessible_with_its_backups(browser: Browser, site_address: str) -> None:
    opened = PlayedPage(
        browser, site_address, locale="ja-JP", color_scheme="dark", viewport={"width": 390, "height": 844}
    )
    opened.page.click("#games")
    assert serious_faults(opened.page, "dialog") == []
    for name in ("save", "restore"):
        box = opened.page.locator(f"#{name}-backup").bounding_box()
        assert box is not None and box["height"] >= 44
