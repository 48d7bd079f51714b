"""The engine of a web page in headless Chromium: a site with nothing but games and modules, served to itself."""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rules.variants import Variant
from support.browsers.chromium import chromium
from support.usi_client import ROOT
from web.games_folder import write_games

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ISOLATED = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; "
    "worker-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'"
)
# What a page does with the engine: `engine(NAME, THREADS)`, then `search(...)`, as the tests ask for it.
SCRIPT = """\
import { Engine, mostThreads } from "/client/engine.js";
import { loadGame, loadIndex, missing } from "/client/loader.js";
import { Position } from "/engine/position.js";
const index = await loadIndex();
Object.assign(window, { Engine, Position, index, loadGame, missing, mostThreads, failures: [], infos: [] });
window.start = async (name, settings) => {
  window.engine?.close();
  window.engine = new Engine(index, name, settings);
  engine.onFailure = (text) => failures.push(text);
  await engine.ready;
};
window.search = (game, limits, options = {}) => {
  window.infos = [];
  return engine.search(game, limits, options, (info) => infos.push(info));
};
document.documentElement.dataset.ready = "";
"""


def write_engine(folder: Path, variants: Iterable[Variant]) -> None:
    """The site: games, the engine's modules, and a page that does nothing by itself."""
    for name in ("engine", "client"):
        shutil.copytree(ROOT / "web" / name, folder / name, dirs_exist_ok=True)
    write_games(folder, variants, lambda text: print(text, file=sys.stderr))
    (folder / "page.js").write_text(SCRIPT, encoding="utf-8")
    head = '<!doctype html><title>engine</title><link rel="icon" href="data:,">'
    (folder / "index.html").write_text(f'{head}<script type="module" src="page.js"></script>', encoding="utf-8")


class _Handler(SimpleHTTPRequestHandler):
    isolated = True

    def end_headers(self) -> None:
        """The headers of every answer."""
        self.send_header("Content-Security-Policy", POLICY)
        for name, value in ISOLATED.items() if self.isolated else ():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Silence."""


class _OpenHandler(_Handler):
    isolated = False


@contextmanager
def served(folder: Path, isolated: bool) -> Iterator[str]:
    """The folder at an address, with or without the headers that isolate a page from other origins."""
    handler = partial(_Handler if isolated else _OpenHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()


class EnginePage:
    """One page with one engine."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.complaints: list[str] = []
        self.page: Page = browser.new_context().new_page()
        self.page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(address)
        self.page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)

    def start(self, name: str, threads: int = 1, hash_mb: int = 16) -> None:
        """An engine for that game, ready to search; the one before is closed."""
        self.page.evaluate(
            "([name, settings]) => start(name, settings)", [name, {"threads": threads, "hashMb": hash_mb}]
        )

    def search(self, limits: dict[str, Any], moves: list[str] | None = None, start: str = "", **options: Any) -> Any:
        """The result of a search, with `elapsed` ms and its `infos`."""
        return self.page.evaluate(
            """async ([game, limits, options]) => {
              const from = performance.now(), result = await search(game, limits, options);
              return { ...result, elapsed: performance.now() - from, infos };
            }""",
            [{"start": start, "moves": moves or []}, limits, options],
        )

    def ask(self, script: str, about: Any = None) -> Any:
        """What a script gives, a function of one argument."""
        return self.page.evaluate(script, about)


@contextmanager
def engine_page(folder: Path, isolated: bool = True) -> Iterator[EnginePage]:
    """The folder's site in a browser of its own."""
    with served(folder, isolated) as address, chromium() as browser:
        yield EnginePage(browser, address)
