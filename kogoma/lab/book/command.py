"""`./engine.sh book`: makes opening books, and shows and edits them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kogoma.arena.arguments import decimal, variant, whole_number
from kogoma.lab.book import edit
from kogoma.lab.book.maker import make
from kogoma.lab.book.store import Plan
from kogoma.lab.match.runner import WorkError, terminable
from kogoma.lab.match.words import WordsError
from kogoma.lab.tune.store import DataError, FolderInUse
from kogoma.rules.variants import VARIANTS
from kogoma.search.book.book import BookError

FAILED, UNUSABLE = 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes: a variant to make a book for, or what to do with a book."""
    parser.usage = f"{parser.prog} VARIANT [--hours H] | show | probe | import | export ..."
    words = parser.add_subparsers(required=True, metavar="VARIANT|show|probe|import|export")
    for name, game in VARIANTS.items():
        if not game.die:
            _add_make(words.add_parser(name), name)
    for name, work, about in (
        ("show", edit.show, "a book's size and main line"),
        ("probe", edit.probe_book, "what a book has for a position"),
        ("import", edit.import_book, "books (.db) and matches' games (.jsonl) into one book"),
        ("export", edit.export_book, "a book's positions to start matches from (.sfen), as .jsonl or .db"),
    ):
        one = words.add_parser(name, help=about, description=about)
        one.set_defaults(work=work)
        if name == "import":
            one.add_argument("files", nargs="+", metavar="FILE", help="the last one's word counts")
        else:
            one.add_argument("book", metavar="BOOK", help="a file, or `shipped`")
        if name == "probe":
            one.add_argument("position", nargs="*", metavar="SFEN|startpos", help="then `moves` and moves")
        if name in ("import", "export"):
            one.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="what is written")
            one.add_argument("--plies", type=whole_number(0, 1000), default=30, metavar="N", help="at most (30)")
        one.add_argument("--variant", type=variant, default=VARIANTS["minishogi"], metavar="V", help="(minishogi)")


def _add_make(words: argparse.ArgumentParser, name: str) -> None:
    count = whole_number(1, 10**9)
    add = words.add_argument
    add("--hours", type=decimal(1e-4, 1e4), default=1.0, metavar="H", help="how long to go on (1)")
    add("--positions", type=count, metavar="N", help="so many more instead")
    add("--nodes", type=count, default=Plan.nodes, metavar="N", help=f"of each search ({Plan.nodes:,})")
    add("--lines", type=whole_number(1, 100), default=Plan.lines, metavar="N", help=f"moves a position ({Plan.lines})")
    add("--games", type=Path, nargs="+", default=[], metavar="FILE", help="matches' games (.jsonl): theirs come first")
    add("--plies", type=whole_number(1, 1000), default=30, metavar="N", help="of those games, at most (30)")
    add("--folder", type=Path, metavar="FOLDER", help=f"for what is found, to go on from (book-{name})")
    add("--concurrency", type=whole_number(1, 1024), metavar="C", help="searches at a time (as there are processors)")
    add("--cluster", metavar="ADDRESS", help="search on a dask cluster")
    add("-o", "--output", type=Path, metavar="BOOK", help=f"the book (FOLDER/{name}.db)")
    words.set_defaults(work=make, variant=name)


def run(given: argparse.Namespace) -> int:
    """The command; returns the exit code."""
    try:
        with terminable():
            code: int = given.work(given)
            return code
    except (WordsError, FolderInUse) as error:
        print(f"book: {error}", file=sys.stderr)
        return UNUSABLE
    except (BookError, DataError, WorkError) as error:
        print(f"book: {error}", file=sys.stderr)
        return FAILED
    except OSError as error:
        print(f"book: {error.filename or 'the book'}: {error.strerror}", file=sys.stderr)
        return FAILED
