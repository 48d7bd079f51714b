"""The static site: the page's files, the games, and `files.json`, a list of all files with hashes.

The site's root corresponds to the folder web/, so relative imports of modules work in both.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from kogoma.output_file import write_file
from kogoma.rules.variants import Variant
from kogoma.search.tablebase.dobutsu.blocks import block_count, block_name, blocks_folder, packed_block
from kogoma.web.bundle import bundled
from kogoma.web.modules import page_files
from kogoma.web.released_games import released_games

INDEX, LIST, WORKER = "games/index.json", "files.json", "service_worker.js"
FORMAT = 1

Files = dict[str, bytes]  # contents by paths from the site's root


def write_site(
    folder: Path,
    variants: Iterable[Variant],
    tell: Callable[[str], None],
    tablebases: Mapping[Variant, Any] | None = None,
) -> None:
    """Write the whole site into a folder. `tell` is called with a line before each slow step. `tablebases` are the
    values of tablebases to add, by variant. The files depend only on the sources. Raises KernelError if the kernels
    cannot be built, and OSError if the folder cannot be written."""
    wanted = tuple(variants)
    games = released_games(wanted, tell)
    if games is None:
        from kogoma.web.games_folder import built_games, built_later  # imports numba

        games = built_games(wanted, tell) | built_later(wanted, tell)
    if tablebases:
        index = {**json.loads(games[INDEX]), "tablebases": {game.name: blocks_folder(game) for game in tablebases}}
        games[INDEX] = json.dumps(index, separators=(",", ":")).encode()
    for name, content in with_list(bundled({**page_files(), **games})).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, content)
    for variant, values in (tablebases or {}).items():
        tell(f"writing the tablebase of {variant.name}")
        (folder / blocks_folder(variant)).mkdir(parents=True)
        for number in range(block_count(values)):
            (folder / block_name(variant, number)).write_bytes(packed_block(values, number))


def with_list(site: Files) -> Files:
    """Return the site's files and `files.json`, which holds the site's version and the SHA-256 of every file that the
    page may request. The version is a hash of all files. It is also appended to the service worker, because a browser
    installs a new worker only if the worker's bytes differ, and a worker must know the version of the files that it
    caches."""
    hashes = {name: _hash(content) for name, content in sorted(site.items())}
    version = _hash(json.dumps(hashes).encode())[:16]
    listed = dict(site)
    if hashes.pop(WORKER, None):
        listed[WORKER] += f'self.version = "{version}";\n'.encode()
    text = json.dumps({"format": FORMAT, "version": version, "files": hashes}, indent=0)
    return {**listed, LIST: f"{text}\n".encode()}


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
