"""The web page's engine in headless Chromium, called from Python, without the rest of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.browsers.chromium import Watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PATIENCE = 300_000  # ms

SCRIPT = """\
async () => {
  const { Engine, mostThreads } = await import("/client/engine.js");
  const { loadGame, loadIndex, missing } = await import("/client/loader.js");
  const { Position } = await import("/engine/position.js");
  const index = await loadIndex();
  Object.assign(window, { Engine, Position, index, loadGame, missing, mostThreads, failures: [], infos: [] });
  window.start = async (name, settings) => {
    window.engine?.close();
    window.engine = new Engine(index, name, settings);
    engine.onFailure = (text) => failures.push(text);
    await engine.ready;
  };
  window.tooLong = (ms) => new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`no answer after ${ms} ms`)), ms);
  });
  window.search = (game, limits, options = {}) => {
    window.infos = [];
    return engine.search(game, limits, options, (info) => infos.push(info));
  };
}"""


class EnginePage(Watched):
    """An empty page of the site. The page runs one engine at a time. `complaints` should be empty at the end of a
    test."""

    def __init__(self, browser: Browser, address: str) -> None:
        """Open the page. `address` is the URL of the site."""
        super().__init__(browser)
        self.page.route("**/favicon.ico", lambda route: route.fulfill(status=204))
        self.page.goto(f"{address}games/index.json")
        self.page.evaluate(SCRIPT)

    def start(self, name: str, threads: int = 1, hash_mb: int = 16) -> None:
        """Start an engine for the variant `name`, and end the previous engine."""
        self.ask("([name, settings]) => start(name, settings)", [name, {"threads": threads, "hashMb": hash_mb}])

    def search(self, limits: dict[str, Any], moves: list[str] | None = None, start: str = "", **options: Any) -> Any:
        """Return the result of a search, together with the elapsed time (`elapsed`, in ms) and the search's reports
        (`infos`)."""
        return self.ask(
            """async ([game, limits, options]) => {
              const from = performance.now(), result = await search(game, limits, options);
              return { ...result, elapsed: performance.now() - from, infos };
            }""",
            [{"start": start, "moves": moves or []}, limits, options],
        )

    def ask(self, script: str, about: Any = None) -> Any:
        """Call the JavaScript function `script` with the argument `about`, and return the function's result. The
        function can use the names that SCRIPT defines. The call fails after PATIENCE milliseconds, because Playwright's
        `evaluate` has no time limit."""
        return self.page.evaluate(f"about => Promise.race([({script})(about), tooLong({PATIENCE})])", about)
