"""The output of the command `info`, split into sections."""

from __future__ import annotations

import re

LABELS = "Kogoma Python System Processor Packages Variables Libraries Cache Self-test".split()
# The checks of the self-test and the expected numbers of leaf nodes. Fairy-Stockfish counts the same numbers.
CHECKS = {"perft 5 minishogi": "533203", "perft 4 shogi": "719731", "perft 5 onitama": "149388", "bench": r"\d+"}
COLUMN = 14  # the column in which the lines begin, after their label


def sections(text: str) -> dict[str, list[str]]:
    """Return a dictionary from each section's label to the section's lines. The label is printed to the left of the
    first line. All lines must begin in the same column."""
    found: dict[str, list[str]] = {}
    for line in filter(None, text.splitlines()):
        label, rest = line[:COLUMN], line[COLUMN:]
        if label.strip():
            found[label.strip()] = []
        assert label.endswith(" ") and rest == rest.rstrip(), line
        found[list(found)[-1]].append(rest.strip())
    assert list(found) == LABELS, text
    return found


def states(text: str) -> dict[str, str]:
    """Return a dictionary from each library's full name to the library's state."""
    head, *lines = sections(text)["Libraries"]
    rows = [re.split(r" {2,}", line) for line in lines[:3]]
    return {f"{kind}-{row[0]}": state for row in rows for kind, state in zip(head.split(), row[1:], strict=True)}
