"""`./engine.sh book`: make, show, import and export opening books."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from kogoma.console.arguments import CommandLineError, decimal, variant, whole_number
from kogoma.console.lines import counted
from kogoma.japanese import message
from kogoma.lab.book.maker import make
from kogoma.lab.book.tree import Plan
from kogoma.lab.kifu.formats import FORMATS, format_of, read_games
from kogoma.lab.kifu.game import GameError
from kogoma.lab.kifu.usi_lines import split_line
from kogoma.native.processes import terminable
from kogoma.output_file import check_output, reason, write_file
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS, Variant, infer
from kogoma.search.book.book import Book, BookError, BookMove, key_of, probe
from kogoma.search.book.book_file import is_book, read_book, shipped_book, write_book

UNKNOWN = "-"  # printed for a value that a book does not know


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands of `book` to a parser: the name of a variant makes a book for it; `show`, `probe`, `import`
    and `export` use existing books."""
    parser.usage = f"{parser.prog} VARIANT [--hours H] | show | probe | import | export ..."
    words = parser.add_subparsers(required=True, prog=parser.prog, metavar="VARIANT|show|probe|import|export")
    for name, game in VARIANTS.items():
        if not game.die:
            _add_make(words.add_parser(name), name)
    for name, work, about in (
        ("show", show, "print a book's size and main line"),
        ("probe", probe_book, "print a book's moves for a position"),
        ("import", import_book, "merge books (.db, .ybb), match journals (.jsonl) and other game records into a book"),
        ("export", export_book, "write a book as a book (.db, .ybb), as JSON lines (.jsonl) or as openings (.sfen)"),
    ):
        one = words.add_parser(name, help=about, description=about)
        one.set_defaults(work=work)
        if name == "import":
            one.add_argument("files", nargs="+", metavar="FILE", help="later files replace moves of earlier ones")
        else:
            one.add_argument("book", metavar="BOOK", help="a file, or `shipped`")
        if name == "probe":
            one.add_argument("position", nargs="*", metavar="SFEN|startpos", help="position, then `moves` and moves")
        if name in ("import", "export"):
            one.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="file to write")
            one.add_argument("--plies", type=whole_number(0, 1000), default=30, metavar="N", help="maximum plies (30)")
        one.add_argument(
            "--variant", type=variant, default=VARIANTS["minishogi"], metavar="V", help="variant (minishogi)"
        )


def _add_make(words: argparse.ArgumentParser, name: str) -> None:
    count = whole_number(1, 10**9)
    add = words.add_argument
    add("--hours", type=decimal(1e-4, 1e4), default=1.0, metavar="H", help="time to search (1)")
    add("--positions", type=count, metavar="N", help="number of new positions, instead of --hours")
    add("--nodes", type=count, default=Plan.nodes, metavar="N", help=f"nodes per search ({Plan.nodes:,})")
    add("--lines", type=whole_number(1, 100), default=Plan.lines, metavar="N", help=f"moves per search ({Plan.lines})")
    add("--games", type=Path, nargs="+", default=[], metavar="FILE", help="match journals (.jsonl) to learn from")
    add("--plies", type=whole_number(1, 1000), default=30, metavar="N", help="plies to use of each of these games (30)")
    add("--folder", type=Path, metavar="FOLDER", help=f"folder of the journal (book-{name})")
    add("--concurrency", type=whole_number(1, 1024), metavar="C", help="searches at a time (number of processors)")
    add("--cluster", metavar="ADDRESS", help="search on a dask cluster")
    add("-o", "--output", type=Path, metavar="BOOK", help=f"the book (FOLDER/{name}.db)")
    words.set_defaults(work=make, variant=name)


def run(given: argparse.Namespace) -> int:
    """Run `book` and return its exit code."""
    with terminable():
        code: int = given.work(given)
    return code


def open_book(name: str, variant: Variant) -> Book:
    """Return the book in the file `name`, or the book shipped for the variant if `name` is "shipped". Print what
    is left out to standard error. Raises BookError if there is no such book or it cannot be read."""
    path = shipped_book(variant) if name == "shipped" else Path(name)
    if path is None:
        raise BookError(f"no book is shipped for {variant.name}")
    book = read_book(path)
    _tell(book.warnings)
    return book


def _tell(lines: Iterable[str]) -> None:
    """Print messages to standard error."""
    for line in lines:
        print(f"book: {message(line)}", file=sys.stderr)


def show(given: argparse.Namespace) -> int:
    """Run `book show`: print a book's number of positions and moves, and its main line."""
    book = open_book(given.book, given.variant)
    moves = sum(len(moves) for _, moves in book)
    print(f"{counted(len(book), 'position')}, {counted(moves, 'move')}")
    position, seen = new_position(given.variant), set[str]()
    while key_of(position.sfen()) not in seen and (found := probe(book, position)):
        seen.add(key_of(position.sfen()))
        best = found[0]
        others = ", ".join(f"{one.move} {_score(one)}" for one in found[1:])
        print(f"{position.ply + 1:3}. {best.move:6} {_score(best)}" + (f"   ({others})" if others else ""))
        position.push(best.move)
    return 0


