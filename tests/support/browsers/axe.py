"""axe-core, which finds accessibility faults in a page of the tests' browser.

The script comes with the package axe-playwright-python.
"""

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
    """What axe-core finds serious or critical in the part of the page that the selector names, as it is shown now.

    The script is run by the debugger, so that the page's CSP may be as strict as it is.
    """
    try:
        script = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    except ModuleNotFoundError:
        absent("axe-playwright-python")
    page.evaluate(script)
    found = page.evaluate(RUN, selector)
    return [fault["text"] for fault in found if fault["impact"] in SERIOUS]
