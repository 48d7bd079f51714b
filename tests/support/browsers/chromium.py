"""Headless Chromium for the tests, and pages that record errors and requests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from support.peers import find_program

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a headless browser. Raises FileNotFoundError if Chromium is not installed."""
    from playwright.sync_api import sync_playwright

    path = find_program("chromium")
    if path is None:
        raise FileNotFoundError("chromium is not installed")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path)
        try:
            yield browser
        finally:
            browser.close()


def worked(browser: Browser) -> float:
    """Return the total processor time, in seconds, of all pages and their Workers."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return float(sum(process["cpuTime"] for process in processes if process["type"] == "renderer"))


class Watched:
    """A page in a browser profile of its own. `complaints` has all console messages, errors and dialogs of the page,
    and `requests` has the URLs of all its requests."""

    def __init__(self, browser: Browser, **context: Any) -> None:
        """Open an empty page. `context` has options for the browser (viewport, color_scheme, locale, ...)."""
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.context = browser.new_context(**context)
        self.page: Page = self.new_page()

    def new_page(self) -> Page:
        """Open and return another page of the same profile. The new page's complaints and requests are recorded,
        too."""
        page = self.context.new_page()
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._dismiss)
        page.on("request", lambda request: self.requests.append(request.url))
        return page

    def _dismiss(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()  # an open dialog would block the page
