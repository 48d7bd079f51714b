"""The games' files for a web page that a release contains, so that nothing has to be compiled."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from kogoma.eval.weights import OVERRIDE
from kogoma.native.object_file import KernelError
from kogoma.native.prebuilt import AGAIN, IGNORE, can_compile
from kogoma.rules.variants import CUSTOM_FILES, Variant

ARCHIVE = Path(__file__).with_name("games.zip")


def released_games(variants: Iterable[Variant], tell: Callable[[str], None]) -> dict[str, bytes] | None:
    """Return the files of the release's games by their paths from the site's root. Return None if the files must be
    built: without a release, with the environment variable KOGOMA_COMPILE, or if there are custom variants or other
    weights and numba is installed. Without numba, `tell` is called with a line about what the files lack. Raises
    KernelError if the release's file is damaged, and OSError if it cannot be read."""
    if not ARCHIVE.is_file() or os.environ.get(IGNORE):
        return None
    lacking = [variant.name for variant in variants if variant.name in CUSTOM_FILES]
    if os.environ.get(OVERRIDE):
        lacking.append(f"the weights of {OVERRIDE}")
    if lacking and can_compile():
        return None
    if lacking:
        tell(f"the page lacks {', '.join(lacking)}: adding them needs numba")
    try:
        return unpacked(ARCHIVE.read_bytes())
    except zipfile.BadZipFile:
        raise KernelError(f"{ARCHIVE} is damaged: {AGAIN}") from None


def unpacked(archive: bytes) -> dict[str, bytes]:
    """Return the contents of a zip file by name."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {entry: opened.read(entry) for entry in opened.namelist()}
