"""axe-core, which looks for faults that shut people out, in a page of the tests' browser.

It is an npm package: `npm install --no-save axe-core@4` in the checkout, or a global one.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from support.peers import absent
from support.usi_client import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Page

FILE = Path("axe-core") / "axe.min.js"
SERIOUS = ("serious", "critical")

RUN = """async (selector) => (await axe.run(selector)).violations.map(({ id, impact, help, nodes }) =>
  ({ impact, text: `${id}: ${help}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(" | ")}` }))"""


@cache
def axe_file() -> Path | None:
    """The script, or None where it is not installed."""
    folders = [ROOT / "node_modules"]
    if npm := shutil.which("npm"):
        asked = subprocess.run([npm, "root", "--global"], capture_output=True, text=True)
        folders.append(Path(asked.stdout.strip()))
    return next((folder / FILE for folder in folders if (folder / FILE).is_file()), None)


def serious_faults(page: Page, selector: str = "html") -> list[str]:
    """What axe-core finds serious or critical in the part of the page that the selector names, as it is shown now.

    The script is run by the debugger, so that the page's CSP may be as strict as it is.
    """
    script = axe_file()
    if script is None:
        absent("axe-core")
    page.evaluate(script.read_text(encoding="utf-8"))
    found = page.evaluate(RUN, selector)
    return [fault["text"] for fault in found if fault["impact"] in SERIOUS]
