"""The engine of the page in headless Chromium, asked from Python: on the site, but without the page around it."""

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
    """A page with nothing on it that has one engine at a time. `complaints` should be empty in the end."""

    def __init__(self, browser: Browser, address: str) -> None:
        """`address` is that of the site."""
        super().__init__(browser)
        self.page.route("**/favicon.ico", lambda route: route.fulfill(status=204))
        self.page.goto(f"{address}games/index.json")
        self.page.evaluate(SCRIPT)

    def start(self, name: str, threads: int = 1, hash_mb: int = 16) -> None:
        """An engine for that game, ready to search; the one before is closed."""
        self.ask("([name, settings]) => start(name, settings)", [name, {"threads": threads, "hashMb": hash_mb}])

    def search(self, limits: dict[str, Any], moves: list[str] | None = None, start: str = "", **options: Any) -> Any:
        """The result of a search, with `elapsed` ms and its `infos`."""
        return self.ask(
            """async ([game, limits, options]) => {
              const from = performance.now(), result = await search(game, limits, options);
              return { ...result, elapsed: performance.now() - from, infos };
            }""",
            [{"start": start, "moves": moves or []}, limits, options],
        )

    def ask(self, script: str, about: Any = None) -> Any:
        """What a script gives, a function of one argument; its globals are those of SCRIPT. An error if it takes longer
        than PATIENCE: unlike other calls, `evaluate` has no time limit."""
        return self.page.evaluate(f"about => Promise.race([({script})(about), tooLong({PATIENCE})])", about)
