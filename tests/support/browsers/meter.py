"""The processor time of a page, which does not depend on how busy the machine is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page


class Meter:
    """Measures the processor time of a page's main thread."""

    def __init__(self, page: Page) -> None:
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def seconds(self) -> float:
        """Return the processor time in seconds that the page's main thread has used so far."""
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        return float(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))
