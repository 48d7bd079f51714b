"""The games' files, built once for the same sources: they are kept beside the native objects in the user's cache."""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from pathlib import Path

from kogoma.eval.weights import path_of
from kogoma.native.cache.folders import alone, keep, read
from kogoma.rules.own.writer import identity
from kogoma.rules.variants import FILES, Variant
from kogoma.web.games_folder import write_games

SOURCES = ("native", "rules", "eval", "search", "web")  # packages of which the games are made
KINDS = (".py", ".json", ".xz")
GIVEN = ("KOGOMA_WEIGHTS", "KOGOMA_MARGINS")  # a folder and a file that stand for those of the sources


def built_games(variants: Iterable[Variant], tell: Callable[[str], None]) -> dict[str, bytes]:
    """What `write_games` writes, by paths from the site's root. KernelError."""
    wanted = tuple(variants)
    name = _name(wanted)
    packed = read(name, tell)
    if packed is None:
        with alone(name, tell) as folder:
            packed = read(name, tell)  # by the one who was waited for
            if packed is None:
                packed = _pack(wanted, tell)
                keep(folder, {name: packed}, tell)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return {entry: archive.read(entry) for entry in archive.namelist()}


def is_built(variants: Iterable[Variant]) -> bool:
    """Whether `built_games` has nothing to build."""
    return read(_name(tuple(variants)), lambda text: None) is not None


def _name(variants: tuple[Variant, ...]) -> str:
    return f"games-{_key(variants)}.zip"


def _pack(variants: tuple[Variant, ...], tell: Callable[[str], None]) -> bytes:
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(packed, "w") as archive:
        folder = Path(name)
        write_games(folder, variants, tell)
        for path in _files(folder):
            archive.write(path, path.relative_to(folder).as_posix())
    return packed.getvalue()


def _key(variants: tuple[Variant, ...]) -> str:
    """A hash of all that the files depend on."""
    found = hashlib.sha256()
    games = [f"{variant.name} {identity(variant)}" for variant in variants]
    for part in (*games, *map(version, ("kogoma", "numba", "llvmlite"))):
        found.update(f"{part}\n".encode())
    project = Path(__file__).parents[1]
    paths = [path for package in SOURCES for path in _files(project / package) if path.suffix in KINDS]
    for given in filter(None, map(os.environ.get, GIVEN)):
        paths += _files(Path(given)) if Path(given).is_dir() else [Path(given)]
    for weights in (path_of(variant) for variant in variants if variant.name in FILES):
        paths += [weights, weights.with_suffix(".relations.xz")] if weights else []
    for path in paths:
        content = path.read_bytes() if path.is_file() else b""
        found.update(f"{path.name} {len(content)}\n".encode() + content)
    return found.hexdigest()[:16]


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())
