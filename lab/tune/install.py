"""Fitted weights as files: the variant's JSON, and the file of tables that it names (`eval.weights`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eval.tables import Features, save_tables
from eval.weights import path_of
from lab.tune.fit import Fitted
from rules.variants import Variant


def write_weights(folder: Path, variant: Variant, fitted: Fitted, provenance: dict[str, Any]) -> list[Path]:
    """Write the weights of now with these tables into a folder, which may be that of the weights of now; the files.
    `provenance` tells what they were fitted to: it stands in the file of tables. OSError."""
    old = path_of(variant)
    name = variant.name if old is None else old.stem
    text = "{\n}\n" if old is None else old.read_text(encoding="utf-8")
    tables, weights = folder / f"{name}.tables.xz", folder / f"{name}.json"
    if '"relations"' not in text:
        comma = "" if old is None else ","
        text = text.replace("{\n", f'{{\n  "relations": "{tables.name}"{comma}\n', 1)
    folder.mkdir(parents=True, exist_ok=True)
    told = {"scale": round(fitted.scale), "before": round(fitted.before, 5), "after": round(fitted.after, 5)}
    save_tables(tables, Features(variant), fitted.tables, fitted.tempo, {**provenance, **told})
    unfinished = weights.with_suffix(".part")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(weights)
    return [weights, tables]
