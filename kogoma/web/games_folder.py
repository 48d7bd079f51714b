"""The games' files for a web page: an index, each game's data, and WebAssembly modules.

`games/index.json` lists the files; `games/mates.json` and `games/tablebases.json` list those of the mate solver and of
the tablebases, which the page loads when they are used. The names of the listed files contain a hash of the content, so
that browsers can cache them for ever and never mix two versions. The files are cached in the user's cache folder until
the sources change.
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
from kogoma.native.cache.folders import Tell, alone, read, write_cached
from kogoma.native.library import Library
from kogoma.native.object_file import ARCHIVE, MODULE, file_name, sources_digest
from kogoma.native.wasm import wasm_module
from kogoma.output_file import followed, write_file
from kogoma.rules.custom.writer import definition_digest
from kogoma.rules.library import rules_library
from kogoma.rules.notation import hand_order
from kogoma.rules.onitama_cards import CARDS
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.variants import CUSTOM_FILES, Variant, can_be_held
from kogoma.search.levels import levels_of
from kogoma.search.library import mate_library, tablebase_library, warmup
from kogoma.search.mate.solver import refusal
from kogoma.search.parameters import GIVEN as GIVEN_PARAMETERS
from kogoma.search.tablebase.dobutsu.replies import replies
from kogoma.search.tablebase.dobutsu.tables import suits
from kogoma.search.winning_chance import DOUBTS, LOSSES, MISSED_MATE, MISTAKES, MOST, PHASES, scale_of
from kogoma.version import __version__
from kogoma.web.game_data import game_data, libraries_of, mate_data, tablebase_data
from kogoma.web.piece_faces import piece_faces
from kogoma.web.released_games import unpacked

FORMAT = 1  # of index.json
MATES, TABLEBASES = "games/mates.json", "games/tablebases.json"
HASH = 12  # hexadecimal digits of a hash in a file's name
FILE_NAME = re.compile(rf"[a-z0-9-]+\.[0-9a-f]{{{HASH}}}\.(gz|wasm)")

# Inputs of the build: packages and file extensions of sources, and environment variables that name other files.
SOURCES, KINDS = ("native", "rules", "eval", "search", "web"), (".py", ".json", ".xz", ".gz")
GIVEN = ("KOGOMA_WEIGHTS", GIVEN_PARAMETERS)

Write = Callable[[Path, Iterable[Variant], Tell], None]  # writes files of games into a folder


def built_games(variants: Iterable[Variant], tell: Tell) -> dict[str, bytes]:
    """Return the content of each file that `write_games` writes, by its path from the site's root. The files come from
    the cache if possible."""
    return _built("games", [write_games], tuple(variants), tell)


def built_later(variants: Iterable[Variant], tell: Tell) -> dict[str, bytes]:
    """Return the content of each file that the page loads later, as `built_games` does for the first ones: those that
    `write_mates` and `write_tablebases` write."""
    return _built("later", [write_mates, write_tablebases], tuple(variants), tell)


def _built(kind: str, writers: Iterable[Write], wanted: tuple[Variant, ...], tell: Tell) -> dict[str, bytes]:
    """Return the content of each file that `writers` write, from the cache if possible."""
    return unpacked(_cached(_name(kind, wanted), lambda: _packed(writers, wanted, tell), tell))


def _cached(name: str, make: Callable[[], bytes], tell: Tell) -> bytes:
    """Return the content of the cached file `name`. If it is missing, make and cache it."""
    content = read(name, tell)
    if content is None:
        with alone(name, tell) as folder:
            content = read(name, tell)  # another process may have made it meanwhile
            if content is None:
                content = make()
                write_cached(folder, {name: content}, tell)
    return content


def is_built(variants: Iterable[Variant]) -> bool:
    """Return whether the cache has the files of these games."""
    return read(_name("games", tuple(variants)), lambda text: None) is not None


def write_games(folder: Path, variants: Iterable[Variant], tell: Tell) -> None:
    """Write games/index.json, games/NAME.HASH.gz and kernels/LAYOUT.HASH.wasm, and delete files of other versions. The
    files depend only on the sources and the linker. `tell` is called with a line before each slow step. Raises
    KernelError if kernels cannot be built or linked, and OSError if a file cannot be written."""
    games = list(dict.fromkeys(variants))
    warmup(tell, *games)
    for name in ("games", "kernels"):
        followed(Path(folder, name)).mkdir(parents=True, exist_ok=True)
    modules: dict[tuple[Library, Library], dict[str, str]] = {}
    entries = []
    for variant in games:
        libraries = libraries_of(variant)
        if libraries not in modules:
            modules[libraries] = {
                "kernels": _write_kernels(folder, libraries, tell),
                "shared": _write_kernels(folder, libraries, tell, shared=True),  # for several threads
            }
        packed = packed_data(variant)
        data = {"data": _write(folder, "games", variant.name, "gz", packed), "dataBytes": len(packed)}
        entries.append({**_described(variant), **data, **modules[libraries]})
    index = {
        "format": FORMAT,
        "version": __version__,
        "games": entries,
        "cards": [[card.name, card.moves] for card in CARDS],
        "judging": judging(),
        "tablebases": {},
        "replies": [variant.name for variant in games if replies(variant)],
        "server": None,
    }
    write_file(Path(folder, "games", "index.json"), json.dumps(index, separators=(",", ":")))
    _delete_others(folder, {str(value) for entry in entries for value in entry.values()})


def write_mates(folder: Path, variants: Iterable[Variant], tell: Tell) -> None:
    """Write the files of the mate solver for those games that it supports: games/mates.json, games/NAME-mate.HASH.gz
    and kernels/mate-LAYOUT.HASH.wasm. Raises the errors that `write_games` raises."""
    games = [variant for variant in variants if refusal(variant) is None]
    _write_more(folder, MATES, "mate", games, mate_library, mate_data, tell)


def write_tablebases(folder: Path, variants: Iterable[Variant], tell: Tell) -> None:
    """Write what is needed to look up positions in the tablebases of the games that can have one, but not their values:
    games/tablebases.json, games/NAME-tablebase.HASH.gz and kernels/tablebase-LAYOUT.HASH.wasm. Also write the winning
    replies from the start, for pages without the values (games/NAME-replies.HASH.gz). Raises the errors that
    `write_games` raises."""

    def write_replies(variant: Variant) -> dict[str, str]:
        content = replies(variant)
        return {"replies": _write(folder, "games", f"{variant.name}-replies", "gz", content)} if content else {}

    games = [variant for variant in variants if suits(variant)]
    _write_more(folder, TABLEBASES, "tablebase", games, tablebase_library, tablebase_data, tell, write_replies)


def _write_more(
    folder: Path,
    index: str,
    kind: str,
    games: Iterable[Variant],
    library_of: Callable[[str], Library],
    data_of: Callable[[Variant], tuple[dict[str, Any], bytes]],
    tell: Tell,
    write_others: Callable[[Variant], dict[str, str]] = lambda variant: {},
) -> None:
    """Write files that some games need later, a file with the data of each game and modules of kernels, and the list of
    these files (`index`). `library_of` takes a layout. `write_others` writes more files of a game, and returns their
    paths."""
    for name in ("games", "kernels"):
        followed(Path(folder, name)).mkdir(parents=True, exist_ok=True)
    kernels: dict[str, str] = {}
    found = {}
    for variant in dict.fromkeys(games):
        layout = layout_of(variant)
        if layout not in kernels:
            libraries = rules_library(layout), library_of(layout)
            for library in libraries:
                library.build(tell)
            kernels[layout] = _write_kernels(folder, libraries, tell)
        data = _write(folder, "games", f"{variant.name}-{kind}", "gz", packed_parts(*data_of(variant)))
        found[variant.name] = {"kernels": kernels[layout], "data": data, **write_others(variant)}
    write_file(Path(folder, index), json.dumps(found, separators=(",", ":")))


def packed_data(variant: Variant) -> bytes:
    """Return a game's data in gzip format: description as JSON, struct and network."""
    data = game_data(variant)
    return packed_parts(data.description, data.struct, data.network)


