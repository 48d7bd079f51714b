"""Let the page's engine play games against itself while other processes use all processors, and count losses on time.

Run it in the checkout: PYTHONPATH=tests .venv/bin/python -m benchmarks.page_in_time [--games 10] [--seconds 0.5]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from support.browsers.chromium import chromium
from support.browsers.played_page import PlayedPage, begin_own_game, plies_in_time
from support.site import built, served


def main() -> None:
    """Play the games, and print how many were lost on time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--seconds", default="0.5", help="time of each move")
    parser.add_argument("--plies", type=int, default=40, help="maximum plies of a game")
    given = parser.parse_args()
    lost = 0
    with tempfile.TemporaryDirectory() as folder, chromium() as browser, served(built(Path(folder))) as address:
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
        try:
            for number in range(given.games):
                opened = PlayedPage(browser, address)
                begin_own_game(opened, given.seconds)
                plies = plies_in_time(opened, given.plies)
                opened.page.context.close()
                lost += plies < given.plies
                end = "lost on time after" if plies < given.plies else "in time for"
                print(f"game {number + 1}: {end} {plies} plies", flush=True)
        finally:
            for process in busy:
                process.kill()
    print(f"{lost} of {given.games} games lost on time, with {given.seconds} s for each move and all processors busy")


if __name__ == "__main__":
    main()
