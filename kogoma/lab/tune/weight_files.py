"""Files of fitted weights: the JSON of a variant, and the network that it names (`eval.weights`)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from kogoma.eval.features import Features
from kogoma.eval.network_file import WeightsError, load_network, save_network
from kogoma.eval.weights import family, path_of
from kogoma.lab.journals.journal import raising
from kogoma.lab.tune.fit import Fitted
from kogoma.lab.tune.store import DataError
from kogoma.output_file import reason, write_file
from kogoma.rules.variants import Variant

NETWORK = re.compile(r'"network":\s*"[^"]*"')


def files_of(variant: Variant) -> tuple[str, str]:
    """Return the names of the JSON file and the network file to which a variant's weights are written. These are the
    variant's own files if it has them, otherwise those of the first variant of its family. A family is a group of
    variants with the same pieces, which share weights; variants with a die form families of their own."""
    old = path_of(variant)
    name = variant.name if old is not None and old.stem == variant.name else family(variant)[1].name
    return f"{name}.json", f"{name}.network.xz"


def write_weights(folder: Path, variant: Variant, fitted: Fitted, provenance: dict[str, Any]) -> list[Path]:
    """Write the fitted network to a folder, and the current weights, which are to name it, to a JSON file beside it.
    Return the paths. `provenance` is written to the head of the network. Raises DataError if a file cannot be
    written."""
    old = path_of(variant)
    weights, network = (folder / name for name in files_of(variant))
    named = f'"network": "{network.name}"'
    with raising(DataError, f"write {weights}"):
        text = "{}\n" if old is None else old.read_text(encoding="utf-8")
        if NETWORK.search(text):
            text = NETWORK.sub(named, text)
        else:
            others = bool(json.loads(text))
            text = re.sub(r"\{\s*", f"{{\n  {named}{',' * others}\n" + "  " * others, text, count=1)
        folder.mkdir(parents=True, exist_ok=True)
        save_network(network, Features(variant), fitted.layers, fitted.tempo, fitted.all_terms, provenance)
        write_file(weights, text.encode())
    return [weights, network]


def provenance_in(folder: Path, variant: Variant) -> dict[str, Any] | None:
    """Return the head of the network in a folder, or None if the folder has no complete weights."""
    weights, network = (folder / name for name in files_of(variant))
    try:
        return load_network(network, Features(variant))[1] if weights.is_file() else None
    except WeightsError:
        return None


def contents(folder: Path, variant: Variant) -> list[bytes]:
    """Return the contents of the weight files in a folder. Raises DataError if a file cannot be read."""
    try:
        return [(folder / name).read_bytes() for name in files_of(variant)]
    except OSError as error:
        raise DataError(f"cannot read {error.filename}: {reason(error)}") from None


def is_installed(candidate: Path, folder: Path, variant: Variant) -> bool:
    """Return whether the weight files in `folder` have the same contents as those in `candidate`."""
    there = all((folder / name).is_file() for name in files_of(variant))
    return there and contents(folder, variant) == contents(candidate, variant)


def install(candidate: Path, folder: Path, variant: Variant) -> list[Path]:
    """Copy the weight files from `candidate` to `folder`, and return the new paths. The network is copied first, so
    that the JSON file never names a missing network. Raises DataError if a file cannot be read or written."""
    paths = [folder / name for name in files_of(variant)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, data in reversed(list(zip(paths, contents(candidate, variant)))):
            write_file(path, data)
    except OSError as error:
        raise DataError(f"cannot write {error.filename}: {reason(error)}; name another folder with -o") from None
    return paths
