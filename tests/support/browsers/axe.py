"""Accessibility checks of pages with axe-core, whose script is in the package axe-playwright-python."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

from support.peers import absent

if TYPE_CHECKING:
    from playwright.sync_api import Page

SERIOUS = ("serious", "critical")

# The rules whose result depends on colours. In a large page, they take two thirds of axe-core's time.
COLOUR_RULES = ["color-contrast", "link-in-text-block"]
OPTIONS: dict[str, dict[str, Any]] = {
    "all": {},
    "colours": {"runOnly": COLOUR_RULES},
    "others": {"rules": {name: {"enabled": False} for name in COLOUR_RULES}},
}

RUN = """async ([selector, options]) => {
  const { violations } = await axe.run(selector, options);
  return violations.map(({ id, impact, help, nodes }) =>
    ({ impact, text: `${id}: ${help}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(" | ")}` }));
}"""


def serious_faults(page: Page, selector: str = "html", rules: str = "all") -> list[str]:
    """Return the serious and critical faults that axe-core finds in the part of the page that `selector` selects.
    `rules` names the rules: `all`, those for `colours`, or the `others`.

    The page's content security policy does not allow axe-core's script, but Playwright's `evaluate` runs it
    nevertheless.
    """
    if not page.evaluate("'axe' in window"):
        try:
            script = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
        except ModuleNotFoundError:
            absent("axe-playwright-python")
        page.evaluate(script)
    # Without this option, axe-core also describes all elements that pass.
    found = page.evaluate(RUN, [selector, {"resultTypes": ["violations"], **OPTIONS[rules]}])
    return [fault["text"] for fault in found if fault["impact"] in SERIOUS]
