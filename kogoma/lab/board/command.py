"""`./engine.sh board`: serves the page on this machine and opens it, or writes it as a static site."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from kogoma.arena.arguments import whole_number
from kogoma.lab.engines.base import EngineSpec
from kogoma.lab.engines.factory import OWN, missing
from kogoma.rules.variants import VARIANTS
from kogoma.search.processors import processors

PORT = 5955  # the same each time: a browser keeps the games of each address apart
_NAMED = re.compile(r"([\w .+-]{1,40})=(.+)", re.DOTALL)
STARTING_MS = 60_000
SMALLEST_MB, MOST_MB = 16, 65536  # of an engine's table, and at the most a quarter of the memory


class ArgumentError(Exception):
    """A command line that can't be obeyed; one line."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add, port = parser.add_argument, whole_number(0, 65535)
    add("matches", nargs="*", type=Path, metavar="RECORDS", help="a match's records, for the page")
    add("--match", action="append", default=[], type=Path, metavar="RECORDS", help="the same")
    add("--engine", action="append", default=[], metavar="[NAME=]COMMAND", help="one more USI engine for the page")
    add("--port", type=port, default=PORT, help="where it listens; 0: any that is free (%(default)s)")
    add("--host", help="listen on this address, too, for those who know the token that is printed")
    add("--no-open", action="store_true", help="do not open the browser")
    add("--export", type=Path, metavar="FOLDER", help="write the static site there, and end")


def run(given: argparse.Namespace) -> int:
    """The command; returns the exit code."""
    from kogoma.native.object_file import KernelError

    try:
        if given.export is not None:
            return _export(given.export)
        return _serve(given)
    except ArgumentError as error:
        return _failed(str(error), 2)
    except (KernelError, OSError, ValueError) as error:
        return _failed(str(error), 1)


def _export(folder: Path) -> int:
    """Write the site for any static host: all of it, or nothing. A folder that is there must be empty or an earlier
    export, which is replaced. ValueError, KernelError, OSError."""
    from kogoma.web.site import write_site

    place = folder.absolute()
    if place.exists() and not _may_be_replaced(place):
        raise ValueError(f"{place} holds other things: name an empty or a new folder")
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    try:
        new, old = beside / "new", beside / "old"
        new.mkdir()
        write_site(new, VARIANTS.values(), _tell)
        sizes = [path.stat().st_size for path in new.rglob("*") if path.is_file()]
        if place.exists():
            os.replace(place, old)
        os.replace(new, place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    served = f"`python3 -m http.server -d {folder}` serves it"
    _tell(f"{folder}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB; {served}")
    return 0


def _may_be_replaced(folder: Path) -> bool:
    """Whether it is an empty folder, or holds what its list of files tells and nothing else."""
    from kogoma.web.site import LIST

    if folder.is_symlink() or not folder.is_dir():
        return False
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    if not there:
        return True
    try:
        listed = json.loads((folder / LIST).read_text(encoding="utf-8"))["files"]
        return there <= {*listed, LIST, "service_worker.js"}
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _serve(given: argparse.Namespace) -> int:
    engines = _engines(given.engine)
    try:
        import asyncio

        from kogoma.lab.board.access_control import new_token
        from kogoma.lab.board.server import Matches, Settings, serve
        from kogoma.lab.board.site import Site
    except ModuleNotFoundError as error:
        if error.name != "aiohttp":
            raise
        raise ArgumentError("this needs the package aiohttp: pip install 'kogoma[board]'") from None
    paths = (*given.matches, *given.match)
    Matches(paths).check()
    token = None if given.host is None else new_token()
    settings = Settings(given.port, engines, paths, given.host, token, most_of_machine())
    site = Site()

    def begun(address: str) -> None:
        print(f"The board: {address}\nCtrl-C ends it.", flush=True)
        site.begin()
        if not given.no_open:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    asyncio.run(serve(settings, site, begun))
    if site.is_building:  # LLVM does not like to be interrupted: leave it at once
        sys.stdout.flush()
        os._exit(0)
    return 0


def _engines(commands: Sequence[str]) -> dict[str, EngineSpec]:
    """This engine, and those of the command line, by name; ArgumentError."""
    found = {OWN: EngineSpec(OWN, (OWN,))}
    for text in commands:
        named = _NAMED.fullmatch(text)
        try:
            words = tuple(shlex.split(named[2] if named else text))
        except ValueError as error:
            raise ArgumentError(f"--engine {text[:60]!r}: {error}") from None
        if not words:
            raise ArgumentError(f"--engine {text[:60]!r} names no program")
        name = named[1].strip() if named else Path(words[0]).stem
        if name in found:
            raise ArgumentError(f"two engines are called {name!r}: --engine NAME=COMMAND names one")
        found[name] = EngineSpec(name, words, start_ms=STARTING_MS)
        if trouble := missing(found[name]):
            raise ArgumentError(trouble)
    return found


def most_of_machine() -> dict[str, int]:
    """What an engine gets unless the page wants less: all processors, and a quarter of the memory."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    except (AttributeError, ValueError, OSError):  # Windows
        memory = 4096
    return {"threads": processors(), "hashMb": max(SMALLEST_MB, min(MOST_MB, memory // 4))}


def _tell(text: str) -> None:
    print(text, flush=True)


def _failed(text: str, code: int) -> int:
    print(f"board: {text}", file=sys.stderr)
    return code
