"""Converters of command-line arguments, for argparse's `type`, and the error of an invalid command line."""

from __future__ import annotations

import argparse
import math
import shutil
import textwrap
from collections.abc import Callable, Iterable, Iterator

from kogoma import japanese
from kogoma.console.lines import clip
from kogoma.rules.variants import Variant, find

WIDTH = 80  # maximum width of help texts


def terminal_width() -> int:
    """Return the width of the terminal in characters: the environment variable COLUMNS if it is set, and WIDTH if the
    width is unknown."""
    return shutil.get_terminal_size((WIDTH, 24)).columns


def listed(rows: Iterable[tuple[str, str]], column: int) -> Iterator[str]:
    """Yield the lines of a list of terms and their descriptions, which are translated to the user's language. The
    descriptions start at `column`, or on a narrow terminal in the line below the term."""
    width = min(WIDTH, terminal_width())
    if width < WIDTH:
        column = 4
    for term, text in rows:
        start = f"  {term} "
        if japanese.width(start) > column:
            yield from textwrap.wrap(term, width, initial_indent="  ", subsequent_indent="    ")
            start = ""
        for line in japanese.wrapped(japanese.help_text(text), width - column):
            yield start + " " * (column - japanese.width(start)) + line
            start = ""


class CommandLineError(ValueError):
    """An invalid command line, for which commands exit with 2. The message is one line, and may be followed by the
    usage."""


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return a function that converts text to a whole number from `least` to `most`."""

    def convert(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"needs a whole number from {least} to {most}, not {clip(text)}")
        return int(text)

    return convert


def decimal(least: float, most: float) -> Callable[[str], float]:
    """Return a function that converts text to a number from `least` to `most`."""

    def convert(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"needs a number from {least:g} to {most:g}, not {clip(text)}")
        return number

    return convert


def variant(name: str) -> Variant:
    """Return the variant called `name`. Raises ArgumentTypeError if there is none."""
    try:
        return find(name)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
