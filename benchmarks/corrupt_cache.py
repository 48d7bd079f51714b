"""Damage object files at random, and check that the engine still starts and plays correctly, and names the damaged
files.

    PYTHONPATH=tests .venv/bin/python -m benchmarks.corrupt_cache --trials 1000

Each trial damages a copy of a variant's object files. An engine has this copy as its first cache folder, and an intact
copy as its second. The exit code is 1 if an engine crashes, hangs, does not report a damaged file, or searches
differently than with intact files. With `--compiled N`, the engine has no intact copy in the first N trials, so that it
must compile.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from support.native.objects import built, evaluation
from support.usi_client import UsiClient, info_fields

DEPTH = 4
START, COMPILE = 60.0, 600.0  # maximum seconds from the start to `readyok`

Damage = Callable[[random.Random, bytes, list[bytes]], bytes]


def flipped(chance: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """Return `data` with one to eight random bits flipped."""
    changed = bytearray(data)
    for place in chance.sample(range(len(data)), chance.randint(1, 8)):
        changed[place] ^= 1 << chance.randrange(8)
    return bytes(changed)


def zeroed(chance: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """Return `data` with a random range overwritten with zeros, as after a power failure. The range may extend to the
    end."""
    start = chance.randrange(len(data))
    end = chance.choice([len(data), chance.randint(start, len(data))])
    return data[:start] + bytes(end - start) + data[end:]


def noisy(chance: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """Return `data`, with all bytes after a random place replaced by random bytes. The place may be the beginning."""
    start = chance.choice([0, chance.randrange(len(data))])
    return data[:start] + chance.randbytes(len(data) - start)


def joined(chance: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """Return the beginning of one file joined to the end of another, as if two processes had written the same file."""
    return data[: chance.randrange(len(data))] + chance.choice(others)[chance.randrange(len(data)) :]


LATER = "-tablebase-"  # in the name of a library that is loaded after `isready`, when a position is set
KINDS: dict[str, Damage] = {
    "bits flipped": flipped,
    "truncated": lambda chance, data, others: data[: chance.randrange(len(data))],
    "empty": lambda chance, data, others: b"",
    "zeros": zeroed,
    "random bytes": noisy,
    "longer": lambda chance, data, others: data + chance.randbytes(chance.randint(1, 5000)),
    "another object": lambda chance, data, others: chance.choice(others),
    "two objects": joined,
}


def damage(chance: random.Random, folder: Path, one: bool) -> dict[str, str]:
    """Damage random files in `folder`. If `one` is set, damage only the file that is compiled fastest. Return a
    dictionary from the name of each changed file to the kind of damage."""
    contents = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    done: dict[str, str] = {}
    loaded = [name for name in contents if LATER not in name]
    names = [evaluation(folder).name] if one else chance.sample(loaded, chance.randint(1, len(loaded)))
    for name in names:
        kind = chance.choice(list(KINDS))
        new = KINDS[kind](chance, contents[name], [content for other, content in contents.items() if other != name])
        (folder / name).write_bytes(new)
        if new != contents[name]:
            done[name] = kind
    return done


def conversation(cache: str, patience: float) -> tuple[list[str], list[str], float]:
    """Run an engine with the cache folders `cache`. Return the lines that the engine writes before `readyok`, the
    result of a search, and the time until `readyok` in seconds. Raise an exception if the engine does not end
    properly."""
    with UsiClient(env={"KOGOMA_CACHE": cache}, variant="onitama") as engine:
        began = time.perf_counter()
        engine.send("isready")
        notes = engine.read_until("readyok", patience)[:-1]
        seconds = time.perf_counter() - began
        lines, best = engine.go("depth", DEPTH)
        last = info_fields(lines[-1])
        if (code := engine.quit()) != 0 or engine.errors():
            raise AssertionError(f"the engine ended with exit code {code}; standard error: {engine.errors()!r}")
    return notes, [last["nodes"], last["pv"], best], seconds


def trial(chance: random.Random, good: Path, usual: list[str], compiled: bool) -> tuple[dict[str, str], str, float]:
    """Damage a copy of the object files in `good`, and start an engine with this copy. Return the kind of damage of
    each changed file, the engine's fault or "", and the time until `readyok` in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        cache = shutil.copytree(good, Path(folder) / "cache")
        done = damage(chance, cache, compiled)
        folders = str(cache) if compiled else f"{cache}{os.pathsep}{good}"
        try:
            notes, search, seconds = conversation(folders, COMPILE if compiled else START)
        except (AssertionError, EOFError, OSError) as failure:
            return done, f"{type(failure).__name__}: {failure}", 0.0
        told = {name for name in os.listdir(good) for note in notes if f"{cache / name} is damaged" in note}
        if told != done.keys():
            return done, f"wrong messages about damaged files: {notes}", seconds
        return done, "" if search == usual else f"wrong search result: {search}", seconds


def main() -> int:
    """Run the trials, print the results, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--compiled", type=int, default=0, help="number of trials in which the engine compiles")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    chance = random.Random(options.seed)
    kinds: Counter[str] = Counter()
    wrong, times = 0, []
    with tempfile.TemporaryDirectory() as folder:
        good = built(Path(folder) / "good")
        _, usual, _ = conversation(str(good), START)
        for number in range(options.trials):
            done, trouble, seconds = trial(chance, good, usual, number < options.compiled)
            kinds.update(done.values())
            times.append(seconds)
            if trouble:
                wrong += 1
                print(f"trial {number}: {done}: {trouble}", flush=True)
    print(", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    print(f"{options.trials} trials, {kinds.total()} files: {wrong} wrong; ready in {statistics.median(times):.2f} s")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
