"""The games as files for a web page: an index, each game's data, and the WebAssembly that plays it.

`games/index.json` tells what there is. A file's name holds a part of its content's hash, so that a page that has a file
never asks for it again, and never mixes two versions. What was built once for the same sources is kept beside the
native objects in the user's cache.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kogoma.eval.weights import path_of
from kogoma.native.cache.folders import alone, keep, read
from kogoma.native.library import Library
from kogoma.native.object_file import KernelError
from kogoma.native.wasm import wasm_module
from kogoma.rules.custom.writer import identity
from kogoma.rules.onitama_cards import CARDS
from kogoma.rules.variants import FILES, Variant
from kogoma.search.levels import LEVELS
from kogoma.search.library import warmup
from kogoma.search.parameters import values as parameters
from kogoma.web.game_data import game_data, libraries_of

FORMAT = 1  # of index.json
HASH = 12  # digits of a hash in a file's name
NAMED = re.compile(rf"[a-z0-9-]+\.[0-9a-f]{{{HASH}}}\.(gz|wasm)")

# What the games are made of: packages, and a folder and a file that stand for those of the sources.
SOURCES, KINDS = ("native", "rules", "eval", "search", "web"), (".py", ".json", ".xz")
GIVEN = ("KOGOMA_WEIGHTS", parameters.GIVEN)

Tell = Callable[[str], None]


def built_games(variants: Iterable[Variant], tell: Tell) -> dict[str, bytes]:
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


def write_games(folder: Path, variants: Iterable[Variant], tell: Tell) -> None:
    """Write games/index.json, games/NAME.HASH.gz and kernels/LAYOUT.HASH.wasm into the folder, which is made if need
    be; such files of another version are deleted. The same bytes for the same sources and linker.

    `tell` hears what takes long. KernelError where kernels can't be built or linked, OSError where a file can't be
    written."""
    if parameters.tuning():
        raise KernelError(f"a page can't read search parameters: unset {parameters.GIVEN}")
    games = list(dict.fromkeys(variants))
    warmup(tell, *games)
    for name in ("games", "kernels"):
        Path(folder, name).mkdir(parents=True, exist_ok=True)
    modules: dict[tuple[Library, Library], dict[str, str]] = {}
    entries = []
    for variant in games:
        libraries = libraries_of(variant)
        if libraries not in modules:
            modules[libraries] = _write_kernels(folder, libraries, tell)
        packed = packed_data(variant)
        data = {"data": _write(folder, "games", variant.name, "gz", packed), "dataBytes": len(packed)}
        entries.append({**_described(variant), **data, **modules[libraries]})
    index = {
        "format": FORMAT,
        "version": version("kogoma"),
        "games": entries,
        "cards": [[card.name, card.moves] for card in CARDS],
        "levels": LEVELS,
        "server": None,
    }
    Path(folder, "games", "index.json").write_text(json.dumps(index, separators=(",", ":")), encoding="utf-8")
    _delete_others(folder, {str(value) for entry in entries for value in entry.values()})


def packed_data(variant: Variant) -> bytes:
    """What JavaScript needs of a game besides its kernels, in gzip's format: description as JSON, rules, weights and
    tables, each with its length in four bytes (little endian) before it."""
    data = game_data(variant)
    described = json.dumps(data.description, separators=(",", ":")).encode()
    parts = (described, data.rules, data.weights, data.tables)
    return gzip.compress(b"".join(len(part).to_bytes(4, "little") + part for part in parts), 9, mtime=0)


def _write_kernels(folder: Path, libraries: tuple[Library, Library], tell: Tell) -> dict[str, str]:
    """The kernels that play some games: for one thread, and for several in one memory."""
    _, search = libraries
    name = f"{search.name}-{search.layout}"
    tell(f"translating {name} to WebAssembly")
    return {
        "kernels": _write(folder, "kernels", name, "wasm", wasm_module(libraries)),
        "shared": _write(folder, "kernels", f"{name}-shared", "wasm", wasm_module(libraries, shared=True)),
    }


def _described(variant: Variant) -> dict[str, Any]:
    """What a page has to know of a game before it has loaded it."""
    letters = [piece.letter for piece in variant.pieces]
    return {
        "name": variant.name,
        "files": variant.files,
        "ranks": variant.ranks,
        "order": "".join(letter for letter in reversed(letters) if len(letter) == 1),
        "letters": letters,
        "start": variant.start,
        "die": variant.die.name.lower(),
        "cards": variant.cards,
        "anySetUp": variant.any_set_up,
        "kingCapture": variant.king_capture,
        "maxPlies": variant.max_plies,
    }


def _write(folder: Path, where: str, name: str, ending: str, content: bytes) -> str:
    """Write a file under a name that holds its hash; returns its path in the folder."""
    path = f"{where}/{name}.{hashlib.sha256(content).hexdigest()[:HASH]}.{ending}"
    Path(folder, path).write_bytes(content)
    return path


def _delete_others(folder: Path, used: set[str]) -> None:
    """Delete what an earlier call has written and this one has not."""
    for where in ("games", "kernels"):
        for path in Path(folder, where).iterdir():
            if NAMED.fullmatch(path.name) and f"{where}/{path.name}" not in used:
                path.unlink()


def _pack(variants: tuple[Variant, ...], tell: Tell) -> bytes:
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(packed, "w") as archive:
        folder = Path(name)
        write_games(folder, variants, tell)
        for path in _files(folder):
            archive.write(path, path.relative_to(folder).as_posix())
    return packed.getvalue()


def _name(variants: tuple[Variant, ...]) -> str:
    """What the games are called in the cache: by a hash of all that the files depend on."""
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
    return f"games-{found.hexdigest()[:16]}.zip"


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())
