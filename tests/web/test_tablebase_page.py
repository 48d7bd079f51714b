"""The tab *Solved* of the page: the values of all moves from a tablebase, on the local server and on an exported site.
They are compared with those of `known_moves` in Python, which other tests compare with a plain solver."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kogoma.rules.position import Position
from kogoma.search.tablebase.dobutsu.values import OFFSET, Tablebase
from kogoma.search.tablebase.root import Known, known_moves
from support.browsers.analysis_page import AnalysisPage
from support.browsers.axe import serious_faults
from support.browsers.board_server import BoardServer, board_server
from support.site import served
from support.small_tablebase import GAME, small_values, write_game
from support.usi_client import ROOT, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.long]

SHOWN = """(rows) => rows.map((row) => [row.dataset.usi, Number(row.dataset.value)])"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the small game and its tablebase."""
    found = tmp_path_factory.mktemp("tablebase")
    write_game(found)
    return found


@contextmanager
def server_of(folder: Path, tablebases: Path) -> Iterator[BoardServer]:
    """Yield a server with the small game, once all its games are built."""
    command = [sys.executable, "-m", "kogoma", "--variants", str(folder / "chicks.toml"), "board"]
    with board_server("--tablebases", str(tablebases), command=command) as server:
        until(lambda: b'"compiling": null' in server.get("/games/index.json").body, 300)
        yield server


@pytest.fixture(scope="module")
def address(folder: Path, needs_chromium: None) -> Iterator[str]:
    with server_of(folder, folder) as server:
        yield server.address


def known(position: Position) -> list[Known]:
    """Return the moves of a position of the small game with their values."""
    found = known_moves(Tablebase(GAME, small_values()), position)
    assert found is not None
    return found


def shown(page: AnalysisPage) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = page.page.locator(".table-move").evaluate_all(SHOWN)
    return [(move, value) for move, value in found]


def wait_for_moves(page: AnalysisPage, position: Position) -> None:
    """Wait until the tab shows the moves of a position with their values, in the order of Python's list."""
    wanted = [(one.move, one.value) for one in known(position)]
    until(lambda: shown(page) == wanted, 20)


@contextmanager
def opened(browser: Browser, address: str, **context: Any) -> Iterator[AnalysisPage]:
    """Yield the page with the small game and the tab *Solved*."""
    page = AnalysisPage(browser, address, viewport={"width": 1500, "height": 1000}, **context)
    page.new_game(GAME.name, player_0="person", player_1="person")
    page.tab("table")
    yield page
    page.context.close()


def reload(page: AnalysisPage) -> None:
    """Reload the page, which opens the same position, and choose the tab."""
    page.page.reload()
    page.page.wait_for_selector("html[data-ready=true]", state="attached")
    page.view("analyse")
    page.page.keyboard.press("End")
    page.tab("table")


def test_the_tab_shows_the_value_of_every_move(browser: Browser, address: str) -> None:
    rng, position = random.Random(1), Position(GAME)
    with opened(browser, address) as page:
        for _ in range(25):
            wait_for_moves(page, position)
            move = rng.choice(known(position)[:2]).move
            page.page.click(f'.table-move[data-usi="{move}"]')
            position.push(move)
            if position.outcome():
                break
        assert len(position.moves) > 4 and page.heard == []


