"""The page's own files, as they lie in this package; the page itself names the modules that it will need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable

from kogoma.web.modules import imports_of

KINDS = (".html", ".css", ".js", ".webmanifest", ".svg", ".png", ".ico")  # what of the package belongs to the page
PAGE, ENTRY = "index.html", "page/main.js"
SCRIPT = f'<script type="module" src="{ENTRY}"></script>\n'


def page_files() -> dict[str, bytes]:
    """All of them, by their paths from the site's root; without the games."""
    found = {name: source.read_bytes() for name, source in _below(files("kogoma.web"), "")}
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


def _below(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _below(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(KINDS):
            yield prefix + entry.name, entry
