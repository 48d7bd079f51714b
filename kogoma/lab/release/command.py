"""The command `release`."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from kogoma.environment import provide
from kogoma.eval.weights import OVERRIDE
from kogoma.lab.release import build_info, comparison
from kogoma.lab.release.wheels import CHECKOUT, committed_sources, source_archive, wheel
from kogoma.native.object_file import KernelError
from kogoma.native.platforms import ALL, PLATFORMS, Platform
from kogoma.native.prebuilt import IGNORE, INDEX
from kogoma.native.processes import terminable
from kogoma.output_file import followed, write_file
from kogoma.rules.variants import CUSTOM_FILES, VARIANTS

WINDOWS = "windows-x86_64"
LIBRARIES = "libraries"
Tell = Callable[[str], None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "platforms", nargs="*", type=_platform, metavar="PLATFORM", help=f"{', '.join(PLATFORMS)} (default: all)"
    )
    parser.add_argument("-o", dest="output", type=Path, metavar="FOLDER", help="(default: dist in the checkout)")
    parser.add_argument(
        "--verify", type=Path, metavar="FOLDER", help="build the release in this folder again, and say what differs"
    )


def _platform(name: str) -> Platform:
    """Return the platform with this name. Raises ArgumentTypeError if there is none."""
    if name not in PLATFORMS:
        raise argparse.ArgumentTypeError(f"unknown platform {name!r}: expected one of {', '.join(PLATFORMS)}")
    return PLATFORMS[name]


def run(given: argparse.Namespace) -> int:
    """Build or verify a release, and return the exit code. Raises KernelError if something cannot be built, and OSError
    if a file cannot be read or written."""
    targets, output = given.platforms, given.output
    provide("export")
    provide("release")
    with terminable(), temporary_folder():
        if given.verify:
            return _verify(given.verify, targets, lambda text: print(text, flush=True))
        release(targets or list(ALL), output or CHECKOUT / "dist", lambda text: print(text, flush=True))
    return 0


def _verify(folder: Path, targets: list[Platform], tell: Tell) -> int:
    """Build the release in a folder again, for `targets`, or by default for the platforms of the wheels in SHA256SUMS,
    with an empty cache folder. Tell the differences, and return 1 if there are any. Raises KernelError and OSError."""
    names = comparison.listed(folder)
    targets = targets or [target for target in ALL if any(name.endswith(f"{target.tag}.whl") for name in names)]
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as name:
        os.environ["KOGOMA_CACHE"] = cache
        release(targets, Path(name), tell)
        lines = comparison.compare(folder, Path(name))
        try:
            causes = build_info.differences(folder, Path(name)) if lines else []
        except ValueError:
            raise KernelError(f"{folder / build_info.NAME} is not JSON") from None
    for line in [*lines, *causes]:
        tell(line)
    tell(f"{folder}: not the same bytes as a new build" if lines else f"{folder}: the same bytes as a new build")
    return 1 if lines else 0


@contextlib.contextmanager
def temporary_folder() -> Iterator[None]:
    """Within this context, this process and those that it starts create their temporary files in a new folder, which is
    deleted at the end. Processes that are killed do not delete their own."""
    with tempfile.TemporaryDirectory(prefix="kogoma-release-") as folder:
        before, os.environ["TMPDIR"], tempfile.tempdir = os.environ.get("TMPDIR"), folder, folder
        try:
            yield
        finally:
            tempfile.tempdir = None
            del os.environ["TMPDIR"]
            if before is not None:
                os.environ["TMPDIR"] = before


def release(targets: list[Platform], output: Path, tell: Tell) -> None:
    """Write all files of a release for the platforms `targets` into the folder `output`: libraries, wheels, sources,
    checksums, BUILDINFO.json, and the files for Windows and Linux. `tell` is called with a line for each file. Raises
    KernelError if something cannot be built, and OSError if a file cannot be written."""
    os.environ[IGNORE] = "1"  # do not use the prebuilt libraries of an earlier release
    os.environ.pop(OVERRIDE, None)  # nor other weights than those of the commit
    from kogoma.lab.release.libraries import compiled_libraries, write_libraries
    from kogoma.lab.release.single_file import PLATFORM as SINGLE_FILE
    from kogoma.lab.release.single_file import single_file
    from kogoma.lab.release.windows_zip import require_python, windows_zip
    from kogoma.web.games_folder import packed_games

    if any(target.name == WINDOWS for target in targets):
        require_python()
    sources = committed_sources()
    output.mkdir(parents=True, exist_ok=True)
    sums, digests = dict[str, str](), dict[str, dict[str, str]]()

    def write(name: str, content: bytes) -> None:
        """Write a file into the folder `output`, and note its SHA-256 in `sums`."""
        write_file(output / name, content)
        sums[name] = hashlib.sha256(content).hexdigest()
        tell(f"{output / name}: {len(content)} bytes")

    write(*source_archive(sources))
    libraries = compiled_libraries(tell)
    games = packed_games([variant for variant in VARIANTS.values() if variant.name not in CUSTOM_FILES], tell)
    optimised = dict[tuple[str, str], bytes]()
    for target in targets:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name, target.name)
            folder.mkdir()
            write_libraries(target, libraries, folder, optimised)
            packed = wheel(sources, target, folder, games)
            write(*packed)
            if target.name == SINGLE_FILE:
                write(*single_file(packed[1], sources.time))
            if target.name == WINDOWS:
                write(*windows_zip(*packed, sources.time, tell))
            index = json.loads((folder / INDEX).read_text(encoding="utf-8"))["libraries"].values()
            digests[target.name] = {file: digest for library in index for file, digest in library["files"].items()}
            copied = followed(output / LIBRARIES) / target.name
            shutil.rmtree(copied, ignore_errors=True)
            shutil.copytree(folder, copied)
    write_file(output / comparison.SUMS, "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items())))
    write_file(output / build_info.NAME, build_info.build_info(sources, digests))
    tell(f"{output / comparison.SUMS}, {build_info.NAME}: {len(sums)} files")
