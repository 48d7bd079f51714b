"""Measure the processor time of the page's main thread for a move in a long game, from the clicks to the drawn move.

Run it in the checkout: PYTHONPATH=tests .venv/bin/python -m benchmarks.page_long_games [--moves 20]
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
from pathlib import Path

from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from support.browsers.chromium import chromium
from support.browsers.meter import Meter
from support.browsers.played_page import PlayedPage
from support.site import built, served

LENGTHS = (10, 100, 400, 1000)
DRAWN = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"


def long_game(plies: int) -> BasePosition:
    """Return the position after a random game of 9x9 shogi that is not over after `plies` plies."""
    rng, position = random.Random(1), new_position("shogi")
    while len(position.moves) < plies:
        position.push(rng.choice(sorted(position.legal_moves())))
        if position.outcome() is not None:
            for _ in range(min(4, len(position.moves))):
                position.pop()
    return position


def stored(moves: list[str]) -> str:
    """Return a game between two people in the form in which the page saves it. Python's `json` refuses data of this
    depth."""
    nodes = "".join(f'[{{"move": "{move}", "next": ' for move in moves) + "[]" + "}]" * len(moves)
    person, live = {"kind": "person"}, [0] * len(moves)
    match = {
        "seats": [person, person],
        "control": None,
        "think": 1000,
        "spent": 0,
        "thrown": 0,
        "live": live,
        "result": None,
    }
    tree = f'{{"variant": "shogi", "start": "", "next": {nodes}}}'
    return f'{{"format": 1, "name": "", "changed": 1, "tree": {tree}, "match": {json.dumps(match)}}}'


def centre(opened: PlayedPage, square: str) -> tuple[float, float]:
    """Return the coordinates of the centre of a square. Searching for elements is no part of the measured time."""
    box = opened.item(square).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def seconds_of_moves(opened: PlayedPage, plies: int, count: int) -> list[float]:
    """Open a game of so many plies, make `count` moves in it, and return the processor time of each in seconds."""
    position, page = long_game(plies), opened.page
    page.evaluate("(game) => localStorage.setItem('kogoma/game/long', game)", stored(position.moves))
    page.evaluate("localStorage.setItem('kogoma/current', '\"long\"')")
    page.reload()
    page.wait_for_selector("html[data-ready=true]", state="attached")
    assert len(opened.moves) == plies, "the game has been opened"
    rng, meter, worked = random.Random(2), Meter(page), list[float]()
    for _ in range(count):
        legal = sorted(position.legal_moves())
        # Without drops, and without a choice between promoting and not.
        move = rng.choice([move for move in legal if "*" not in move and move[-1] != "+" and f"{move}+" not in legal])
        places = [centre(opened, name) for name in (move[:2], move[2:])]
        before = meter.seconds()
        for x, y in places:
            page.mouse.click(x, y)
        page.evaluate(DRAWN)
        worked.append(meter.seconds() - before)
        position.push(move)
        assert opened.page.get_attribute('#moves [aria-current="step"]', "data-move") == move
    return worked


def main() -> None:
    """Print the median for each length."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=20, help="moves to measure for each length")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, chromium() as browser, served(built(Path(folder))) as address:
        for plies in LENGTHS:
            opened = PlayedPage(browser, address)
            worked = seconds_of_moves(opened, plies, given.moves)
            print(f"move {plies}: {statistics.median(worked) * 1000:.0f} ms", flush=True)
            assert opened.heard == []
            opened.page.context.close()


if __name__ == "__main__":
    main()
