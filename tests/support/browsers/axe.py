"""Accessibility checks of pages with axe-core, whose script is in the package axe-playwright-python."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from support.peers import absent

if TYPE_CHECKING:
    from playwright.sync_api import Page

SERIOUS = ("serious", "critical")

RUN = """async (selector) => (await axe.run(selector)).violations.map(({ id, impact, help, nodes }) =>
  ({ impact, text: `${id}: ${help}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(" | ")}` }))"""


def serious_faults(page: Page, selector: str = "html") -> list[str]:
    """Return the serious and critical faults that axe-core finds in the part of the page that `selector` selects.

    The page's content security policy does not allow axe-core's script, but Playwright's `evaluate` runs it
    nevertheless.
    """
    try:
        script = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    except ModuleNotFoundError:
        absent("axe-playwright-python")
    page.evaluate(script)
    found = page.evaluate(RUN, selector)
    return [fault["text"] for fault in found if fault["impact"] in SERIOUS]
