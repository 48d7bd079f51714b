"""Games and positions on the worker processes of a dask cluster, one of which is killed."""

from __future__ import annotations

import importlib
import os
import random
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kogoma.lab.tune.store import read
from kogoma.lab.tune.weight_files import provenance_in
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from support.lab_runs import finish, lasting, lines, read_games, start
from support.peers import absent
from support.usi_client import ROOT, until

pytestmark = pytest.mark.slow

WORKERS, GAMES = 3, 80
MATCH = f"-engine name=one -engine name=two option.USI_Hash=1 -each nodes=60 -games {GAMES}".split()


@pytest.fixture
def cluster(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Yield a cluster. `request.param` is (workers, threads of each worker); the default is several workers with one
    thread."""
    workers, threads = getattr(request, "param", (WORKERS, 1))
    try:
        distributed = importlib.import_module("distributed")
    except ModuleNotFoundError:
        absent("distributed")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    folder = str(tmp_path / "dask")
    with distributed.LocalCluster(
        n_workers=workers, threads_per_worker=threads, dashboard_address=":0", local_directory=folder
    ) as started:
        yield started


@pytest.mark.long
def test_games_of_a_lost_worker_are_played_again_once(cluster: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    process = start(tmp_path, *MATCH, "-out", path.name, "--cluster", cluster.scheduler_address)
    until(lambda: lines(path) > 15, 120)
    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0, out
    assert [record["game"] for record in read_games(path)] == list(range(GAMES))
    # It makes no difference where games are played.
    finish(tmp_path, *MATCH, "-concurrency", "2", "-out", "here.jsonl")
    assert lasting(read_games(path)) == lasting(read_games(tmp_path / "here.jsonl"))


@pytest.mark.long
def test_a_tuning_on_a_cluster_equals_a_local_one(cluster: Any, tmp_path: Path) -> None:
    words = "dobutsu --positions 6000 --nodes 40 --games 12 --match-nodes 40 --date 2026-01-31".split()
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
    for path, other_path in zip(far_games, here_games):  # no games if the fit found nothing better
        assert lasting(read_games(path)) == lasting(read_games(other_path))


def random_game(plies: int, seed: int) -> str:
    """Return a random game as a line with SFEN and moves."""
    position, rng = new_position("minishogi"), random.Random(seed)
    start, moves = position.sfen(), list[str]()
    while len(moves) < plies and position.outcome() is None:
        moves.append(rng.choice(position.legal_moves()))
        position.push(moves[-1])
    return f"sfen {start} moves {' '.join(moves)}\n"


@pytest.mark.long
@pytest.mark.parametrize("cluster", [(1, 2)], indirect=True)
def test_an_analysis_on_a_cluster_equals_a_local_one(cluster: Any, tmp_path: Path) -> None:
    """An analysis by two threads of one worker equals a local one. After a kill, finished games are not analysed
    again."""
    (tmp_path / "games.sfen").write_text(random_game(4, 1) + random_game(60, 2) + random_game(20, 3))
    words = ["games.sfen", "--nodes", "4000"]
    finish(tmp_path, *words, "-o", "here.kifu", command="analyse")
    far = [*words, "--cluster", cluster.scheduler_address, "-o", "far.kifu"]
    process, part = start(tmp_path, *far, command="analyse"), tmp_path / "far.kifu.1.part"
    until(lambda: lines(part) >= 6, 120, process)
    process.kill()
    process.communicate()
    before = part.stat().st_mtime_ns
    (tmp_path / "kept").hardlink_to(part)
    told = finish(tmp_path, *far, command="analyse")
    assert "game 3, White" in told and (tmp_path / "kept").stat().st_mtime_ns == before
    assert not list(tmp_path.glob("*.part"))
    for ending in ("-001.kifu", "-002.kifu", "-003.kifu", ".html"):
        assert (tmp_path / f"far{ending}").read_text() == (tmp_path / f"here{ending}").read_text()


@pytest.mark.parametrize("address", ["nowhere", "tcp://127.0.0.1:9"])
def test_a_missing_cluster(address: str, tmp_path: Path) -> None:
    (tmp_path / "game.sfen").write_text(random_game(2, 1))
    analyse = ["game.sfen", "--cluster", address]
    for command, words in (("match", [*MATCH, "-out", "m.jsonl", "--cluster", address]), ("analyse", analyse)):
        told = finish(tmp_path, *words, code=1, command=command)
        assert told.startswith(f"{command}: ") and address in told and told.count("\n") == 1
