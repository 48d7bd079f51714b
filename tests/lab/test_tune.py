"""A tuning run goes from positions to installed weights, even if it is killed and continued."""

from __future__ import annotations

import json
import random
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kogoma.eval.weights import load
from kogoma.lab.tune.store import numbers_in, read
from kogoma.lab.tune.weight_files import provenance_in
from kogoma.rules.variants import VARIANTS
from support.clusters import cluster
from support.lab_runs import finish, kill_when, lasting, lines, read_games, start
from support.usi_client import default_interrupt, until

pytestmark = pytest.mark.slow

__all__ = ["cluster"]  # a fixture

DOBUTSU = VARIANTS["dobutsu"]
# The least that has all phases: two chunks of positions, and a fit whose weights are better after each of a few epochs.
RUN = (
    "dobutsu --positions 10000 --nodes 20 --epochs 20 --games 30 --match-nodes 60 --seed 3 --date 2026-01-31"
    " --data data -o out"
).split()
DONE = (0, 3)  # exit codes if the new weights are installed or not; both are possible


def tune(folder: Path, *words: str, code: Any = 0) -> str:
    return finish(folder, *words, code=code, command="tune")


def records_in(folder: Path) -> Path:
    """Return the path of a tuning's match journal. If there is no such journal, return a path that does not exist."""
    return next(folder.glob("match-*.jsonl"), folder / "none")


def outcome(folder: Path) -> tuple[Any, ...]:
    """Return those results of a tuning that must not depend on interruptions."""
    data = folder / "data"
    chunks = [read(data, number) for number in numbers_in(data)]
    files = [path.read_bytes() for path in sorted((data / "candidate").iterdir()) if path.suffix != ".part"]
    records = records_in(data)
    return [chunk.head for chunk in chunks], files, records.name, lasting(read_games(records))


