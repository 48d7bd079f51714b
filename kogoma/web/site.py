"""The static site: the page's files as they lie in this package, the games, and a list of all of it with hashes.

The site's root stands for the folder web/, so modules find each other there as in the checkout.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path

from kogoma.rules.variants import Variant
from kogoma.web.games_folder import built_games
from kogoma.web.page_files import page_files

LIST, WORKER = "files.json", "service_worker.js"
FORMAT = 1

Files = dict[str, bytes]  # by their paths from the site's root


def write_site(folder: Path, variants: Iterable[Variant], tell: Callable[[str], None]) -> None:
    """Write the whole site into a folder. `tell` is given a line for everything that takes time.

    KernelError where the kernels can't be built, OSError where the folder can't be written. The same sources give the
    same bytes.
    """
    for name, content in with_list({**page_files(), **built_games(variants, tell)}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def with_list(site: Files) -> Files:
    """The files and `files.json`: the site's version, and the SHA-256 of every file that the page may ask for.

    The version, a hash of all of it, is set in the service worker's last line: a browser takes up a new worker only if
    its bytes are others, and a worker has to know which version's files it keeps.
    """
    hashes = {name: _hash(content) for name, content in sorted(site.items())}
    version = _hash(json.dumps(hashes).encode())[:16]
    listed = dict(site)
    if hashes.pop(WORKER, None):
        listed[WORKER] += f'self.version = "{version}";\n'.encode()
    text = json.dumps({"format": FORMAT, "version": version, "files": hashes}, indent=0)
    return {**listed, LIST: f"{text}\n".encode()}


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