def packed_parts(description: dict[str, Any], *contents: bytes) -> bytes:
    """Return a description as JSON and other contents in gzip format, each preceded by its length in 4 bytes (little
    endian)."""
    parts = (json.dumps(description, separators=(",", ":")).encode(), *contents)
    return gzip.compress(b"".join(len(part).to_bytes(4, "little") + part for part in parts), 9, mtime=0)


def _write_kernels(folder: Path, libraries: tuple[Library, Library], tell: Tell, shared: bool = False) -> str:
    """Write the WebAssembly module of these libraries, and return its path. It comes from the cache if possible: custom
    variants need no module of their own. With `shared`, several threads can use it."""
    name = f"{libraries[1].full_name}{'-shared' * shared}"
    inputs = (*(library.file_name for library in libraries), sources_digest(["kogoma.native.wasm"]))

    def make() -> bytes:
        tell(f"translating {name} to WebAssembly")
        return wasm_module(libraries, shared=shared)

    cached = file_name(name, hashlib.sha256("\n".join(inputs).encode()).hexdigest(), MODULE)
    return _write(folder, "kernels", name, "wasm", _cached(cached, make, tell))


def _described(variant: Variant) -> dict[str, Any]:
    """Return the entry of a game in the index: the fields that the page needs before it loads the game."""
    letters = [piece.letter for piece in variant.pieces]
    return {
        "name": variant.name,
        "files": variant.files,
        "ranks": variant.ranks,
        "order": hand_order(variant),
        "choices": variant.choices,
        "letters": letters,
        "placements": variant.placements,
        "held": "".join(piece.letter for piece in variant.pieces if can_be_held(variant, piece)),
        "faces": piece_faces(variant),
        "moves": moves_of(variant),
        "start": variant.start,
        "die": variant.die.name.lower(),
        "levels": levels_of(variant),
        "cards": variant.cards,
        "anySetUp": variant.any_set_up,
        "kingCapture": variant.king_capture,
        "maxPlies": variant.max_plies,
        "scale": scale_of(variant.name),
    }


