"""Measure the speed of prebuilt libraries relative to libraries compiled on this machine.

    ./engine.sh release linux-x86_64
    .venv/bin/python -m benchmarks.measure_prebuilt [--rounds N] [--variant NAME]

The command runs `bench` with each kind of library in turn: compiled on this machine, prebuilt for x86-64-v3, prebuilt
for x86-64. It prints the highest nodes/s of each kind, also relative to the first kind. The maximum of alternating runs
depends little on other load. The node counts must be equal. The time from the start to `readyok` with prebuilt
libraries is also printed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kogoma.native.platforms import PLATFORMS, this_platform
from kogoma.native.prebuilt import IGNORE, INDEX

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist" / "libraries" / this_platform()
COMPILED = "compiled here"


def tree_for(processor: str, folder: Path) -> Path:
    """Copy the package into `folder`, add the prebuilt libraries for one type of processor, and return the path of the
    copy."""
    tree = folder / processor
    shutil.copytree(ROOT / "kogoma", tree / "kogoma", ignore=shutil.ignore_patterns("__pycache__"))
    libraries = tree / "kogoma" / "native" / "prebuilt"
    shutil.copytree(DIST, libraries)
    index = json.loads((libraries / INDEX).read_text())
    for library in index["libraries"].values():
        library["files"] = {name: digest for name, digest in library["files"].items() if f".{processor}." in name}
    (libraries / INDEX).write_text(json.dumps(index))
    return tree


def bench(tree: Path, compiled: bool, variant: list[str]) -> tuple[int, int]:
    """Run the command `bench` once, and return the number of nodes and the nodes per second."""
    environment = {**os.environ, IGNORE: "1" if compiled else "", "PYTHONPATH": str(tree)}
    command = [sys.executable, "-m", "kogoma", "bench", *variant]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=True)
    nodes, speed = re.findall(r"^Nodes\S* *\w* *: *(\d+)$", done.stdout, re.MULTILINE)
    return int(nodes), int(speed)


def readiness(tree: Path) -> float:
    """Return the time from the start of the engine to `readyok`, in seconds."""
    environment = {**os.environ, IGNORE: "", "PYTHONPATH": str(tree)}
    begun = time.perf_counter()
    done = subprocess.Popen(
        [sys.executable, "-m", "kogoma"], cwd=tree, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert done.stdin is not None and done.stdout is not None
    done.stdin.write(b"setoption name USI_Variant value minishogi\nisready\n")
    done.stdin.flush()
    while done.stdout.readline() != b"readyok\n":
        pass
    elapsed = time.perf_counter() - begun
    done.communicate(b"quit\n")
    return elapsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--variant", default="minishogi")
    given = parser.parse_args()
    if not (DIST / INDEX).exists():
        sys.exit(f"{DIST} has no libraries: ./engine.sh release {this_platform()} builds them")
    with tempfile.TemporaryDirectory() as name:
        trees = {COMPILED: ROOT}
        trees |= {processor: tree_for(processor, Path(name)) for processor in PLATFORMS[this_platform()].processors}
        found: dict[str, list[tuple[int, int]]] = {kind: [] for kind in trees}
        for _ in range(given.rounds + 1):
            for kind, tree in trees.items():
                found[kind].append(bench(tree, kind == COMPILED, [given.variant]))
        assert len({nodes for runs in found.values() for nodes, _ in runs}) == 1, found
        best = {kind: max(speed for _, speed in runs[1:]) for kind, runs in found.items()}  # the first run warms up
        for kind, speed in best.items():
            print(f"{kind:<14}{speed:>12} nodes/s{speed / best[COMPILED]:>8.3f}")
        times = sorted(readiness(list(trees.values())[1]) for _ in range(given.rounds))
        print(f"readyok after {times[0]:.2f} s (best), {times[len(times) // 2]:.2f} s (median)")


if __name__ == "__main__":
    main()
