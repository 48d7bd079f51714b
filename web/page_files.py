"""The page's own files, as they lie in this package."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

KINDS = (".html", ".css", ".js", ".webmanifest", ".svg", ".png", ".ico")  # what of the package belongs to the page


def page_files() -> dict[str, bytes]:
    """All of them, by their paths from the site's root; without the games."""
    return {name: source.read_bytes() for name, source in _below(files("web"), "")}


def _below(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _below(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(KINDS):
            yield prefix + entry.name, entry
