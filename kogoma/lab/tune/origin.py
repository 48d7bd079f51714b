"""What data and a table come from, as short digests: other sources or other weights give other ones."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Any

import numpy as np

from kogoma.eval.weights import load, loaded, records, tuned
from kogoma.native.object_file import source_text, sources
from kogoma.rules.variants import Variant

DIGITS = 16  # hexadecimal ones of a digest


@cache
def engine_digest() -> str:
    """Of the sources of rules, evaluation and search."""
    digest = hashlib.sha256()
    for module in sources(("kogoma.search.searcher",)):
        digest.update(source_text(module).encode())
    return digest.hexdigest()[:DIGITS]


def weights_digest(variant: Variant) -> str:
    """Of all that the evaluation is told, the table included."""
    table = loaded(variant).get("table")
    return _digest(*tuned(variant), *([] if table is None else [table]))


def terms_digest(variant: Variant) -> str:
    """The same without the table, and without the tempo that goes with it."""
    return _digest(*records(variant, load(variant, relations=False)))


def _digest(rules: np.ndarray[Any, Any], weights: np.ndarray[Any, Any], *table: np.ndarray[Any, Any]) -> str:
    weights = weights.copy()
    weights["pair_table"] = 0  # an address, which is another one in every process
    digest = hashlib.sha256()
    for array in (rules, weights, *table):
        digest.update(array.tobytes())
    return digest.hexdigest()[:DIGITS]


def text_digest(value: Any) -> str:
    """Of anything that JSON can hold."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:DIGITS]