def probe_book(given: argparse.Namespace) -> int:
    """Run `book probe`: print the moves of a book for a position."""
    try:
        sfen, moves, _ = split_line(" ".join(given.position))
        start = None if sfen == "startpos" else sfen
        position = new_position(given.variant if start is None else infer(start, given.variant), start)
        for move in moves:
            position.push(move)
    except ValueError as error:
        raise CommandLineError(str(error)) from None
    found = probe(open_book(given.book, position.variant), position)
    print(f"sfen {position.sfen()}")
    if not found:
        print("not in the book")
    for one in found:
        depth, count = (UNKNOWN if value is None else str(value) for value in (one.depth, one.count))
        print(f"{one.move:6} {_score(one):>7}  depth {depth:>2}  count {count}  reply {one.reply or UNKNOWN}")
    return 0


def import_book(given: argparse.Namespace) -> int:
    """Run `book import`: merge books and game records into one book. If several books have the same position, only the
    last book's moves are kept for it. Game records add moves that are missing, each with the number of games in which
    it was played."""
    check_output(given.output)
    if given.output.exists() and given.output.resolve() not in [Path(name).resolve() for name in given.files]:
        raise CommandLineError(f"{given.output} already exists; to add to it, name it among the input files too")
    book = Book()
    for name in given.files:
        path = Path(name)
        try:
            is_record = path.suffix.removeprefix(".") in FORMATS
            count = _import_games(book, path, given) if is_record else _import_book(book, name, given)
        except OSError as error:
            raise BookError(f"cannot read {path}: {reason(error)}") from None
        except GameError as error:
            raise BookError(f"{path}: {error}") from None
        print(f"{path}: {count}")
    _tell(write_book(book, given.output))
    print(f"{given.output}: {counted(len(book), 'position')}")
    return 0


def _import_book(book: Book, name: str, given: argparse.Namespace) -> str:
    other = open_book(name, given.variant)
    replaced = book.merge(other)
    return f"{counted(len(other), 'position')}" + (f", {replaced:,} in place of earlier ones" if replaced else "")


def _import_games(book: Book, path: Path, given: argparse.Namespace) -> str:
    """Add the moves of the game records in a file to a book, unless the book already has them. A move's count is the
    number of games in which it was played; its score is computed from the results of these games. Return the number of
    games as text. Raises GameError, which names the line, if a game has an error."""
    counts: dict[str, dict[str, tuple[int, float]]] = {}
    games = others = 0
    for game in read_games(path, format_of(path.name), given.variant):
        if game.trouble:
            raise game.trouble
        if game.variant is not given.variant:
            others += 1
            continue
        games += 1
        winner = game.outcome.winner if game.outcome else None
        position = new_position(given.variant, game.start)
        for move in game.moves[: given.plies]:
            won = 0.5 if winner is None else float(winner == position.turn)
            played, points = counts.setdefault(position.sfen(), {}).get(move, (0, 0.0))
            counts[position.sfen()][move] = (played + 1, points + won)
            position.push(move)
    for sfen, moves in counts.items():
        for move, (played, points) in moves.items():
            if move not in {one.move for one in book.moves(sfen)}:
                book.add(sfen, BookMove(move, score=round(200 * (points / played - 0.5)), count=played))
    told = f"{counted(games, 'game')} of {given.variant.name}"
    return f"{told}, {others:,} of other variants left out" if others else told


def export_book(given: argparse.Namespace) -> int:
    """Run `book export`: write a book's positions as SFENs, as JSON lines, or as a book file."""
    check_output(given.output)
    book = open_book(given.book, given.variant)
    if is_book(given.output):
        _tell(write_book(book, given.output))
        print(f"{given.output}: {counted(len(book), 'position')}")
        return 0
    lines = list(_lines(book, given))
    left_out = len(book) - len(lines)
    _tell(
        f"{given.output}: {what}: {count:,}"
        for what, count in (
            (f"positions after ply {given.plies}, left out", left_out),
            ("comments on the whole book, left out", len(book.comments)),
        )
        if count
    )
    write_file(given.output, "".join(f"{line}\n" for line in lines))
    print(f"{given.output}: {counted(len(lines), 'position')}")
    return 0


def _lines(book: Book, given: argparse.Namespace) -> Iterator[str]:
    if given.output.suffix not in (".sfen", ".jsonl"):
        raise CommandLineError(f"{given.output}: the extension must be .db, .ybb, .sfen or .jsonl")
    for sfen, moves in sorted(book):
        if int(sfen.split()[3]) > given.plies + 1:
            continue
        if given.output.suffix == ".sfen":
            yield sfen
        else:
            yield json.dumps({"sfen": sfen, "comments": book.comments_on(sfen), "moves": [vars(one) for one in moves]})


def _score(one: BookMove) -> str:
    return UNKNOWN if one.score is None else f"{one.score / 100:+.2f}"
