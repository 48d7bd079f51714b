"""The page's engine in headless Chromium, compared with the native engine; also stops, crashes and threads."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest

from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS, find
from kogoma.search.limits import Limits
from kogoma.search.processors import processors
from kogoma.search.searcher import Searcher
from support.browsers.chromium import worked
from support.browsers.engine_page import EnginePage
from support.node import EQUALITY_DEPTH, equality_positions
from support.scope import mostly_long
from support.site import browser, plain_address, site_address, site_folder

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["browser", "plain_address", "site_address", "site_folder"]  # fixtures

# This script returns results for many positions of one variant. The page's own thread applies the rules, and a Worker
# runs the engine's searches.
COMPARED = """async ([name, depth, positions]) => {
  const game = await loadGame(index, name), seen = [];
  await start(name, { hashMb: 4 });
  for (const [from, moves, dice] of positions) {
    const position = new Position(game, from);
    for (const move of moves) position.push(move);
    engine.newGame();
    const { best, scoreKind, score, nodes } = await search({ start: from, moves }, { depth, dice });
    const perft = game.call("perft", game.rules, position.struct, game.moveList, 2);
    seen.push([position.legalMoves(), perft, position.outcome(), best, scoreKind, score, nodes]);
    position.release();
  }
  return seen;
}"""
# ENDLESS starts an endless search and waits for its first info line. STOPPED ends this search, and returns the move and
# the depth that the search has found.
ENDLESS = """async () => {
  window.searched = search({ start: "", moves: [] }, { infinite: true });
  do await new Promise((resolve) => setTimeout(resolve, 100)); while (!infos.length);
}"""
STOPPED = """async () => {
  engine.stop();
  const { best, depth } = await searched;
  return [best, depth];
}"""


def stops(page: EnginePage, browser: Browser) -> float:
    """Return the median processor time in seconds that the browser uses from `stop` to the answer. Assert that each
    answer has a legal move.

    The search still runs while the request is delivered, and the delivery takes longer on a busy machine. So the
    processor time of an empty request is measured and subtracted.
    """
    legal, seconds = new_position("minishogi").legal_moves(), list[float]()
    for _ in range(6):
        page.ask(ENDLESS)
        times = [worked(browser)]
        page.ask("() => 0")
        times.append(worked(browser))
        best, depth = page.ask(STOPPED)
        times.append(worked(browser))
        seconds.append((times[2] - times[1]) - (times[1] - times[0]))
        assert best in legal and depth > 0
    return statistics.median(seconds)


@pytest.fixture(scope="module")
def isolated(browser: Browser, site_address: str) -> Iterator[EnginePage]:
    """Yield a page that may share memory between threads."""
    page = EnginePage(browser, site_address)
    yield page
    assert page.complaints == []


@pytest.fixture
def plain(browser: Browser, plain_address: str) -> Iterator[EnginePage]:
    """Yield a page of a host that sends no special headers, so that threads share no memory."""
    page = EnginePage(browser, plain_address)
    yield page
    assert page.complaints == []


def expected(name: str) -> list[list[Any]]:
    """Return the results that the script COMPARED should return, computed by the native engine."""
    searcher, seen = Searcher(hash_mb=4, variant=find(name)), list[list[Any]]()
    for position, dice in equality_positions(name):
        searcher.new_game()
        found = searcher.search(position, Limits(depth=EQUALITY_DEPTH[name], dice=dice))
        outcome = position.outcome()
        said = [found.best, found.score_kind, found.score, found.nodes]
        told = None if outcome is None else asdict(outcome)
        seen.append([position.legal_moves(), position.perft(2), told, *said])
    return seen


@pytest.mark.parametrize("name", mostly_long(VARIANTS, "minishogi"))
def test_a_hundred_positions_are_the_same(isolated: EnginePage, name: str) -> None:
    positions = [[game.start_sfen, game.moves, dice] for game, dice in equality_positions(name)]
    assert isolated.ask(COMPARED, [name, EQUALITY_DEPTH[name], positions]) == expected(name)


@pytest.mark.long
def test_a_suspended_search_is_the_same(plain: EnginePage) -> None:
    """Check that a long search on a page without shared memory, where it is suspended several times, has the same
    result as a native search."""
    for name, depth in (("minishogi", 15), ("dice", 4)):
        plain.start(name)
        found = plain.search({"depth": depth})
        result = Searcher(hash_mb=16, variant=find(name)).search(new_position(name), Limits(depth=depth))
        assert (found["best"], found["score"], found["nodes"]) == (result.best, result.score, result.nodes)


@pytest.mark.long
def test_several_lines(isolated: EnginePage) -> None:
    isolated.start("minishogi")
    isolated.search({"depth": 6}, multipv=3)
    infos = [info for info in isolated.ask("() => infos") if info["depth"] == 6 and not info["bound"]]
    assert [info["multipv"] for info in infos] == [1, 2, 3]
    assert len({info["pv"][0] for info in infos}) == 3
    assert [info["score"] for info in infos] == sorted((info["score"] for info in infos), reverse=True)


@pytest.mark.long
def test_a_roll_is_obeyed(isolated: EnginePage) -> None:
    isolated.start("dice")
    for dice in (1, 2, 3):
        best = isolated.search({"depth": 2, "dice": dice})["best"]
        assert best in new_position("dice").legal_moves() and best[2] == str(dice)


@pytest.mark.long
@pytest.mark.clock
def test_time_is_kept(isolated: EnginePage, plain: EnginePage, browser: Browser) -> None:
    for page in (isolated, plain):
        page.start("minishogi")
        page.search({"depth": 1})
        before = worked(browser)
        assert all(page.search({"movetime": 300})["elapsed"] > 240 for _ in range(3))
        assert worked(browser) - before < 3 * 0.45


@pytest.mark.long
@pytest.mark.clock
@pytest.mark.parametrize(("kind", "within"), [("isolated", 0.05), ("plain", 0.12), ("without suspending", 0.4)])
def test_stop(browser: Browser, site_address: str, plain_address: str, kind: str, within: float) -> None:
    """Check that `stop` is answered soon with a legal move, and that the engine can then search again."""
    page = EnginePage(browser, site_address if kind == "isolated" else plain_address)
    if kind == "without suspending":
        page.ask("() => { delete WebAssembly.Suspending; }")
    page.start("minishogi")
    page.search({"depth": 1})
    assert stops(page, browser) < within
    assert page.search({"depth": 3})["best"] in new_position("minishogi").legal_moves()
    assert page.complaints == [] and page.ask("() => failures") == []


@pytest.mark.long
def test_a_new_search_ends_the_last_one(isolated: EnginePage) -> None:
    isolated.start("minishogi")
    results = isolated.ask(
        """async () => {
          const game = { start: "", moves: [] }, endless = { infinite: true };
          const searches = [search(game, endless), search(game, endless), search(game, { depth: 4 })];
          return (await Promise.all(searches)).map(({ best, depth }) => [best, depth]);
        }"""
    )
    legal = new_position("minishogi").legal_moves()
    assert all(best in legal and depth >= 1 for best, depth in results)
    assert results[-1][1] == 4


@pytest.mark.long
def test_an_endless_search_waits_for_stop_after_finding_a_mate(isolated: EnginePage) -> None:
    isolated.start("minishogi")
    waited = isolated.ask(
        """async () => {
          let ended = false;
          const searched = search({ start: "4k/5/4P/5/4K b G 1", moves: [] }, { infinite: true });
          searched.then(() => { ended = true; });
          await new Promise((resolve) => setTimeout(resolve, 500));
          const before = ended;
          engine.stop();
          return [before, (await searched).scoreKind];
        }"""
    )
    assert waited == [False, "mate"]


@pytest.mark.clock
def test_threads_search_one_tree(isolated: EnginePage, browser: Browser) -> None:
    """Check that two Workers search with one shared transposition table: their node count differs from that of a single
    Worker. On a busy machine, the second Worker may get no processor during a search, so several are tried. Both
    Workers must also be ready for the next search, and must stop soon."""
    if processors() < 2:
        pytest.skip("needs two processors")
    assert isolated.ask("() => mostThreads()") >= 2
    isolated.start("minishogi")
    alone = isolated.search({"depth": 14})["nodes"]  # the same number in every run
    isolated.start("minishogi", threads=2)

    def count() -> int:
        nodes: int = isolated.search({"depth": 14})["nodes"]
        isolated.ask("() => engine.newGame()")
        return nodes

    for _ in range(2):
        assert any(count() != alone for _ in range(20))
    assert stops(isolated, browser) < 2 * 0.05


@pytest.mark.long
def test_wrong_requests_are_reported_and_the_engine_goes_on(isolated: EnginePage) -> None:
    isolated.start("minishogi")
    asked = """([game, limits]) => search(game, limits).then(() => "", (error) => error.message)"""
    assert isolated.ask(asked, [{"start": "", "moves": ["7g7f"]}, {"depth": 1}]).startswith("illegal move '7g7f'")
    assert "5 ranks expected" in isolated.ask(asked, [{"start": "x", "moves": []}, {"depth": 1}])
    assert "searchmoves" in isolated.ask(asked, [{"start": "", "moves": []}, {"depth": 1, "searchmoves": ["5a5b"]}])
    assert isolated.search({"depth": 2})["depth"] == 2
    assert isolated.ask("() => failures") == []


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 2])
def test_a_crash_is_reported_and_the_next_search_restarts_the_engine(isolated: EnginePage, threads: int) -> None:
    """Check that a crash of a Worker is reported once, and that a later search works. The first Worker is made to crash
    by an error event, the second one by an invalid number in its memory."""
    if processors() < threads:
        pytest.skip("needs two processors")
    isolated.start("minishogi", threads=threads)
    told = isolated.ask(
        """async (number) => {
          failures.length = 0;
          const searched = search({ start: "", moves: [] }, { infinite: true }).catch((error) => error.message);
          do await new Promise((resolve) => setTimeout(resolve, 50)); while (!infos.length);
          if (number) engine._words[8 * number + 1] = -1; // an invalid stack
          else engine._workers[0].dispatchEvent(new ErrorEvent("error", { message: "it has died" }));
          engine.stop();
          await searched;
          // When the second Worker begins decides whether it fails in the first search or in a second one.
          const second = () => search({ start: "", moves: [] }, { infinite: true });
          if (!failures.length) await second().catch((error) => error.message);
          const third = await search({ start: "", moves: [] }, { depth: 3 });
          return [failures.length, third.depth];
        }""",
        threads - 1,
    )
    assert told == [1, 3]


@pytest.mark.long
def test_an_unknown_variant(isolated: EnginePage) -> None:
    message = isolated.ask("() => { try { new Engine(index, 'chess'); } catch (error) { return error.message; } }")
    assert message == "no game is called chess"


@pytest.mark.long
def test_files_that_cannot_be_loaded(isolated: EnginePage) -> None:
    told = isolated.ask(
        """async () => {
          const wrong = { ...index, base: new URL("/nowhere/", location.href).href };
          const engine = new Engine(wrong, "minishogi"), told = [];
          engine.onFailure = (text) => told.push(text);
          await engine.ready.catch((error) => told.push(error.message));
          await engine.search({ start: "", moves: [] }, { depth: 1 }, {}, () => {}).catch(() => told.push("rejected"));
          return told;
        }"""
    )
    assert len(told) >= 3 and "cannot load" in told[0]
    isolated.complaints.clear()  # the browser also reports the missing files
