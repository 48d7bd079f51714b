"""Do random actions on the web page in Chromium, and compare the page with a model of it after each one.

Run it in the checkout: PYTHONPATH=tests .venv/bin/python -m benchmarks.page_actions [--actions 500] [--seeds 0 1 2 3]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from support.browsers.chromium import chromium
from support.browsers.random_actions import act_at_random
from support.site import built, served


def main() -> None:
    """Do the actions of each seed. The first difference ends the command with an error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--actions", type=int, default=500, help="of each seed (%(default)s)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3], help="games with odd seeds have clocks")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, chromium() as browser, served(built(Path(folder))) as address:
        for seed in given.seeds:
            act_at_random(browser, address, seed, given.actions)
            print(f"seed {seed}: no difference in {given.actions} actions, no error of the page", flush=True)


if __name__ == "__main__":
    main()
