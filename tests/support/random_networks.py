"""Random networks in a folder of weights. The environment variable KOGOMA_WEIGHTS names the folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from kogoma.eval.features import Features
from kogoma.eval.game import default_game
from kogoma.eval.network_file import BESIDES, Layers, save_network
from kogoma.eval.weights import load, load_cached
from kogoma.rules.layout import NEURONS
from kogoma.rules.variants import Variant
from kogoma.search.game import search_game


def random_network(variant: Variant) -> Layers:
    """Return a random network whose numbers resemble those of a trained network. Some accumulators are below 0, some
    are between 0 and 1, and some are above 1. The network outputs are some hundred centipawns."""
    features, rng = Features(variant).count, np.random.default_rng(len(variant.pieces))
    rows = np.zeros((features + BESIDES, NEURONS))
    rows[:features] = rng.normal(0, 30, (features, NEURONS))
    rows[-3] = rng.normal(60, 60, NEURONS)
    rows[-2:] = rng.normal(0, 300, (2, NEURONS))
    return Layers(np.rint(rows).astype(np.int16), 17)


def write_weights(folder: Path, *variants: Variant) -> None:
    """For each variant, write a file of weights and a file with a random network into `folder`."""
    for variant in variants:
        data = {**load(variant, network=False), "network": f"{variant.name}.network.xz"}
        all_terms = len(variant.name) % 2 == 0  # so that both kinds of networks are written
        save_network(folder / data["network"], Features(variant), random_network(variant), 7, all_terms, {})
        (folder / f"{variant.name}.json").write_text(json.dumps(data), encoding="utf-8")


@contextmanager
def networks_in_use(folder: Path, *variants: Variant) -> Iterator[None]:
    """Within the context, let this process and the processes that it starts use random networks for the variants."""
    write_weights(folder, *variants)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("KOGOMA_WEIGHTS", str(folder))
            forget_weights()
            yield
    finally:
        forget_weights()


def forget_weights() -> None:
    """Clear the caches of everything that depends on the weights, or contains the address of a network."""
    for cached in (load_cached, default_game, search_game):
        cached.cache_clear()
