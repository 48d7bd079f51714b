"""`./engine.sh board`: serve the page on this machine, or write it as a static site."""

from __future__ import annotations

import argparse
import contextlib
import html
import json
import os
import re
import secrets
import shlex
import shutil
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kogoma.console.arguments import CommandLineError, whole_number
from kogoma.console.lines import counted
from kogoma.environment import provide
from kogoma.lab.engines.base import EngineSpec
from kogoma.lab.engines.factory import KOGOMA, missing
from kogoma.native.processes import terminable
from kogoma.rules.variants import VARIANTS, Variant
from kogoma.search.processors import processors

PORT = 5955  # always the same, because browsers store games by address
_NAMED = re.compile(r"([\w .+-]{1,40})=(.+)", re.DOTALL)
STARTING_MS = 60_000
MIN_HASH_MB, MAX_HASH_MB = 16, 65536  # limits of an engine's maximum hash size, a quarter of the memory


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `board` to a parser."""
    add, port = parser.add_argument, whole_number(0, 65535)
    add("matches", nargs="*", type=Path, metavar="RECORDS", help="match journals to show on the page")
    add("--match", action="append", default=[], type=Path, metavar="RECORDS", help="the same")
    add("--engine", action="append", default=[], metavar="[NAME=]COMMAND", help="add a USI engine to the page")
    add("--port", type=port, default=PORT, help="port to listen on; 0 takes any free one (%(default)s)")
    add("--host", help="address to listen on, for other machines")
    add("--no-open", action="store_true", help="do not open the browser")
    add("--tablebases", metavar="FOLDER", help="show perfect play from this folder (default: the cache folder)")
    add("--export", type=Path, metavar="FOLDER", help="write the static site to this folder and exit")


def run(given: argparse.Namespace) -> int:
    """Run `board` and return its exit code."""
    if given.export is None:
        return _serve(given)
    with terminable():
        return _export(given.export, given.tablebases)


def _export(folder: Path, tablebases: str | None) -> int:
    """Write the static site to a folder atomically, with the tablebases in another folder if one is named. Return 0.

    An existing folder must be empty or hold an earlier export, which is replaced. Raises CommandLineError if the folder
    may not be replaced or a tablebase cannot be used, KernelError if a kernel cannot be built, OSError if a file cannot
    be written.
    """
    provide("board")
    try:
        from kogoma.web.site import write_site
    except ModuleNotFoundError as error:
        raise _missing(error, "minify_html") from None

    target = folder.absolute()
    if target.exists() and not _may_be_replaced(target):
        text = "it has files that are not from an export; name an empty or new folder"
        raise CommandLineError(f"{folder}: {text if target.is_dir() else 'it is a file, not a folder'}")
    values = {} if tablebases is None else _tablebases(tablebases)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        new, old = temporary / "new", temporary / "old"
        new.mkdir()
        write_site(new, VARIANTS.values(), _print, values)
        sizes = [path.stat().st_size for path in new.rglob("*") if path.is_file()]
        if target.exists():
            os.replace(target, old)
        os.replace(new, target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    served = f"`python3 -m http.server -d {folder}` serves it"
    _print(f"{folder}: {counted(len(sizes), 'file')}, {sum(sizes) / 1e6:.1f} MB; {served}")
    return 0


def _tablebases(folder: str) -> dict[Variant, Any]:
    """Return the values of the tablebases in a folder. Raises CommandLineError if there is none, or one cannot be
    used."""
    from kogoma.search.tablebase.dobutsu.values import TablebaseError, find_file, read_values

    try:
        files = {variant: find_file(folder, variant, _print) for variant in VARIANTS.values()}
        found = {variant: read_values(file, variant) for variant, file in files.items() if file is not None}
    except TablebaseError as error:
        raise CommandLineError(str(error)) from None
    if not found:
        raise CommandLineError(f"{folder}: there is no tablebase in this folder")
    return found


def _may_be_replaced(folder: Path) -> bool:
    """Return whether a folder is empty, or contains nothing but the files of an earlier export."""
    from kogoma.search.tablebase.dobutsu.blocks import parse_block_name
    from kogoma.web.site import LIST

    if folder.is_symlink() or not folder.is_dir():
        return False
    existing = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    if not existing:
        return True
    try:
        listed = json.loads((folder / LIST).read_text(encoding="utf-8"))["files"]
        others = existing - {*listed, LIST, "service_worker.js"}
        return all(map(parse_block_name, others))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _serve(given: argparse.Namespace) -> int:
    engines = _engines(given.engine)
    provide("board")
    try:
        import asyncio

        from kogoma.lab.board.server import Matches, Settings, serve
        from kogoma.lab.board.site import Site
    except ModuleNotFoundError as error:
        raise _missing(error, "aiohttp") from None
    paths = (*given.matches, *given.match)
    Matches(paths).check()
    settings = Settings(given.port, secrets.token_urlsafe(24), engines, paths, given.host, engine_maximum())
    site = Site(given.tablebases or "")
    with contextlib.ExitStack() as stack:

        def begun(address: str) -> None:
            print(f"The board: {address}\nCtrl-C ends it.", flush=True)
            site.begin()
            if not given.no_open:
                with contextlib.suppress(OSError):  # without the file, the user opens the printed address
                    url = stack.enter_context(secret_url(address))
                    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

        asyncio.run(serve(settings, site, begun))
    if site.is_building:  # LLVM cannot be interrupted cleanly: exit without waiting for its thread
        sys.stdout.flush()
        os._exit(0)
    return 0


def _missing(error: ModuleNotFoundError, package: str) -> Exception:
    """Return the error for the user if a package of the extra `board` is missing, or else `error`."""
    if error.name != package:
        return error
    return CommandLineError(f"board needs the package {package}: pip install 'kogoma[board]'")


@contextlib.contextmanager
def secret_url(address: str) -> Iterator[str]:
    """Yield a URL that opens `address` and does not tell other accounts the token in it. Raises OSError if the file of
    this URL cannot be written.

    On Linux and similar systems, every account can read the arguments of a browser that is started. There, the URL is
    that of a temporary file which only this account can read, and which redirects to `address`.
    """
    if sys.platform in ("win32", "darwin"):  # arguments are private, or the browser gets the URL without any
        yield address
        return
    # A browser that is installed as a snap sees nothing but the files in the home folder, and none of hidden folders.
    folder = Path.home() if Path("/snap").is_dir() else None
    with tempfile.NamedTemporaryFile("w", prefix="kogoma-board-", suffix=".html", dir=folder, encoding="utf-8") as file:
        file.write(f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={html.escape(address)}">\n')
        file.flush()
        yield Path(file.name).as_uri()


def _engines(commands: Sequence[str]) -> dict[str, EngineSpec]:
    """Return the engines by name: Kogoma, and those of the `--engine` options (`commands`). Raises CommandLineError for
    an invalid option."""
    found = {KOGOMA: EngineSpec(KOGOMA, (KOGOMA,))}
    for text in commands:
        named = _NAMED.fullmatch(text)
        try:
            words = tuple(shlex.split(named[2] if named else text))
        except ValueError as error:
            raise CommandLineError(f"--engine {text[:60]!r}: {error}") from None
        if not words:
            raise CommandLineError(f"--engine {text[:60]!r} contains no program")
        name = named[1].strip() if named else Path(words[0]).stem
        if name in found:
            raise CommandLineError(f"two engines are called {name!r}; rename one of them with --engine NAME=COMMAND")
        found[name] = EngineSpec(name, words, start_ms=STARTING_MS)
        if trouble := missing(found[name]):
            raise CommandLineError(trouble)
    return found


def engine_maximum() -> dict[str, int]:
    """Return the most threads (all processors) and the largest hash size in MB (a quarter of the memory) that one
    engine may use."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    except (AttributeError, ValueError, OSError):  # Windows
        memory = 4096
    return {"threads": processors(), "hashMb": max(MIN_HASH_MB, min(MAX_HASH_MB, memory // 4))}


def _print(text: str) -> None:
    print(text, flush=True)
