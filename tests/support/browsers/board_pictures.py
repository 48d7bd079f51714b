"""Take the pictures of the web page for docs/. Run this program in the checkout:

PYTHONPATH=tests .venv/bin/python -m support.browsers.board_pictures docs
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kogoma.rules.variants import VARIANTS
from kogoma.web.site import write_site
from support.browsers.chromium import chromium
from support.browsers.played_page import PlayedPage
from support.site import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DESKTOP = {"width": 1360, "height": 850}
PEOPLE = {"player_0": "person", "player_1": "person"}
ENGINE = {"player_0": "person", "player_1": "engine:", "level_1": "2220"}
MINISHOGI = "3e3d 3a3b 2e1d 2a3a 1d3b 4a3b S*2c B*3c 3d3c 3b2c B*3d 2c3d 4e3d S*2a".split()
SHOGI = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f".split()


def play(opened: PlayedPage, moves: list[str]) -> None:
    """Make these moves in a game between two people."""
    for index, move in enumerate(moves):
        opened.play(move, index % 2)
        opened.page.wait_for_selector(f'#moves [aria-current="step"][data-move="{move}"]')


def desktop(browser: Browser, address: str, picture: Path) -> None:
    """Take a picture of an analysed minishogi game."""
    opened = PlayedPage(browser, address, viewport=DESKTOP)
    opened.new_game("minishogi", **PEOPLE)
    play(opened, MINISHOGI)
    analyse(opened)
    opened.page.screenshot(path=picture, animations="disabled")


def phone(browser: Browser, address: str, picture: Path) -> None:
    """Take a picture of Dice-Shogi against the engine on a phone."""
    viewport = {"width": 360, "height": 740}
    opened = PlayedPage(browser, address, 8, viewport=viewport, is_mobile=True, has_touch=True, device_scale_factor=2)
    opened.new_game("dice", **ENGINE, time="clock")
    opened.play("3e3d", 0)
    opened.wait("person")
    opened.page.mouse.move(0, 0)
    opened.page.screenshot(path=picture, animations="disabled")


def dark(browser: Browser, address: str, picture: Path) -> None:
    """Take a picture of shogi in the dark theme, in Japanese."""
    opened = PlayedPage(browser, address, viewport=DESKTOP, color_scheme="dark", locale="ja-JP")
    opened.page.evaluate("localStorage.setItem('kogoma/settings', JSON.stringify({ pieceSet: 'two' }))")
    opened.page.reload()
    opened.page.wait_for_selector("html[data-ready]", state="attached")
    opened.new_game("shogi", **PEOPLE)
    play(opened, SHOGI)
    analyse(opened)
    opened.page.screenshot(path=picture, animations="disabled")


def analyse(opened: PlayedPage) -> None:
    """Let the engine review the game, then analyse the last position with three lines."""
    page = opened.page
    opened.view("analyse")
    page.click("#tab-review")
    page.select_option("#review-time", "100")
    page.click("#review-game")
    page.wait_for_selector('#review-game[data-text="review.start"]', timeout=180_000)
    page.keyboard.press("End")
    page.click("#tab-lines")
    page.select_option("#line-count", "3")
    page.click("#analyse")
    page.wait_for_timeout(2500)  # time for the search to find its lines
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    page.mouse.move(0, 0)


PICTURES: dict[str, Any] = {"board.png": desktop, "board-phone.png": phone, "board-dark.png": dark}


def main() -> None:
    """Take all pictures."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder", type=Path)
    words.add_argument("--address", help="the address of a running site")
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as made, chromium() as browser:
        site = Path(made)
        if given.address is None:
            write_site(site, VARIANTS.values(), print)
        with served(site) as address:
            for name, draw in PICTURES.items():
                draw(browser, given.address or address, given.folder / name)
                print(f"{given.folder / name}: {(given.folder / name).stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
