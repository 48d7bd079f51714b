"""Measure the web page's engine in headless Chromium: its speed relative to the native engine on one thread, the speed
of two Workers relative to one, and the size of the files for a first visit.

    PYTHONPATH=tests .venv/bin/python -m benchmarks.measure_page_engine [--threads-only | --no-threads] [VARIANT ...]

Both engines search each position to the same depth in turn, so that other load affects both. The fastest of several
searches counts, without the first. The searches must have the same number of nodes.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from benchmarks.random_positions import random_positions
from kogoma.rules.variants import VARIANTS, Variant, find
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher
from kogoma.web.site import write_site
from support.browsers.chromium import chromium
from support.browsers.engine_page import EnginePage
from support.site import served

WANTED = {"minishogi": 0.60, "shogi": 0.50, "onitama": 0.60}
DEPTHS = {"minishogi": 15, "shogi": 10, "onitama": 19}
DEPTH = 6  # search depth in all other variants
POSITIONS, ROUNDS, HASH_MB = 6, 5, 16
THREADS_TIME, THREADS_ROUNDS = 1500, 5  # ms of a search


def measure(page: EnginePage, variant: Variant) -> str:
    """Return a line that compares the speed of the page's engine in a variant with the speed of the native engine."""
    depth, searcher = DEPTHS.get(variant.name, DEPTH), Searcher(HASH_MB, variant=variant)
    page.start(variant.name, hash_mb=HASH_MB)
    native, browser, nodes = 0.0, 0.0, 0
    for position in random_positions(variant, POSITIONS, variant.name):
        here, there = list[float](), list[float]()
        for _ in range(ROUNDS + 1):
            searcher.new_game()
            searcher.wait()
            started = time.perf_counter()
            result = searcher.search(position, Limits(depth=depth))
            here.append(time.perf_counter() - started)
            page.ask("() => engine.newGame()")
            found = page.search({"depth": depth}, position.moves, position.start_sfen)
            there.append(found["infos"][-1]["timeMs"] / 1000)
            assert (found["nodes"], found["score"]) == (result.nodes, result.score)
        native, browser, nodes = native + min(here[1:]), browser + min(there[1:]), nodes + result.nodes
    wanted = f", wanted {WANTED[variant.name]:.0%}" if variant.name in WANTED else ""
    return (
        f"{variant.name}: {nodes / native / 1e6:.2f} million nodes/s native, {nodes / browser / 1e6:.2f} in Chromium: "
        f"{native / browser:.0%}{wanted}"
    )


def measure_threads(pages: list[EnginePage]) -> str:
    """Return a line that compares the speed of two Workers with the speed of one Worker. Searches with one Worker and
    searches with two Workers alternate."""
    for count, page in enumerate(pages, 1):
        page.start("minishogi", threads=count, hash_mb=HASH_MB)
    speeds: list[list[float]] = [[], []]
    for number in range(THREADS_ROUNDS + 1):
        for page, found in zip(pages, speeds, strict=True):
            page.ask("() => engine.newGame()")
            result = page.search({"movetime": THREADS_TIME})
            if number:
                found.append(result["nodes"] / result["elapsed"] * 1000)
    one, two = map(max, speeds)
    return (
        f"two Workers: {two / 1e6:.2f} against {one / 1e6:.2f} million nodes/s: {two / one:.2f} times one, wanted 1.80"
    )


def measure_size(page: EnginePage, variant: Variant) -> str:
    """Return a line with the size of the files that the page loads for a variant."""
    entry = page.ask("(name) => index.games.find((game) => game.name === name)", variant.name)
    sizes = page.ask(
        """(files) => Promise.all(files.map(async (file) => {
          const stream = (await fetch("/" + file)).body.pipeThrough(new CompressionStream("gzip"));
          return (await new Response(stream).arrayBuffer()).byteLength;
        }))""",
        ["games/index.json", entry["data"], entry["kernels"], entry["shared"]],
    )
    return (
        f"{variant.name}: {sum(sizes) / 1000:.0f} kB as gzip, data and kernels: {[size // 1000 for size in sizes[1:]]}"
    )


def main() -> None:
    """Run the measurements."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("variants", nargs="*", type=find, default=[find(name) for name in WANTED])
    words.add_argument("--threads-only", action="store_true")
    words.add_argument("--no-threads", action="store_true")
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        write_site(Path(name), VARIANTS.values(), print)
        with served(Path(name)) as address:
            page = EnginePage(browser, address)
            if not given.threads_only:
                for variant in given.variants:
                    print(measure(page, variant), measure_size(page, variant), sep="\n", flush=True)
            if not given.no_threads:
                print(measure_threads([page, EnginePage(browser, address)]), flush=True)


if __name__ == "__main__":
    main()
