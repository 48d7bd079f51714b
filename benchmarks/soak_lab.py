"""Test that a match survives `kill -9` of its engines, compilers and runner at random moments.

    .venv/bin/python -m benchmarks.soak_lab [--games 2000] [--seed N] [--pause 3] [--warm]

The match begins with an empty cache. Sometimes the cache is emptied after the runner was killed, so that there are
compilers to kill. With `--warm`, the match uses the user's cache, and nothing is compiled. At the end, every game must
be recorded exactly once, and no process, file or folder may be left over. If so, the exit code is 0; otherwise it is 1,
and the faults are printed. The test runs on Linux only.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
MARK = "KOGOMA_SOAK"  # an environment variable of all processes started here
MATCH = """-engine name=one -engine name=two -each st=0.02 timemargin=1000 option.USI_Hash=1 -recover
-concurrency 2 -maxmoves 60"""
VICTIMS = {"engine": 0.75, "compiler": 0.15, "runner": 0.1}
EMPTIED = 0.1  # the share of the runner's kills after which the cache is emptied
GRACE = 15.0  # seconds in which remaining processes may end by themselves
BROKEN_OFF = 1  # the match's exit code if an engine cannot be started
SHOWN = 10  # number of faults that are printed


def main() -> int:
    """Run the test, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--pause", type=float, default=3.0, help="seconds between two kills, on average")
    parser.add_argument("--warm", action="store_true")
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="kogoma-soak-") as name:
        soak = Soak(Path(name), given.games, random.Random(given.seed), given.pause, given.warm)
        soak.play()
        wrong = soak.wrong()
    killed = ", ".join(f"{count} {kind}s" for kind, count in soak.killed.items())
    print(f"{given.games} games, killed: {killed or 'nothing'}; cache emptied {soak.emptied} times")
    print(f"broken off {soak.broken_off} times by engines killed at their start, and resumed")
    for text in wrong[:SHOWN]:
        print(text)
    print("nothing lost, nothing left over" if not wrong else f"{len(wrong)} faults")
    return bool(wrong)


class Soak:
    """A match whose processes are killed at random moments. All files of the match are in one folder."""

    def __init__(self, folder: Path, games: int, rng: random.Random, pause: float, warm: bool) -> None:
        self.games, self._rng, self._pause, self._warm = games, rng, pause, warm
        self.records, self._cache, self._temporary = folder / "soak.jsonl", folder / "cache", folder / "tmp"
        self._folder = folder
        self._temporary.mkdir()
        self._mark = f"{MARK}={os.getpid()}"
        self.killed: Counter[str] = Counter()
        self.emptied = self.broken_off = 0

    def play(self) -> None:
        """Start the match, and kill processes of the match at random moments. Whenever the match has ended too early,
        start it again."""
        environment = {**os.environ, MARK: str(os.getpid()), "TMPDIR": str(self._temporary)}
        environment |= {"PYTHONPATH": str(ROOT)} | ({} if self._warm else {"KOGOMA_CACHE": str(self._cache)})
        words = [*MATCH.split(), "-games", str(self.games), "-out", self.records.name, "--resume"]
        command = [sys.executable, "-m", "kogoma", "match", *words]
        while True:
            with subprocess.Popen(command, cwd=self._folder, env=environment, stdout=subprocess.DEVNULL) as runner:
                while runner.poll() is None:
                    time.sleep(self._rng.expovariate(1 / self._pause))
                    self._kill(runner.pid)
            if runner.returncode == 0:
                return
            if runner.returncode == BROKEN_OFF:
                self.broken_off += 1  # two engines in a row were killed during their start; the match can be resumed
            elif runner.returncode != -signal.SIGKILL:
                raise SystemExit(f"the match ended with exit code {runner.returncode}")
            if not self._warm and self._rng.random() < EMPTIED:
                shutil.rmtree(self._cache, ignore_errors=True)
                self.emptied += 1

    def _kill(self, runner: int) -> None:
        """Choose a kind of process at random. If processes of this kind run, kill one of them at random."""
        kind = self._rng.choices([*VICTIMS], [*VICTIMS.values()])[0]
        found = [pid for pid, line in self._processes().items() if kind_of(pid, runner, line) == kind]
        if found:
            with contextlib.suppress(ProcessLookupError):  # it may have ended since it was found
                os.kill(self._rng.choice(sorted(found)), signal.SIGKILL)
                self.killed[kind] += 1

    def _processes(self) -> dict[int, str]:
        """Return the command lines of all running processes that this test has started, by process id."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                marks = (folder / "environ").read_bytes().split(b"\0")
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if self._mark.encode() in marks and line:
                found[int(folder.name)] = line
        return found

    def wrong(self) -> list[str]:
        """Return the faults found after the match: processes and files that are left over, and games that are not
        recorded exactly once."""
        deadline = time.monotonic() + GRACE
        while (left := self._processes()) and time.monotonic() < deadline:
            time.sleep(0.1)
        faults = [f"process {pid} is left over: {line[:200]}" for pid, line in left.items()]
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        entries = map(json.loads, self.records.read_text().splitlines())
        numbers = Counter(entry["game"] for entry in entries if "game" in entry)
        faults += [f"game {number} is recorded {numbers[number]} times" for number in range(self.games)
                   if numbers[number] != 1]  # fmt: skip
        expected = {self.records, self._cache, self._temporary}
        strange = [path for path in self._folder.iterdir() if path not in expected]
        strange += self._temporary.iterdir()
        strange += [path for path in self._cache.rglob("*") if "tmp" in path.name]
        return faults + [f"{path.relative_to(self._folder)} is left over" for path in strange]


def kind_of(pid: int, runner: int, line: str) -> str:
    """Return the kind of a process of the match: runner, compiler or engine."""
    if pid == runner:
        return "runner"
    return "compiler" if "kogoma.native.build" in line else "engine"


if __name__ == "__main__":
    sys.exit(main())
