"""Headless Chromium for the tests, and pages that tell what they complained of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from support.peers import find_program

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser; FileNotFoundError without one."""
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
    """Seconds of processors' time that all its pages have had, their Workers included."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return float(sum(process["cpuTime"] for process in processes if process["type"] == "renderer"))


class Watched:
    """A page, in a browser profile of its own, with everything that it complained of and asked the network for."""

    def __init__(self, browser: Browser, **context: Any) -> None:
        """`context` goes to the browser (viewport, color_scheme, locale, ...)."""
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.context = browser.new_context(**context)
        self.page: Page = self.new_page()

    def new_page(self) -> Page:
        """One more page of the same profile, watched as well."""
        page = self.context.new_page()
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._dismiss)
        page.on("request", lambda request: self.requests.append(request.url))
        return page

    def _dismiss(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()  # an open one would stop the page for ever
