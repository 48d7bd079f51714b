"""A dask cluster on this machine."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from support.peers import absent
from support.usi_client import ROOT

WORKERS = 3


@pytest.fixture
def cluster(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Yield a dask cluster. `request.param` is (number of workers, threads per worker). The default is WORKERS workers
    with one thread each."""
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
