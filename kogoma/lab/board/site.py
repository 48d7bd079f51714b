"""The site as the server has it: the page at once, its games as soon as they are compiled; all from memory, where a
request's path is looked up among the files' names, and is nothing else."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import threading
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from aiohttp import web

from kogoma.rules.variants import VARIANTS
from kogoma.web.modules import page_files

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
PACKED = (".png", ".ico", ".gz")  # which gzip does not make smaller
NAMED_BY_HASH = re.compile(r"(games|kernels)/[a-z0-9-]+\.[0-9a-f]{8,}\.(gz|wasm)")
HOME = "index.html"
FIRST = ("minishogi",)  # there after one library's compilation, for who waits
INDEX = "games/index.json"
WAITING = {"format": 1, "version": "", "games": [], "cards": [], "levels": []}
BEGINNING = "the first start compiles the engine, which takes some minutes"


class Page:
    """One file."""

    def __init__(self, name: str, content: bytes) -> None:
        self.content = content
        self.type = TYPES.get(PurePosixPath(name).suffix, "application/octet-stream")
        self._may_shrink = not name.endswith(PACKED)
        self.tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
        # What is not named by its hash is asked for again each time, so that a page never mixes two versions.
        self.caching = "max-age=31536000, immutable" if NAMED_BY_HASH.fullmatch(name) else "no-cache"

    @cached_property
    def zipped(self) -> bytes:
        """The content as gzip has it; b"" where that is no use."""
        return gzip.compress(self.content, 6) if self._may_shrink and len(self.content) > 500 else b""

    def answer(self, request: web.Request) -> web.Response:
        """The answer to a request for this file."""
        headers = {"Cache-Control": self.caching, "ETag": self.tag, "Vary": "Accept-Encoding"}
        if request.headers.get("If-None-Match") == self.tag:
            return web.Response(status=304, headers=headers)
        body = self.content
        if "gzip" in request.headers.get("Accept-Encoding", "") and self.zipped:
            body, headers["Content-Encoding"] = self.zipped, "gzip"
        return web.Response(body=body, headers={**headers, "Content-Type": self.type})


class Site:
    """Files and `index` are replaced by the building thread as games come; `compiling` says what it does, and is None
    once all are there."""

    def __init__(self) -> None:
        self._pages: dict[str, Page] = {}  # by the paths under which they are asked for
        self.index: dict[str, Any] = WAITING
        self.compiling: str | None = BEGINNING
        self._put(page_files())
        self._thread = threading.Thread(target=self._build, name="site", daemon=True)

    def begin(self) -> None:
        """Begin to build, on a thread of its own."""
        self._thread.start()

    @property
    def is_building(self) -> bool:
        """Whether the thread is at work."""
        return self._thread.is_alive()

    def find(self, path: str) -> Page | None:
        """The file of a path as it stands in the request, with nothing decoded or resolved."""
        return self._pages.get(path)

    def _put(self, files: dict[str, bytes]) -> None:
        """Add files, or take others for those that are there."""
        for name, content in files.items():
            self._pages[f"/{name}"] = Page(name, content)
        if HOME in files:
            self._pages["/"] = self._pages[f"/{HOME}"]

    def _build(self) -> None:
        try:
            from kogoma.web.games_folder import built_games, is_built  # numba's parts: the page does not wait for them

            everything = tuple(VARIANTS.values())
            if not is_built(everything):
                self._add(built_games([VARIANTS[name] for name in FIRST], self._tell))
            self._add(built_games(everything, self._tell))
            self.compiling = None
        except Exception as failure:  # whatever it is, who looks at the page has to know
            self._tell(f"the games can't be built: {failure}")

    def _add(self, files: dict[str, bytes]) -> None:
        self._put({name: content for name, content in files.items() if name != INDEX})
        self.index = json.loads(files[INDEX])

    def _tell(self, text: str) -> None:
        print(text, flush=True)
        self.compiling = text
