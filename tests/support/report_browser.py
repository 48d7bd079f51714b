"""A report in headless Chromium, for the tests and for the picture in docs/. As a command, from the checkout:

.venv/bin/python tests/support/report_browser.py PAGE.html docs/report.png [--game 3] [--ply 20]
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def find_chromium() -> str | None:
    """The system's Chromium, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser; FileNotFoundError without one, ModuleNotFoundError without playwright."""
    from playwright.sync_api import sync_playwright

    path = find_chromium()
    if path is None:
        raise FileNotFoundError("chromium is not installed")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path)
        try:
            yield browser
        finally:
            browser.close()


class Opened:
    """A page with everything that it complained of and asked the network for."""

    def __init__(self, browser: Browser, path: Path, fragment: str = "", **context: Any) -> None:
        """Opens the file; `context` goes to the browser (viewport, color_scheme, ...)."""
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.context = browser.new_context(**context)
        self.page: Page = self.context.new_page()
        self.page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.resolve().as_uri() + fragment)
        self.page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)


def main() -> None:
    """The command."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("report", type=Path, help="a page that `engine.sh report` wrote")
    words.add_argument("picture", type=Path)
    words.add_argument("--game", type=int, default=1, help="the game to show, counted from 1")
    words.add_argument("--ply", type=int, default=20)
    given = words.parse_args()
    with chromium() as browser:
        viewport = {"width": 1200, "height": 1830}
        fragment = f"#game={given.game}&ply={given.ply}"
        opened = Opened(browser, given.report, fragment, viewport=viewport, device_scale_factor=0.8)
        opened.page.evaluate("scrollTo(0, 0)")
        opened.page.screenshot(path=given.picture, animations="disabled")
    print(f"{given.picture}: {given.picture.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
