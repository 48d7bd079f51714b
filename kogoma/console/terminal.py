"""The width of the terminal, and lists of terms and descriptions that fit it."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator

from kogoma import japanese

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
