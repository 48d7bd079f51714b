"""Compute the tables of docs/perft.md: perft of every variant, with the kinds of the last moves. Run it in the
checkout:

    .venv/bin/python -m benchmarks.perft_table --seconds 600 --write

For each variant, the depth increases as long as the next count is expected to take at most `--seconds` of processor
time. `--write` writes each table into the page as soon as it is complete; after an interruption, pass the missing
variants as `--games`. Without `--write`, the tables are printed.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchmarks.perft_kernel import counts_dtype
from kogoma.native.library import Library
from kogoma.rules.base_position import BasePosition
from kogoma.rules.layout import moves_dtype
from kogoma.rules.library import new_library
from kogoma.rules.position import new_position
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.structs import new_struct
from kogoma.rules.variants import VARIANTS, Variant

PAGE = Path(__file__).resolve().parents[1] / "docs" / "perft.md"
MARK = "<!-- tables: benchmarks/perft_table.py -->"
GAMES = ("shogi", "minishogi", "judkins", "66shogi", "gorogoro", "micro", "kyoto", "dobutsu", "generals", "onitama")
COLUMNS = ("depth", "nodes", "captures", "drops", "promotions", "checks", "mates", "pawn-drop mates")
DEEPEST = 40


class Row(NamedTuple):
    """The numbers of leaf nodes at one depth, for each kind of last move. `drop_mates` is the number of illegal pawn
    drops that mate."""

    depth: int
    nodes: int
    captures: int
    drops: int
    promotions: int
    checks: int
    mates: int
    drop_mates: int


@cache
def kinds_library(layout: str) -> Library:
    """Return the library of the counting kernel for a layout."""
    return new_library("perft_kinds", layout, "benchmarks.perft_kernel")


def count(position: BasePosition, depth: int) -> Row:
    """Count the leaf nodes that are `depth` plies (at least 1) after a position. Return the counts for each kind of
    last move."""
    layout = layout_of(position.variant)
    loose = position.rules.copy()
    if not position.variant.cards:
        loose[0]["no_drop_mate"][:] = 0
    counts = new_struct(counts_dtype(layout))
    moves = new_struct(moves_dtype(layout))
    kinds_library(layout)("perft_kinds", position.rules, loose, position.struct.copy(), moves, counts, depth)
    nodes, captures, drops, promotions, checks, mates, besides = map(int, counts[0]["of"])
    if position.variant.cards:
        drops = promotions = 0  # the move bits have another meaning in Onitama
    return Row(depth, nodes, captures, drops, promotions, checks, mates, besides)


def rows(variant: Variant, seconds: float, deepest: int = DEEPEST) -> Iterator[tuple[Row, float]]:
    """Yield the row of the table and the processor time in seconds for each depth. Stop at the first depth that is
    expected to take more than `seconds`."""
    position = new_position(variant)
    count(position, 1)  # loads or builds the library, which is not timed
    before, factor = 0.0, 1.0
    for depth in range(1, deepest + 1):
        if before * factor > seconds:
            return
        started = time.process_time()
        row = count(position, depth)
        took = time.process_time() - started
        if row.nodes == 0:
            return
        factor = took / before if before > 0.01 else 20.0
        before = took
        yield row, took


def table(variant: Variant, counted: list[tuple[Row, float]]) -> str:
    """Return the table of a variant as an indented block of Markdown, with aligned columns."""
    lines = [COLUMNS, *([f"{value:,}" for value in row] for row, _ in counted)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = ("  ".join(word.rjust(width) for word, width in zip(line, widths, strict=True)) for line in lines)
    return "\n".join([f"### {variant.name}", "", *(f"    {line}" for line in aligned), ""])


def read_page(text: str) -> dict[str, list[Row]]:
    """Return the rows of each variant's table in a page."""
    found: dict[str, list[Row]] = {}
    for name, body in re.findall(r"^### (\S+)\n(.*?)(?=^#|^<!--|\Z)", text.partition(MARK)[2], re.S | re.M):
        numbers = re.findall(r"^ {4,}([0-9].*)$", body, re.M)
        found[name] = [Row(*(int(word.replace(",", "")) for word in line.split())) for line in numbers]
    return found


def write_table(name: str, text: str, page: Path = PAGE) -> None:
    """Write the table of a variant into the page. The table replaces an older one of the same variant."""
    head, _, rest = page.read_text(encoding="utf-8").partition(MARK)
    body, _, tail = rest.partition(MARK)
    tables = {part.split("\n", 1)[0]: f"### {part.strip()}\n" for part in body.split("### ")[1:]} | {name: text}
    joined = "\n".join(tables.values())
    page.write_text(f"{head}{MARK}\n\n{joined}\n{MARK}{tail}", encoding="utf-8")


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--seconds", type=float, default=600, help="processor time for the deepest count of a variant")
    words.add_argument("--games", nargs="+", default=list(GAMES), choices=list(VARIANTS), metavar="VARIANT")
    words.add_argument("--write", action="store_true", help=f"write each table into {PAGE.name}")
    given = words.parse_args()
    for name in given.games:
        counted = []
        for row, took in rows(VARIANTS[name], given.seconds):
            counted.append((row, took))
            print(f"{name} {row.depth}: {row.nodes:,} in {took:.1f} s", file=sys.stderr, flush=True)
        if given.write:
            write_table(name, table(VARIANTS[name], counted))
        else:
            print(table(VARIANTS[name], counted), flush=True)


if __name__ == "__main__":
    main()
