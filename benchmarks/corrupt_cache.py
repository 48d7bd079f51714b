"""Random damage to compiled objects: whatever the files hold, the engine gets ready, plays, and says what was wrong.

    PYTHONPATH=tests .venv/bin/python -m benchmarks.corrupt_cache --trials 1000

Each trial damages a copy of a game's objects, and starts an engine that reads it first and an untouched copy after it.
The exit code is 1 if an engine crashed, hung, kept silent about a damaged file, or was ready with anything but what it
had been before. With `--compiled N`, so many engines have no untouched copy, and compile.
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
START, COMPILE = 60.0, 600.0  # seconds that an engine may take to get ready

Damage = Callable[[random.Random, bytes, list[bytes]], bytes]


def flipped(chance: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """One bit to eight of them the other way round."""
    changed = bytearray(data)
    for place in chance.sample(range(len(data)), chance.randint(1, 8)):
        changed[place] ^= 1 << chance.randrange(8)
    return bytes(changed)


def zeroed(chance: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """A stretch of zeros, as a file system leaves it after a power failure, up to the end or not."""
    start = chance.randrange(len(data))
    end = chance.choice([len(data), chance.randint(start, len(data))])
    return data[:start] + bytes(end - start) + data[end:]


def noisy(chance: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """Random bytes from somewhere to the end."""
    start = chance.choice([0, chance.randrange(len(data))])
    return data[:start] + chance.randbytes(len(data) - start)


def joined(chance: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """The beginning of one file, the end of another, as of two writers."""
    return data[: chance.randrange(len(data))] + chance.choice(others)[chance.randrange(len(data)) :]


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
    """Damage one file, which is compiled soonest, or one to all; file -> how."""
    contents = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    done: dict[str, str] = {}
    names = [evaluation(folder).name] if one else chance.sample(list(contents), chance.randint(1, len(contents)))
    for name in names:
        kind = chance.choice(list(KINDS))
        new = KINDS[kind](chance, contents[name], [content for other, content in contents.items() if other != name])
        (folder / name).write_bytes(new)
        if new != contents[name]:
            done[name] = kind
    return done


def conversation(cache: str, patience: float) -> tuple[list[str], list[str], float]:
    """(what an engine says until it is ready, its search, seconds until then); an exception if it does not end well."""
    with UsiClient(env={"KOGOMA_CACHE": cache}, variant="onitama") as engine:
        began = time.perf_counter()
        engine.send("isready")
        notes = engine.read_until("readyok", patience)[:-1]
        seconds = time.perf_counter() - began
        lines, best = engine.go("depth", DEPTH)
        last = info_fields(lines[-1])
        if (code := engine.quit()) != 0 or engine.errors():
            raise AssertionError(f"exit code {code}, {engine.errors()!r}")
    return notes, [last["nodes"], last["pv"], best], seconds


def trial(chance: random.Random, good: Path, usual: list[str], compiled: bool) -> tuple[dict[str, str], str, float]:
    """(the damage done, what was wrong with the engine or "", seconds until it was ready)."""
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
            return done, f"told otherwise: {notes}", seconds
        return done, "" if search == usual else f"another search: {search}", seconds


def main() -> int:
    """Try and print; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--compiled", type=int, default=0, help="so many of them compile anew")
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
