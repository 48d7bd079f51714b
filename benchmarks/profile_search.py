"""Print the share of each kernel function in the time of the bench, sampled by `perf` (Debian package linux-perf).

    PYTHONPATH=tests .venv/bin/python -m benchmarks.profile_search [VARIANT] [DEPTH]

A function that LLVM has inlined counts for its caller. Samples outside the kernels are left out.
"""

from __future__ import annotations

import bisect
import collections
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from kogoma.native.library import Library
from kogoma.native.object_file import code_and_symbols
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.variants import find
from kogoma.search.bench import bench
from kogoma.search.library import search_library

FREQUENCY = 5000  # samples per second
LEAST = 0.005  # smallest share that is shown

Places = list[tuple[int, int, str]]  # address, size and name of each function


def output(*words: str) -> str:
    """Return the output of a command."""
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


def readable(symbol: str) -> str:
    """Return the module and the name of a compiled function, taken from the function's mangled symbol. For an entry
    point, return only the name."""
    entry_point = re.search(r"kogoma_(\w+?)B\d", symbol)
    if entry_point:
        return entry_point[1]
    parts, rest = list[str](), symbol.removeprefix("_ZN")
    while (length := re.match(r"\d+", rest)) is not None:
        end = length.end() + int(length[0])
        parts.append(rest[length.end() : end])
        rest = rest[end:]
    return ".".join(parts[1:]) or symbol


def places_in(library: Library) -> Places:
    """Return the functions of a loaded library with their addresses. `perf` cannot find these functions itself, because
    LLVM loaded the library."""
    code, symbols = code_and_symbols(library._contents[library.file_name])
    with tempfile.NamedTemporaryFile(suffix=".o") as file:
        file.write(code)
        file.flush()
        rows = [line.split() for line in output("objdump", "-t", file.name).splitlines()]
    # The offsets are relative to one section. Rarely used functions are in another section, and are left out.
    listed = {row[-1]: (int(row[0], 16), int(row[-2], 16)) for row in rows if row[-3:-2] == [".ltext"]}
    name, address = next(iter(library._functions.items()))
    base = address - listed[symbols[name]][0]
    return sorted((base + start, size, readable(symbol)) for symbol, (start, size) in listed.items())


def search(path: Path, variant: str, depth: int | None) -> None:
    """Write the addresses of the library's functions to a file, and run the bench."""
    library = search_library(layout_of(find(variant)))
    if library.is_prebuilt:
        raise SystemExit("the prebuilt libraries of a release have no symbols of kernels: move dist/ away")
    library.load()
    path.write_text(json.dumps(places_in(library)))
    bench(variant, depth)


def shares(places: Places, samples: list[int]) -> collections.Counter[str]:
    """Return the number of sampled addresses in each function."""
    found, starts = collections.Counter[str](), [start for start, _, _ in places]
    for sample in samples:
        index = bisect.bisect(starts, sample) - 1
        if index >= 0 and sample < places[index][0] + places[index][1]:
            found[places[index][2]] += 1
    return found


def main() -> None:
    """Run the bench in another process under `perf`, and print the shares."""
    words = sys.argv[1:] or ["minishogi"]
    if words[0] == "--search":
        search(Path(words[1]), words[2], int(words[3]) if len(words) > 3 else None)
        return
    with tempfile.TemporaryDirectory() as folder:
        places, data = Path(folder) / "places.json", f"{folder}/data"
        program = [sys.executable, "-m", "benchmarks.profile_search", "--search", str(places), *words]
        output("perf", "record", "-q", "-F", str(FREQUENCY), "-o", data, *program)
        samples = [int(line, 16) for line in output("perf", "script", "-i", data, "-F", "ip").split()]
        found = shares(json.loads(places.read_text()), samples)
    for name, count in found.most_common():
        if count >= LEAST * found.total():
            print(f"{count / found.total():6.1%} {name}")


if __name__ == "__main__":
    main()
