"""Random tables of relations, such as a fit gives, in a folder of weights that `KOGOMA_WEIGHTS` can name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from kogoma.arena.export import python_flavor
from kogoma.eval.relation_table import Features, Table, save_table
from kogoma.eval.weights import load, load_cached, tuned
from kogoma.rules.variants import Variant
from kogoma.search.worker import search_rules


def random_table(variant: Variant) -> Table:
    """Three in ten of the pairs count, mostly a few centipawns, a few of them hundreds."""
    features, rng = Features(variant), np.random.default_rng(len(variant.pieces))
    n = features.count

    def drawn(shape: tuple[int, ...], share: float, scale: float) -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
        values = np.rint(rng.laplace(0, scale, shape)) * (rng.random(shape) < share)
        return values.clip(-700, 700).astype(np.int16)

    lower = np.tril(drawn((n, n), 0.3, 9), -1)
    rare = rng.random((n, n)) < 0.002
    lower = np.where(np.tril(rare, -1), lower * 20, lower).astype(np.int16)
    return lower + lower.T


def write_weights(folder: Path, *variants: Variant) -> None:
    """The variants' weights, with random tables."""
    for variant in variants:
        data = {name: value for name, value in load(variant).items() if name != "table"}
        data["relations"] = f"{variant.name}.relations.xz"
        save_table(folder / data["relations"], Features(variant), random_table(variant), 7, {})
        (folder / f"{variant.name}.json").write_text(json.dumps(data), encoding="utf-8")


@contextmanager
def tables_in_use(folder: Path, *variants: Variant) -> Iterator[None]:
    """This process plays the variants with random tables, and so do those that it starts."""
    write_weights(folder, *variants)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("KOGOMA_WEIGHTS", str(folder))
            _forget()
            yield
    finally:
        _forget()


def _forget() -> None:
    """What is load_cached of weights is read anew."""
    for cached in (load_cached, tuned, search_rules, python_flavor._kernels):
        cached.cache_clear()
