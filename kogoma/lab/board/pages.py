"""The site's files as answers, from memory: a request's path is looked up among their names, and is nothing else."""

from __future__ import annotations

import gzip
import hashlib
import re
from functools import cached_property
from pathlib import PurePosixPath

from aiohttp import web

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


class Pages:
    """All files of the site, by the paths under which they are asked for."""

    def __init__(self) -> None:
        self._pages: dict[str, Page] = {}

    def put(self, files: dict[str, bytes]) -> None:
        """Add files, or take others for those that are there."""
        for name, content in files.items():
            self._pages[f"/{name}"] = Page(name, content)
        if HOME in files:
            self._pages["/"] = self._pages[f"/{HOME}"]

    def find(self, path: str) -> Page | None:
        """The file of a path as it stands in the request, with nothing decoded or resolved."""
        return self._pages.get(path)
