"""Count the instructions of a node of the search. Run it in the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.count_instructions [VARIANT ...] [--old CHECKOUT]

valgrind (Debian's package of that name) runs two searches of the start position, one of LEAST nodes and one of LEAST +
NODES; the difference of their counts is the search alone. The count does not depend on the load of the machine, and
repeats within about 0.3%: changes of the kernels can be compared where times differ by ten percent. It says nothing
about memory and branches, so it does not replace a measurement of nodes per second. With `--old`, the same is done in
another checkout, which needs an environment (`./engine.sh test --version` makes one) and the same Python.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
from pathlib import Path

from kogoma.rules.variants import VARIANTS

LEAST = 1_000_000
NODES = 2_000_000
SEARCH = """
import sys
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher
searcher = Searcher(hash_mb=16, variant=VARIANTS[sys.argv[1]])
print(searcher.search(new_position(sys.argv[1]), Limits(nodes=int(sys.argv[2]))).nodes)
"""
VALGRIND = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")


def run(checkout: Path, variant: str, nodes: int, *before: str) -> tuple[int, str]:
    """Search in a checkout, by a command that starts with the words `before`. Return the nodes that were searched, and
    standard error."""
    command = [*before, str(checkout / ".venv" / "bin" / "python"), "-c", SEARCH, variant, str(nodes)]
    environment = os.environ | {"PYTHONPATH": str(checkout), "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=True)
    return int(done.stdout), done.stderr


def instructions_per_node(checkout: Path, variant: str) -> float:
    """Return the instructions of a node of a checkout's search."""
    run(checkout, variant, 1)  # compiles what is missing
    found = []
    for nodes in (LEAST, LEAST + NODES):
        searched, errors = run(checkout, variant, nodes, *VALGRIND)
        counted = re.search(r"I +refs: +([\d,]+)", errors)
        assert counted, errors
        found.append((searched, int(counted[1].replace(",", ""))))
    (fewer, first), (more, second) = found
    return (second - first) / (more - fewer)


def main() -> None:
    """Print a line for each variant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", metavar="VARIANT", default=["minishogi", "shogi"])
    parser.add_argument("--old", type=Path, metavar="CHECKOUT", help="a checkout to compare with")
    given = parser.parse_args()
    if wrong := [name for name in given.variants if name not in VARIANTS]:
        parser.error(f"no such variant: {', '.join(wrong)}")
    for variant in given.variants:
        new, text = instructions_per_node(Path.cwd(), variant), ""
        if given.old:
            old = instructions_per_node(given.old.absolute(), variant)
            text = f", {old:,.0f} in {given.old}: {new / old - 1:+.1%}"
        print(f"{variant}: {new:,.0f} instructions per node{text}", flush=True)


if __name__ == "__main__":
    main()
