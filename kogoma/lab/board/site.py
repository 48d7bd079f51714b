"""The files of the site in memory: the page at once, and its variants as soon as they are compiled. Request paths are
only looked up among the file names, never resolved in the file system."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import threading
import time
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from aiohttp import web

from kogoma.output_file import error_text
from kogoma.rules.variants import VARIANTS, Variant
from kogoma.search.tablebase.dobutsu.blocks import block_count, blocks_folder, packed_block, parse_block_name
from kogoma.search.tablebase.dobutsu.values import TablebaseError, find_file, read_values
from kogoma.web.modules import page_files
from kogoma.web.released_games import released_games

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".wasm": "application/wasm",
    ".gz": "application/gzip",
}
PACKED = (".png", ".ico", ".gz")  # already compressed
NAMED_BY_HASH = re.compile(r"(games|kernels)/[a-z0-9-]+\.[0-9a-f]{8,}\.(gz|wasm)")
HOME = "index.html"
INDEX = "games/index.json"
FIRST = ("minishogi",)  # built first, so that one variant is playable early
WAITING = {"format": 1, "version": "", "games": [], "cards": [], "replies": []}
BEGINNING = "the first start compiles the engine"
EXPECTED = 30.0  # seconds until the first variant is playable, as long as nothing is compiled
# Text of a step: share of EXPECTED that has passed when it ends. The real time shows how fast the machine is.
SHARES = {"compiled rules": 0.25, "compiled eval": 0.37, "compiled search": 0.75}


class Page:
    """A file of the site."""

    def __init__(self, name: str, content: bytes) -> None:
        self.content = content
        self.type = TYPES.get(PurePosixPath(name).suffix, "application/octet-stream")
        self._may_shrink = not name.endswith(PACKED)
        self.tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
        # Files without a hash in their name are revalidated, so that a page never mixes two versions.
        self.caching = (
            "max-age=31536000, immutable" if NAMED_BY_HASH.fullmatch(name) or parse_block_name(name) else "no-cache"
        )

    @cached_property
    def zipped(self) -> bytes:
        """The content compressed by gzip, or b"" if this saves nothing."""
        return gzip.compress(self.content, 6) if self._may_shrink and len(self.content) > 500 else b""

    def answer(self, request: web.Request) -> web.Response:
        """Return the response to a request for this file: compressed if possible, or status 304 if the browser has this
        version."""
        headers = {"Cache-Control": self.caching, "ETag": self.tag, "Vary": "Accept-Encoding"}
        if request.headers.get("If-None-Match") == self.tag:
            return web.Response(status=304, headers=headers)
        body = self.content
        if "gzip" in request.headers.get("Accept-Encoding", "") and self.zipped:
            body, headers["Content-Encoding"] = self.zipped, "gzip"
        return web.Response(body=body, headers={**headers, "Content-Type": self.type})


class Tablebases:
    """The tablebases in a folder, in blocks. A file is opened and checked when its first block is requested."""

    def __init__(self, folder: str) -> None:
        found = ((variant, find_file(folder, variant, _print)) for variant in VARIANTS.values())
        self._files = {blocks_folder(variant): (file, variant) for variant, file in found if file is not None}
        self._opened: dict[str, Any] = {}  # the values by folder, None if the file cannot be used
        self._lock = threading.Lock()

    @property
    def folders(self) -> dict[str, str]:
        """The path of the blocks of each game that has a tablebase."""
        return {variant.name: folder for folder, (_, variant) in self._files.items()}

    def find(self, path: str) -> Page | None:
        """Return the block for a request's path, or None if there is no such block."""
        folder, number = parse_block_name(path.removeprefix("/")) or ("", 0)
        if folder not in self._files:
            return None
        with self._lock:
            if folder not in self._opened:
                self._opened[folder] = _opened(*self._files[folder])
        values = self._opened[folder]
        if values is None or number >= block_count(values):
            return None
        return Page(path.removeprefix("/"), packed_block(values, number))


def _opened(file: Path, variant: Variant) -> Any:
    """Return the values of a tablebase, or None after a line that tells why the file cannot be used."""
    try:
        return read_values(file, variant)
    except (TablebaseError, OSError) as error:
        _print(error_text(error))
        return None


def _print(text: str) -> None:
    print(text, flush=True)


class Site:
    """The files, which a thread adds as variants are built. `compiling` describes its current step; None means it is
    done."""

    def __init__(self, tablebases: str = "") -> None:
        """`tablebases` is the folder with tablebases, "" for the cache folder."""
        self._pages: dict[str, Page] = {}  # by request path
        self.index: dict[str, Any] = WAITING
        self.compiling: str | None = BEGINNING
        self._begun = time.monotonic()
        self._expected = EXPECTED
        self.tablebases = Tablebases(tablebases)
        self._put(page_files())
        self._thread = threading.Thread(target=self._build, name="site", daemon=True)

    def begin(self) -> None:
        """Start the thread that builds the variants."""
        self._begun = time.monotonic()
        self._thread.start()

    @property
    def progress(self) -> dict[str, float] | None:
        """The seconds since the start of the build (`elapsed`), and the seconds expected from its start until the first
        variant is playable (`expected`). None if nothing is being built."""
        elapsed = time.monotonic() - self._begun
        return {"elapsed": elapsed, "expected": max(self._expected, 1.1 * elapsed)} if self.is_building else None

    @property
    def is_building(self) -> bool:
        """Whether the thread that builds the variants is running."""
        return self._thread.is_alive()

    def find(self, path: str) -> Page | None:
        """Return the file for a request's path (as sent, not percent-decoded), or None if there is no such file."""
        return self._pages.get(path)

    def _put(self, files: dict[str, bytes]) -> None:
        """Add `files`, a dict from names to contents, to the site. Existing files of these names are replaced."""
        for name, content in files.items():
            self._pages[f"/{name}"] = Page(name, content)
        if HOME in files:
            self._pages["/"] = self._pages[f"/{HOME}"]

    def _build(self) -> None:
        try:
            everything = tuple(VARIANTS.values())
            games = released_games(everything, self._tell)
            if games is None:
                from kogoma.web.games_folder import built_games, built_later, is_built  # slow: imports numba

                if not is_built(everything):
                    self._add(built_games([VARIANTS[name] for name in FIRST], self._tell))
                self._add(built_games(everything, self._tell))
                self._put(built_later(everything, self._tell))
            else:
                self._add(games)
            self.compiling = None
        except Exception as failure:  # the page must show any error
            self._tell(f"the variants cannot be built: {failure}")

    def _add(self, files: dict[str, bytes]) -> None:
        self._put({name: content for name, content in files.items() if name != INDEX})
        self.index = json.loads(files[INDEX])

    def _tell(self, text: str) -> None:
        _print(text)
        self.compiling = text
        if text in SHARES and not self.index["games"]:
            self._expected = (time.monotonic() - self._begun) / SHARES[text]
