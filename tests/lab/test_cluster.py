"""Games and positions on the worker processes of a dask cluster, one of which is killed."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kogoma.rules.position import new_position
from support.clusters import cluster
from support.lab_runs import finish, lasting, lines, read_games, start
from support.peers import absent, find_program
from support.usi_client import ROOT, until

pytestmark = pytest.mark.slow

__all__ = ["cluster"]  # a fixture

GAMES = 48
MATCH = f"-engine name=one -engine name=two option.USI_Hash=1 -each nodes=60 -games {GAMES}".split()


@pytest.mark.long
def test_games_of_a_lost_worker_are_played_again_once(cluster: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    process = start(tmp_path, *MATCH, "-out", path.name, "--cluster", cluster.scheduler_address)
    until(lambda: lines(path) > 15, 120)
    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0, out
    assert [record["game"] for record in read_games(path)] == list(range(GAMES))
    # A match without a cluster must give the same games.
    finish(tmp_path, *MATCH, "-concurrency", "2", "-out", "here.jsonl")
    assert lasting(read_games(path)) == lasting(read_games(tmp_path / "here.jsonl"))


def random_game(plies: int, seed: int) -> str:
    """Return a line with the start position (as SFEN) and the moves of a random game."""
    position, rng = new_position("minishogi"), random.Random(seed)
    start, moves = position.sfen(), list[str]()
    while len(moves) < plies and position.outcome() is None:
        moves.append(rng.choice(position.legal_moves()))
        position.push(moves[-1])
    return f"sfen {start} moves {' '.join(moves)}\n"


@pytest.mark.long
@pytest.mark.parametrize("cluster", [(1, 2)], indirect=True)
def test_an_analysis_on_a_cluster_equals_a_local_one(cluster: Any, tmp_path: Path) -> None:
    """Check that an analysis by two threads of one worker equals a local analysis. If the command is killed and started
    again, it must not analyse finished games again."""
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


@pytest.mark.long
@pytest.mark.parametrize("address", ["nowhere", "tcp://127.0.0.1:9"])
def test_a_missing_cluster(address: str, tmp_path: Path) -> None:
    (tmp_path / "game.sfen").write_text(random_game(2, 1))
    analyse = ["game.sfen", "--cluster", address]
    for command, words in (("match", [*MATCH, "-out", "m.jsonl", "--cluster", address]), ("analyse", analyse)):
        told = finish(tmp_path, *words, code=1, command=command)
        assert told.startswith(f"{command}: ") and address in told and told.count("\n") == 1


def certificate(folder: Path, name: str) -> list[str]:
    """Create a self-signed certificate with the command in docs/matches.md. Return the command-line options that make
    dask use this certificate."""
    if (openssl := find_program("openssl")) is None:
        absent("openssl")
    key, cert = (str(folder / f"{name}-{what}.pem") for what in ("key", "cert"))
    command = [openssl, *"req -x509 -newkey rsa:3072 -nodes -days 365 -subj /CN=kogoma".split()]
    subprocess.run([*command, "-keyout", key, "-out", cert], check=True, capture_output=True)
    return ["--tls-ca-file", cert, "--tls-cert", cert, "--tls-key", key]


def as_settings(options: list[str]) -> dict[str, str]:
    """Convert the command-line options that `certificate` returns to environment variables for `match`. Return these
    variables."""
    ca, cert, key = options[1::2]
    names = ("CA_FILE", "CLIENT__CERT", "CLIENT__KEY")
    return {f"DASK_DISTRIBUTED__COMM__TLS__{name}": value for name, value in zip(names, (ca, cert, key))}


def listening(pid: int) -> set[str]:
    """Return the addresses at which a process and its children listen for connections. The program `ss` lists them."""
    if (ss := find_program("ss")) is None:
        absent("ss")
    pids = [pid]
    for each in pids:
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            pids += map(int, task.read_text().split())
    shown = subprocess.run([ss, "-Hltnp"], check=True, capture_output=True, text=True).stdout
    mine = [line for line in shown.splitlines() if any(f"pid={each}," in line for each in pids)]
    return {line.split()[3].rpartition(":")[0] for line in mine}


@contextlib.contextmanager
def dask_processes(folder: Path, options: list[str]) -> Iterator[str]:
    """Start a dask scheduler and a dask worker as docs/matches.md describes. Both use TLS, and listen only on
    127.0.0.1. Yield the scheduler's address."""
    dask = [sys.executable, "-m", "dask"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    file, host = folder / "scheduler.json", ["--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(open(folder / "dask.log", "w"))

        def begin(*command: str) -> subprocess.Popen[str]:
            line = [*dask, *command, *host, *options]
            process = subprocess.Popen(line, env=environment, cwd=folder, stderr=log, text=True)
            stack.callback(process.wait, 60)
            stack.callback(process.terminate)
            return process

        scheduler = begin("scheduler", "--protocol", "tls", "--port", "0", "--scheduler-file", str(file))
        until(file.exists, 60, scheduler)
        address: str = json.loads(file.read_text())["address"]
        worker = begin("worker", address, "--nthreads", "1")
        until(lambda: "Starting established connection" in (folder / "dask.log").read_text(), 60, worker)
        assert listening(scheduler.pid) | listening(worker.pid) == {"127.0.0.1"}
        yield address


@pytest.mark.long
def test_a_cluster_with_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that neither a match nor another client can connect to the cluster without the cluster's certificate. A
    match with this certificate must work."""
    distributed = pytest.importorskip("distributed")
    ours, others = certificate(tmp_path, "ours"), certificate(tmp_path, "others")
    with dask_processes(tmp_path, ours) as address:
        assert address.startswith("tls://127.0.0.1:")
        words = "-engine name=one -engine name=two -each nodes=20 -games 2 --cluster".split()
        for settings in ({}, as_settings(others)):
            with monkeypatch.context() as patch:
                for name, value in settings.items():
                    patch.setenv(name, value)
                told = finish(tmp_path, *words, address, code=1)
            assert told.startswith("match: ") and address in told and told.count("\n") == 1, told
        for options in (others, ["--tls-ca-file", ours[1], "--tls-cert", others[3], "--tls-key", others[5]]):
            names = ("tls_ca_file", "tls_client_cert", "tls_client_key")
            security = distributed.Security(**dict(zip(names, options[1::2])))
            with pytest.raises(OSError):
                distributed.Client(address, security=security, timeout=2, set_as_default=False)
        with pytest.raises(OSError):
            distributed.Client(address.replace("tls", "tcp"), timeout=2, set_as_default=False)
        for name, value in as_settings(ours).items():
            monkeypatch.setenv(name, value)
        finish(tmp_path, *words, address, "-out", "m.jsonl")
        assert len(read_games(tmp_path / "m.jsonl")) == 2
