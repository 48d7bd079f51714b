"""The page's own files, as they lie in this package; the page itself names the modules that it will need."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kogoma.web.modules import imports_of

KINDS = (".html", ".css", ".js", ".webmanifest", ".svg", ".png", ".ico")  # what of the package belongs to the page
PAGE, ENTRY = "index.html", "page/main.js"
SCRIPT = f'<script type="module" src="{ENTRY}"></script>\n'


def page_files() -> dict[str, bytes]:
    """All of them, by their paths from the site's root; without the games."""
    folder = Path(__file__).parent
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix in KINDS]
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    found[PAGE] = _with_preloads(found)
    return found


def _with_preloads(found: Mapping[str, bytes]) -> bytes:
    """The page with a link to each module that its script imports: a browser asks for all of them at once, not for
    those that one module imports after the other has come."""
    links = "".join(f'<link rel="modulepreload" href="{name}">\n' for name in sorted(_imported(found)))
    text = found[PAGE].decode()
    if SCRIPT not in text:
        raise ValueError(f"{PAGE} has no {SCRIPT.strip()}")
    return text.replace(SCRIPT, links + SCRIPT).encode()


def _imported(found: Mapping[str, bytes]) -> set[str]:
    """The modules that the page's script imports, and those that they import."""
    names, waiting = set[str](), [ENTRY]
    while waiting:
        name = waiting.pop()
        imported = {path for path, *_ in imports_of(name, found[name].decode())}
        waiting += imported - names
        names |= imported
    return names