def assert_equal_positions(one: Path, other: Path) -> None:
    """Check that two tunings have stored the same positions from their games."""
    for number in numbers_in(one / "data"):
        first, second = (read(folder / "data", number).arrays for folder in (one, other))
        assert all(np.array_equal(array, second[name]) for name, array in first.items())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run a tuning without interruptions, and return its folder."""
    folder = tmp_path_factory.mktemp("whole")
    told = tune(folder, *RUN, "--concurrency", "2", code=DONE)
    for phase in ("data: ", "fit: about", "match: at most 30 games", "epoch ", "divergence", "30 games of dobutsu"):
        assert phase in told
    return folder


@pytest.mark.long
def test_a_tuning_killed_in_every_phase_equals_an_undisturbed_one(whole: Path, tmp_path: Path) -> None:
    words, rng, killed = [*RUN, "--concurrency", "2"], random.Random(1), tmp_path
    data = killed / "data"
    phases: tuple[Callable[[], bool], ...] = (
        lambda: (data / "plan.json").exists(),
        lambda: (data / "000000.npz").exists(),
        lambda: len(list(data.glob("0*.npz"))) == 2,
        lambda: (data / "candidate").exists(),
        lambda: lines(records_in(data)) > 3,
        lambda: lines(records_in(data)) > 15,
    )
    for ready in phases:
        kill_when(start(killed, *words, command="tune"), ready, rng.uniform(0, 0.1))
    (data / "000001.npz").write_bytes((data / "000001.npz").read_bytes()[:-9])  # cut off as after a power failure
    told = tune(killed, "dobutsu", "--data", "data", "--resume", "--date", "2026-01-31", code=DONE)
    assert "000001.npz is damaged" in told and "games are there already" in told
    assert outcome(killed) == outcome(whole)
    assert_equal_positions(killed, whole)
    # A finished tuning is not repeated.
    before = {path: path.stat().st_mtime_ns for path in data.rglob("*") if path.name not in ("lock", "plan.json")}
    assert "divergence" in tune(killed, *words, code=DONE)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    installed = provenance_in(killed / "out", DOBUTSU)
    assert (installed is not None) == ("new weights" in told)


@pytest.mark.long
def test_a_tuning_on_a_cluster_equals_a_local_one(whole: Path, cluster: Any, tmp_path: Path) -> None:
    tune(tmp_path, *RUN, "--cluster", cluster.scheduler_address, code=DONE)
    assert outcome(tmp_path) == outcome(whole)
    assert_equal_positions(tmp_path, whole)


@pytest.mark.clock
@pytest.mark.long
def test_the_time_is_divided_among_all_parts(tmp_path: Path) -> None:
    words = "dobutsu --hours 0.005 --concurrency 2 -o out".split()
    folder = tmp_path / "tune-dobutsu"
    kill_when(start(tmp_path, *words, command="tune"), lambda: (folder / "000000.npz").exists())
    told = tune(tmp_path, *words, code=DONE)
    found = provenance_in(folder / "candidate", DOBUTSU)
    assert found is not None and found["after"] < found["before"]
    last = told.splitlines()[-1]
    assert re.match(r"(new weights|the old weights stay): ", last), told
    assert ((tmp_path / "out" / "dobutsu.json").exists()) == last.startswith("new weights")


@pytest.mark.long
def test_accepted_weights_are_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The old weights have no network, and the bounds accept everything that is not far weaker.
    plain = {key: value for key, value in load(DOBUTSU, network=False).items() if key != "network"}
    (tmp_path / "dobutsu.json").write_text(json.dumps(plain), encoding="utf-8")
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path))
    words = "dobutsu --positions 10000 --nodes 200 --match-nodes 30 --games 200 --data data -o out".split()
    words += "--elo0 -200 --elo1 -150".split()
    told = tune(tmp_path, *words)
    assert "H1 accepted: written to out/dobutsu.json, out/dobutsu.network.xz" in told
    for name in ("dobutsu.json", "dobutsu.network.xz"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "data" / "candidate" / name).read_bytes()
    assert tune(tmp_path, *words).endswith("new weights: out has the new weights already\n")
    head = provenance_in(tmp_path / "out", DOBUTSU)
    assert head is not None
    for name in ("variant", "seed", "positions", "nodes", "before", "after", "date", "engine", "data"):
        assert name in head, name
    # The tuner refuses to add data of another seed to the existing data.
    told = tune(tmp_path, *words, "--seed", "2", code=1)
    assert told.endswith("000000.npz was made with another seed: 1, now 2\n")


def test_two_tunings_do_not_share_a_folder(tmp_path: Path) -> None:
    words = "dobutsu --positions 100000 --concurrency 1 --data data --only data".split()
    with default_interrupt():
        first = start(tmp_path, *words, command="tune")
    until(lambda: lines(tmp_path / "data" / "lock"), process=first)
    told = tune(tmp_path, *words, code=2)
    assert told == f"tune: process {first.pid} uses data; wait for it or name another folder\n"
    first.send_signal(signal.SIGINT)
    out, _ = first.communicate(timeout=60)
    assert (first.returncode, out.splitlines()[-1]) == (130, "interrupted; run the same command again to continue")


@pytest.mark.long
def test_impossible_settings_give_a_one_line_error(tmp_path: Path) -> None:
    for words, told, code in (
        ("dobutsu --data a --resume", "tune: a has nothing to resume", 2),
        ("dobutsu --data a --elo0 5 --elo1 5", "tune: --elo0 must be below --elo1, not 5 and 5", 2),
        ("dobutsu --data a --hours 1 --positions 9", "tune: --hours cannot be used with --positions", 2),
        ("dobutsu --data a --only fit", "tune: a contains no positions from self-play", 1),
        ("dobutsu --data a --only match", "tune: a/candidate has no complete weights of dobutsu; make them", 1),
        ("dobutsu --data a --cluster nowhere", "tune: -cluster nowhere: expected the scheduler's address", 1),
        (
            "dobutsu --data /dev/null/a",
            "tune: cannot write in /dev/null/a: a part of this path is a file, not a folder",
            1,
        ),
    ):
        out = tune(tmp_path, *words.split(), code=code)
        assert out.startswith(told) and out.count("\n") == 1, out
