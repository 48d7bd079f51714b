"""The web page's static site for browser tests. It is built once per test session, and served on a free port of
127.0.0.1."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kogoma.native.cache.lock import held
from kogoma.rules.variants import VARIANTS
from kogoma.web.modules import page_files
from kogoma.web.site import write_site
from support.browsers.chromium import Watched, chromium
from support.peers import absent, find_program

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Threads may share memory on a page that is served with these headers.
ISOLATED = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
CSP = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:;"
    " worker-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def built(shared: Path) -> Path:
    """Return the path of the site, which is a folder inside `shared`. The first test process that needs the site builds
    it. The other processes wait, and then use the same site."""
    folder = shared / "site"
    with held(shared / "site.lock", lambda: None):
        if not folder.is_dir():
            unfinished = shared / "site-unfinished"
            write_site(unfinished, VARIANTS.values(), print)
            for name, content in page_files().items():  # modules, which tests import one by one
                if not (path := unfinished / name).exists():
                    path.parent.mkdir(exist_ok=True, parents=True)
                    path.write_bytes(content)
            unfinished.rename(folder)
    return folder


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, *given: Any, headers: Mapping[str, str], **settings: Any) -> None:
        self.more = headers
        super().__init__(*given, **settings)

    def end_headers(self) -> None:
        for name, value in self.more.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def served(folder: Path, isolated: bool = True) -> Iterator[str]:
    """Serve a folder as a static web host would, and yield the address of the server. If `isolated` is true, the server
    also sends the headers COOP and COEP."""
    headers = {"Content-Security-Policy": CSP, "Cache-Control": "no-cache", **(ISOLATED if isolated else {})}
    handler = partial(_Handler, directory=str(folder), headers=headers)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


class OpenedSite(Watched):
    """A page of the site. `complaints` should be empty at the end of a test."""

    def __init__(self, browser: Browser, address: str, ready: str = "html[data-ready]", **context: Any) -> None:
        """Open the address, and wait for an element that matches the selector `ready`. The arguments in `context`, such
        as `viewport` and `locale`, are passed to the browser."""
        super().__init__(browser, **context)
        self.page.goto(address)
        if ready:
            self.page.wait_for_selector(ready, state="attached", timeout=60_000)


@pytest.fixture(scope="session")
def needs_chromium() -> None:
    """Skip a test if Chromium is missing. The test is skipped before anything is built for it."""
    if find_program("chromium") is None:
        absent("chromium")


@pytest.fixture(scope="session")
def site_folder(needs_chromium: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site. The site is built once for all test processes, and tests must not change it."""
    base = tmp_path_factory.getbasetemp()
    return built(base.parent if base.name.startswith("popen-") else base)


@pytest.fixture(scope="session")
def site_address(site_folder: Path) -> Iterator[str]:
    """Yield the address of the site on 127.0.0.1, served with COOP, COEP and the strict content security policy."""
    with served(site_folder) as address:
        yield address


@pytest.fixture(scope="session")
def plain_address(site_folder: Path) -> Iterator[str]:
    """Yield the address of the site on 127.0.0.1, served by a plain static host, which does not send the headers COOP
    and COEP. Without these headers, threads cannot share memory."""
    with served(site_folder, isolated=False) as address:
        yield address


@pytest.fixture(scope="module")
def browser(needs_chromium: None) -> Iterator[Browser]:
    """Yield a headless Chromium browser."""
    with chromium() as found:
        yield found