def test_its_words_the_keyboard_and_screen_readers(browser: Browser, address: str) -> None:
    position = Position(GAME)
    with opened(browser, address) as page:
        wait_for_moves(page, position)
        best = known(position)[0]
        side = "Black" if best.value > 0 else "White"
        assert page.page.inner_text("#table-status") == f"With best play, {side} wins in {abs(best.value)} moves."
        verb = "wins" if best.value > 0 else "loses"
        assert f"{verb} in {abs(best.value)} moves" in page.page.locator(".table-move").first.inner_text()
        assert not serious_faults(page.page)
        page.page.focus("#tab-table")
        page.page.keyboard.press("Tab")  # the panel
        page.page.keyboard.press("Tab")
        page.page.keyboard.press("Enter")
        position.push(best.move)
        wait_for_moves(page, position)
        focused = page.page.evaluate("document.activeElement.dataset.usi")
        assert focused == known(position)[0].move
        page.page.set_viewport_size({"width": 390, "height": 844})
        assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_winning_replies_without_a_tablebase(browser: Browser, plain_address: str) -> None:
    """Check that a site without a tablebase shows how White wins Dobutsu from the start, with the published lengths."""
    page = AnalysisPage(browser, plain_address, viewport={"width": 1500, "height": 1000})
    page.new_game("dobutsu", player_0="person", player_1="person")
    page.tab("table")
    first = [("1d1c", -78), ("2d1c", -78), ("2d3c", -78), ("2c2b", -76)]
    until(lambda: shown(page) == first, 30)
    assert page.page.inner_text("#table-status") == "With best play, White wins in 78 moves."
    plies, unknown = 78, []
    for _ in range(6):  # Black lasts as long as it can
        page.page.click(f'.table-move[data-value="{-plies}"] >> nth=0')
        plies -= 1
        page.page.wait_for_selector(f'.table-move[data-value="{plies}"]')
        others = page.page.locator(".table-move.open").all_inner_texts()
        assert all(text.endswith("is not in the table") for text in others)
        most = "at most " if others else ""
        assert page.page.inner_text("#table-status") == f"With best play, White wins in {most}{plies} moves."
        unknown.append(len(others))
        page.page.click(f'.table-move[data-value="{plies}"] >> nth=0')
        plies -= 1
        page.page.wait_for_selector(f'.table-move[data-value="{-plies}"]')
        assert page.page.inner_text("#table-status") == f"With best play, White wins in {plies} moves."
    assert not serious_faults(page.page) and sum(count > 0 for count in unknown) > 2
    while not page.page.locator(".table-move.open").count():
        page.page.click(".table-move >> nth=-1")
        page.page.wait_for_selector(".table-move >> nth=0")
    page.page.click(".table-move.open >> nth=0")
    page.page.wait_for_selector("#table-status:has-text('winning replies from the start')")
    page.context.close()


def test_the_tab_is_hidden_in_other_games(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        assert page.page.is_visible("#tab-table")
        page.new_game("minishogi", player_0="person", player_1="person")
        page.page.wait_for_selector("#tab-table", state="hidden")
        assert page.page.get_attribute("#tab-lines", "aria-selected") == "true"


def test_an_exported_site_works_offline_where_it_was_read(browser: Browser, folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    words = ["--variants", str(folder / "chicks.toml"), "board", "--export", str(site), "--tablebases", str(folder)]
    for _ in range(2):  # an export with a tablebase may be replaced
        subprocess.run([sys.executable, "-m", "kogoma", *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    position = Position(GAME)
    with served(site, isolated=False) as address, opened(browser, address, service_workers="allow") as page:
        page.page.wait_for_selector("html[data-offline]", state="attached", timeout=60_000)
        wait_for_moves(page, position)
        page.page.locator(".table-move").first.click()
        position.push(known(position)[0].move)
        wait_for_moves(page, position)
        reload(page)  # the service worker takes part from here on
        wait_for_moves(page, position)
        page.context.set_offline(True)
        reload(page)
        wait_for_moves(page, position)
        page.page.evaluate("caches.delete('kogoma-tablebases')")
        reload(page)
        page.page.wait_for_selector("#table-status:has-text('The table cannot be loaded now')")
        page.context.set_offline(False)
        page.page.click("#tab-lines")
        page.page.click("#tab-table")
        wait_for_moves(page, position)


def test_a_damaged_tablebase_is_reported_and_not_shown(browser: Browser, folder: Path, tmp_path: Path) -> None:
    content = bytearray((folder / "chicks.tablebase").read_bytes())
    content[OFFSET + 1000] ^= 1
    (tmp_path / "chicks.tablebase").write_bytes(content)
    with server_of(folder, tmp_path) as server, opened(browser, server.address) as page:
        page.page.wait_for_selector("#table-status:has-text('The table cannot be loaded now')")
        assert shown(page) == []
        until(lambda: any("its checksum is wrong" in line for line in server.lines), 10)
        assert sum("checksum" in line for line in server.lines) == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "there is no tablebase in this folder"),
        (lambda path: (path / "dobutsu.tablebase").write_bytes(b"other"), "is not a tablebase"),
    ],
)
def test_an_export_without_a_usable_tablebase_fails(make: object, words: str, tmp_path: Path) -> None:
    assert callable(make)
    make(tmp_path)
    site = tmp_path / "site"
    command = [sys.executable, "-m", "kogoma", "board", "--export", str(site), "--tablebases", str(tmp_path)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 2 and words in ended.stderr and not site.exists()
    assert len(ended.stderr.splitlines()) == 1