def moves_of(variant: Variant) -> dict[str, str]:
    """Return how the pieces move, by letter, in few characters: two letters for each vector, the distances to the right
    and forward as letters after or before "n". Steps are in lower case, slides in upper case; the longest way of a
    short slide follows as a number."""

    def written(x: int, y: int) -> str:
        return chr(ord("n") + x) + chr(ord("n") + y)

    return {
        piece.letter: "".join(
            [
                *(written(*vector) for vector in piece.steps),
                *(written(*vector).upper() for vector in piece.slides),
                *(f"{written(x, y).upper()}{most}" for x, y, most in piece.short_slides),
            ]
        )
        for piece in variant.pieces
    }


def judging() -> dict[str, Any]:
    """Return the constants by which the page judges moves (page/review/judge.js)."""
    return {
        "mistakes": [*MISTAKES.items()],
        "missedMate": MISSED_MATE,
        "losses": LOSSES,
        "phases": PHASES,
        "doubts": [[MISTAKES[kind], times] for kind, times in DOUBTS.items()],
        "most": MOST,
    }


def _write(folder: Path, where: str, name: str, ending: str, content: bytes) -> str:
    """Write a file under a name that contains its hash, and return its path in the folder."""
    path = f"{where}/{name}.{hashlib.sha256(content).hexdigest()[:HASH]}.{ending}"
    write_file(Path(folder, path), content)
    return path


def _delete_others(folder: Path, used: set[str]) -> None:
    """Delete the files that earlier calls have written and whose paths are not in `used`."""
    for where in ("games", "kernels"):
        for path in Path(folder, where).iterdir():
            if FILE_NAME.fullmatch(path.name) and f"{where}/{path.name}" not in used:
                path.unlink()


def packed_games(variants: Iterable[Variant], tell: Tell) -> bytes:
    """Return the files of `write_games`, `write_mates` and `write_tablebases` as a zip file. Equal files give an equal
    zip file. Raises the errors that `write_games` raises."""
    return _packed([write_games, write_mates, write_tablebases], tuple(variants), tell)


def _packed(writers: Iterable[Write], variants: tuple[Variant, ...], tell: Tell) -> bytes:
    """Return the files that `writers` write as a zip file."""
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(packed, "w") as archive:
        folder = Path(name)
        for write in writers:
            write(folder, variants, tell)
        for path in _files(folder):
            archive.writestr(zipfile.ZipInfo(path.relative_to(folder).as_posix()), path.read_bytes())
    return packed.getvalue()


def _name(kind: str, variants: tuple[Variant, ...]) -> str:
    """Return the name of the cached file of a kind for these games. The name contains a hash of all inputs of the
    build."""
    found = hashlib.sha256()
    games = [f"{variant.name} {definition_digest(variant)}" for variant in variants]
    for part in (*games, __version__, version("numba"), version("llvmlite")):
        found.update(f"{part}\n".encode())
    project = Path(__file__).parents[1]
    paths = [path for package in SOURCES for path in _files(project / package) if path.suffix in KINDS]
    for given in filter(None, map(os.environ.get, GIVEN)):
        paths += _files(Path(given)) if Path(given).is_dir() else [Path(given)]
    for weights in (path_of(variant) for variant in variants if variant.name in CUSTOM_FILES):
        paths += [weights, weights.with_suffix(".network.xz")] if weights else []
    for path in paths:
        content = path.read_bytes() if path.is_file() else b""
        found.update(f"{path.name} {len(content)}\n".encode() + content)
    return file_name(kind, found.hexdigest(), ARCHIVE)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())
