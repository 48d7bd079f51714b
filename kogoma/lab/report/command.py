"""`./engine.sh report RECORDS`: a match's records as a page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kogoma.arena.arguments import whole_number
from kogoma.lab.records.match_file import read_records
from kogoma.lab.report.page import render_page
from kogoma.lab.report.replays import MAX_REPLAYS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes: the records, and options."""
    parser.add_argument("records", type=Path, metavar="RECORDS", help="the records that `match` wrote")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE.html", help="the page (default: RECORDS with the ending .html)"
    )
    parser.add_argument(
        "--first", metavar="ENGINE", help="the engine from whose side the page tells (default: the first one)"
    )
    parser.add_argument(
        "--replays",
        type=whole_number(0, 10**9),
        default=MAX_REPLAYS,
        metavar="N",
        help="most games to put in (%(default)s)",
    )


def run(given: argparse.Namespace) -> int:
    """The command; returns the exit code, 1 for records that can't be read or a page that can't be written."""
    output = given.output or given.records.with_suffix(".html")
    try:
        if output.exists() and output.samefile(given.records):
            raise ValueError(f"{output}: the page would overwrite the records; name another file with -o")
        read = read_records(given.records)
        page = render_page(read.games, read.settings, given.first, given.replays)
        output.write_text(page, encoding="utf-8")
    except (OSError, ValueError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 1
    if read.broken_lines:
        text = f"passed over {read.broken_lines} lines that are no record; {read.first_error}"
        print(f"report: {text}", file=sys.stderr)
    print(f"{output}: {len(read.games)} games, {output.stat().st_size / 1000:.0f} kB")
    return 0
