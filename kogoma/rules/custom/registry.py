"""The registry of custom variants: those that this process knows in addition to the built-in variants.

The environment variable KOGOMA_VARIANTS lists their files, separated as in PATH, so that child processes know them as
well. KOGOMA_VARIANTS_CONTENT holds a digest of each file at the time when a command began.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from kogoma.output_file import reason
from kogoma.rules.custom.errors import Mistake, VariantFileError, shown
from kogoma.rules.custom.reader import LARGEST, read_variant
from kogoma.rules.variants import CUSTOM_FILES, OWN, VARIANTS, Variant

CONTENT = f"{OWN}_CONTENT"


def split(paths: str) -> list[str]:
    """Return the file names in `paths`, where they are separated like the folders in PATH."""
    return [path for path in paths.split(os.pathsep) if path]


def load_file(path: str) -> Variant:
    """Return the variant that a file defines. Raises VariantFileError if the file is not valid or cannot be read."""
    return _load(path)[0]


def _load(path: str) -> tuple[Variant, str]:
    """Return the variant that a file defines, and the digest of the file's content."""
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise ValueError("it is a folder" if Path(path).is_dir() else "it is not a file")
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        text = reason(error) if isinstance(error, OSError) else str(error)
        raise VariantFileError([Mistake(0, f"cannot be read: {text}")], path) from None
    try:
        return read_variant(data), hashlib.sha256(data).hexdigest()
    except VariantFileError as error:
        raise VariantFileError(error.mistakes, path) from None


def add(paths: Sequence[str], content: Sequence[str] = ()) -> None:
    """Register the variants of these files, or none of them if there is an error. A file that is already registered is
    read again. `content`, if not empty, holds the digests that the files must have. Raises VariantFileError if a
    variant cannot be registered."""
    found: dict[str, tuple[Variant, Path]] = {}
    for index, path in enumerate(paths):
        variant, digest = _load(path)
        if content and digest != content[index]:
            raise VariantFileError([Mistake(1, "the file has changed since this command began")], path)
        file = Path(path).resolve()
        taken = found[variant.name][1] if variant.name in found else CUSTOM_FILES.get(variant.name)
        if taken is not None and taken != file:
            raise VariantFileError(
                [Mistake(1, f"the name {variant.name} is already used by {shown(str(taken))}")], path
            )
        found[variant.name] = variant, file
    for name in [name for name, file in CUSTOM_FILES.items() if file in [file for _, file in found.values()]]:
        VARIANTS.pop(name, None)
        del CUSTOM_FILES[name]
    for name, (variant, file) in found.items():
        VARIANTS[name], CUSTOM_FILES[name] = variant, file


def add_from(environment: Mapping[str, str]) -> None:
    """Register the variants of the files that KOGOMA_VARIANTS in `environment` lists. Raises VariantFileError if a
    variant cannot be registered."""
    add(split(environment.get(OWN, "")), split(environment.get(CONTENT, "")))


def pass_on(paths: Sequence[str]) -> None:
    """Register the variants of these files, and add the files to KOGOMA_VARIANTS so that child processes register them.
    Call this function before any variant is looked up. Raises VariantFileError if a variant cannot be registered."""
    named = [*split(os.environ.get(OWN, "")), *(str(Path(path).resolve()) for path in paths)]
    if odd := [path for path in named if os.pathsep in path]:
        raise VariantFileError([Mistake(1, f"the path of a variant file must not contain {os.pathsep!r}")], odd[0])
    named = list(dict.fromkeys(named))
    add(named)
    os.environ[OWN] = os.pathsep.join(named)
    os.environ[CONTENT] = os.pathsep.join(_load(path)[1] for path in named)
