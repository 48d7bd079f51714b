"""The report of a match in headless Chromium. Run in the checkout, this program takes the picture of a report for
docs/:

PYTHONPATH=tests .venv/bin/python -m support.browsers.report PAGE.html docs/report.png [--game 3] [--ply 20]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.browsers.chromium import Watched, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser


class Opened(Watched):
    """The page of a report."""

    def __init__(self, browser: Browser, path: Path, fragment: str = "", **context: Any) -> None:
        """Open the file. `context` has options for the browser (viewport, color_scheme, ...)."""
        super().__init__(browser, **context)
        self.page.goto(path.resolve().as_uri() + fragment)
        self.page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)


def main() -> None:
    """Take a picture of a report."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("report", type=Path, help="a page that `engine.sh report` wrote")
    words.add_argument("picture", type=Path)
    words.add_argument("--game", type=int, default=1, help="the game to show, counted from 1")
    words.add_argument("--ply", type=int, default=20)
    given = words.parse_args()
    with chromium() as browser:
        viewport = {"width": 1200, "height": 1940}
        fragment = f"#game={given.game}&ply={given.ply}"
        opened = Opened(browser, given.report, fragment, viewport=viewport, device_scale_factor=0.8)
        opened.page.evaluate("scrollTo(0, 0)")
        opened.page.screenshot(path=given.picture, animations="disabled")
    print(f"{given.picture}: {given.picture.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
