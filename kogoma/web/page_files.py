"""The files of the web page in this package, with preload links for its modules."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kogoma.web.modules import imports_of

KINDS = (".html", ".css", ".js", ".webmanifest", ".svg", ".png", ".ico")  # extensions of the page's files
PAGE, ENTRY = "index.html", "page/main.js"
SCRIPT = f'<script type="module" src="{ENTRY}"></script>\n'


def page_files() -> dict[str, bytes]:
    """Return the page's files, without the games, by paths from the site's root."""
    folder = Path(__file__).parent
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix in KINDS]
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    found[PAGE] = _with_preloads(found)
    return found


def _with_preloads(found: Mapping[str, bytes]) -> bytes:
    """Return the page with a preload link to each module that its script imports, so that all load in parallel."""
    links = "".join(f'<link rel="modulepreload" href="{name}">\n' for name in sorted(_imported(found)))
    text = found[PAGE].decode()
    if SCRIPT not in text:
        raise ValueError(f"{PAGE} has no {SCRIPT.strip()}")
    return text.replace(SCRIPT, links + SCRIPT).encode()


def _imported(found: Mapping[str, bytes]) -> set[str]:
    """Return the modules that the page's script imports, directly and indirectly."""
    names, waiting = set[str](), [ENTRY]
    while waiting:
        name = waiting.pop()
        imported = {path for path, *_ in imports_of(name, found[name].decode())}
        waiting += imported - names
        names |= imported
    return names
