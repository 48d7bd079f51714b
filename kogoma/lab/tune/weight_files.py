"""Fitted weights as files: the variant's JSON, and the table that it names (`eval.weights`)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from kogoma.eval.relation_table import Features, TableError, load_table, save_table
from kogoma.eval.weights import family, load, path_of
from kogoma.lab.journals.journal import replace_file, told_as
from kogoma.lab.tune.fit import Fitted
from kogoma.lab.tune.positions import scaled
from kogoma.lab.tune.store import DataError
from kogoma.rules.variants import Variant

RELATIONS = re.compile(r'"relations":\s*"[^"]*"')


def files_of(variant: Variant) -> tuple[str, str]:
    """Names of the files that a variant's weights are written to, JSON and table: its own, if it has them; otherwise
    those of the first of its family, so that games with the same pieces share them, but not those with a die with those
    without."""
    old = path_of(variant)
    name = variant.name if old is not None and old.stem == variant.name else family(variant)[1].name
    return f"{name}.json", f"{name}.relations.xz"


def write_weights(folder: Path, variant: Variant, fitted: Fitted, provenance: dict[str, Any]) -> list[Path]:
    """Write the weights of now, their terms times the factors that were fitted, with this table into a folder; the
    files. `provenance` tells what it was fitted to: it stands in the table's file. DataError."""
    old = path_of(variant)
    weights, table = (folder / name for name in files_of(variant))
    named = f'"relations": "{table.name}"'
    with told_as(DataError, f"write {weights}"):
        text = "{}\n" if old is None else old.read_text(encoding="utf-8")
        if fitted.factors:
            text = text_of({**scaled(load(variant, relations=False), fitted.factors), "relations": table.name})
        elif RELATIONS.search(text):
            text = RELATIONS.sub(named, text)
        else:
            comma = "" if old is None else ","
            text = re.sub(r"\{\s*", f"{{\n  {named}{comma}\n" + "  " * (old is not None), text, count=1)
        folder.mkdir(parents=True, exist_ok=True)
        save_table(table, Features(variant), fitted.table, fitted.tempo, provenance)
        replace_file(weights, text.encode())
    return [weights, table]


def text_of(data: dict[str, Any]) -> str:
    """Weights as the text of their file: a line for each term, and for each row of squares."""
    lines = []
    for name, value in data.items():
        text = json.dumps(value)
        if name == "square":
            tables = (f"    {json.dumps(letter)}: {_rows(rows)}" for letter, rows in value.items())
            text = "{\n" + ",\n".join(tables) + "\n  }"
        lines.append(f"  {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _rows(rows: list[list[int]]) -> str:
    return "[\n" + ",\n".join(f"      {row}" for row in rows) + "\n    ]"


def provenance_in(folder: Path, variant: Variant) -> dict[str, Any] | None:
    """What a folder's table says of itself; None if the folder does not hold whole weights."""
    weights, table = (folder / name for name in files_of(variant))
    try:
        return load_table(table, Features(variant))[1] if weights.is_file() else None
    except TableError:
        return None


def contents(folder: Path, variant: Variant) -> list[bytes]:
    """What stands in the files of weights of a folder; DataError."""
    try:
        return [(folder / name).read_bytes() for name in files_of(variant)]
    except OSError as error:
        raise DataError(f"cannot read {error.filename}: {error.strerror}") from None


def is_installed(candidate: Path, folder: Path, variant: Variant) -> bool:
    """Whether a folder holds the very weights of another."""
    there = all((folder / name).is_file() for name in files_of(variant))
    return there and contents(folder, variant) == contents(candidate, variant)


def install(candidate: Path, folder: Path, variant: Variant) -> list[Path]:
    """Copy weights from a folder into another, the table first, so that the JSON never names what is not there; the
    files. DataError."""
    paths = [folder / name for name in files_of(variant)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, data in reversed(list(zip(paths, contents(candidate, variant)))):
            replace_file(path, data)
    except OSError as error:
        raise DataError(f"cannot write {error.filename}: {error.strerror}; -o names another folder") from None
    return paths
