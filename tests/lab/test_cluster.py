"""Games and positions played by the worker processes of a dask cluster, one of which is killed in the middle."""

from __future__ import annotations

import importlib
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.tune.install import provenance_in
from lab.tune.store import read
from rules.variants import VARIANTS
from support.lab_runs import finish, lasting, lines, read_games, start
from support.peers import absent
from support.usi_client import ROOT, until

WORKERS, GAMES = 3, 80
MATCH = f"-engine name=one -engine name=two option.USI_Hash=1 -each nodes=60 -games {GAMES}".split()


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Worker processes of one thread each."""
    try:
        distributed = importlib.import_module("distributed")
    except ModuleNotFoundError:
        absent("distributed")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    folder = str(tmp_path / "dask")
    with distributed.LocalCluster(
        n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0", local_directory=folder
    ) as started:
        yield started


def test_a_lost_workers_games_are_played_again_once(cluster: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    process = start(tmp_path, *MATCH, "-out", path.name, "--cluster", cluster.scheduler_address)
    until(lambda: lines(path) > 15, 120)
    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0, out
    assert [record["game"] for record in read_games(path)] == list(range(GAMES))
    # Where games are played makes no difference.
    finish(tmp_path, *MATCH, "-concurrency", "2", "-out", "here.jsonl")
    assert lasting(read_games(path)) == lasting(read_games(tmp_path / "here.jsonl"))


def test_a_tuning_on_a_cluster_is_the_one_that_is_made_here(cluster: Any, tmp_path: Path) -> None:
    words = "dobutsu --positions 10000 --nodes 40 --games 12 --match-nodes 40 --date 2026-01-31".split()
    folders = [tmp_path / "far", tmp_path / "here"]
    for folder, place in zip(folders, (["--cluster", cluster.scheduler_address], ["--concurrency", "2"])):
        finish(tmp_path, *words, *place, "--data", folder.name, "-o", f"{folder.name}-out", code=(0, 3), command="tune")
    for number in (0, 1):
        one, other = (read(folder, number) for folder in folders)
        assert one.head == other.head
        assert all(np.array_equal(array, other.arrays[name]) for name, array in one.arrays.items())
    far, here = (provenance_in(folder / "candidate", VARIANTS["dobutsu"]) for folder in folders)
    assert far == here
    far_games, here_games = (list(folder.glob("match-*.jsonl")) for folder in folders)
    assert [path.name for path in far_games] == [path.name for path in here_games]
    for path, other_path in zip(far_games, here_games):  # none where the fit found nothing better
        assert lasting(read_games(path)) == lasting(read_games(other_path))


@pytest.mark.parametrize("address", ["nowhere", "tcp://127.0.0.1:9"])
def test_a_cluster_that_is_not_there(address: str, tmp_path: Path) -> None:
    told = finish(tmp_path, *MATCH, "-out", "m.jsonl", "--cluster", address, code=1)
    assert told.startswith("match: ") and address in told and told.count("\n") == 1
