"""Files of opening books: reading and writing them in the format that their name or content tells."""

from __future__ import annotations

from collections.abc import Iterable
from io import TextIOWrapper
from pathlib import Path

from kogoma.output_file import error_text, reason, replacing
from kogoma.rules.variants import Variant
from kogoma.search.book.book import Book, BookError, BookMove
from kogoma.search.book.packed_sfen import packed
from kogoma.search.book.text_format import parse_book, text_of
from kogoma.search.book.ybb import MAGIC, MOST, SCORES, WORDS, Entry, codes, read_ybb, ybb_bytes

TEXT, BINARY = ".db", ".ybb"  # extensions; files with others are texts
MOST_BYTES = 1 << 30  # a larger file is refused
BYTES = "surrogateescape"  # bytes of comments that are not UTF-8 are kept
FOLDER = Path(__file__).parent / "files"


def is_binary(path: Path) -> bool:
    """Return whether a book with this name is written in the binary format."""
    return path.suffix.lower() == BINARY


def is_book(path: Path) -> bool:
    """Return whether a file with this name is usually an opening book."""
    return path.suffix.lower() in (TEXT, BINARY)


def check_format(path: Path, variant: Variant) -> None:
    """Raise BookError if a file with this name cannot store a book for the variant. Call this before long work."""
    if is_binary(path):
        try:
            packed(variant.start)
        except ValueError:
            raise BookError(f"cannot write {path}: a .ybb book is for 9x9 shogi, not for {variant.name}") from None


def read_book(path: Path) -> Book:
    """Return the book in a file. What is left out is listed in the book's `warnings`. Raises BookError if the file
    cannot be read, is too large, is not a book or, in the binary format, is damaged."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BookError(f"cannot read {path}: an opening book may have at most {MOST_BYTES >> 20} MB")
        with open(path, "rb") as file:  # once, because it may be a pipe
            if file.peek(len(MAGIC)).startswith(MAGIC) or is_binary(path):
                return _binary_book(file.read(), str(path))
            return parse_book(TextIOWrapper(file, encoding="utf-8-sig", errors=BYTES), str(path))
    except OSError as error:
        raise BookError(f"cannot read {path}: {reason(error)}") from None


def _binary_book(data: bytes, name: str) -> Book:
    book = Book()
    words = empty = replaced = 0
    try:
        for sfen, entries in read_ybb(data):
            moves = [BookMove(one.move, "", one.score, one.depth, None) for one in entries]
            known = [one for one in moves if one.move not in WORDS.values()]
            words += len(moves) - len(known)
            if known:
                replaced += book.extend(sfen, known)
            else:
                empty += 1
    except ValueError as error:
        raise BookError(f"{name} is not a valid .ybb book: {error}") from None
    book.warnings = _counts(
        name,
        ("moves `none`, `null`, `resign` and `win`, left out", words),
        ("positions without moves, left out", empty),
        ("moves replaced by later ones for the same position", replaced),
    )
    return book


def write_book(book: Book, path: Path) -> list[str]:
    """Write a book to a file atomically, sorted by position. Return what the format of the file cannot store, one text
    per kind. Raises BookError if the file cannot be written, or if a book with other positions than those of 9x9 shogi
    is to be written in the binary format."""
    lost: list[str] = []
    content: Iterable[bytes]
    if is_binary(path):
        data, lost = _binary(book, str(path))
        content = (data,)
    else:
        content = (f"{line}\n".encode(errors=BYTES) for line in text_of(book))
    try:
        with replacing(path) as file:
            file.writelines(content)
    except OSError as error:
        raise BookError(f"cannot write {error_text(error)}") from None
    return lost


def _binary(book: Book, name: str) -> tuple[bytes, list[str]]:
    """Return a book in the binary format, and what it cannot store."""
    comments = len(book.comments)
    replies = counts = numbers = unknown = changed = moves = 0
    positions = []
    for sfen, known in book:
        comments += len(book.comments_on(sfen))
        numbers += int(sfen.split()[3]) > MOST
        entries = []
        for one in known:
            if one.move not in codes():
                moves += 1
                continue
            score = min(max(one.value, SCORES[0]), SCORES[-1])
            depth = None if one.depth is None else min(max(one.depth, 0), MOST)
            entries.append(Entry(one.move, score, depth))
            changed += (score, depth) != (one.value, one.depth)
            unknown += one.score is None
            replies += bool(one.reply)
            counts += one.count is not None
            comments += len(one.comments)
        positions.append((sfen, entries))
    try:
        data = ybb_bytes((sfen, entries) for sfen, entries in positions if entries)
    except ValueError as error:
        raise BookError(f"cannot write {name}: a .ybb book is for 9x9 shogi, and {error}") from None
    return data, _counts(
        name,
        ("moves that 9x9 shogi does not have, left out", moves),
        ("replies, left out", replies),
        ("numbers of games, left out", counts),
        (f"move numbers above {MOST}, written as {MOST}", numbers),
        ("comments, left out", comments),
        ("unknown scores, written as 0", unknown),
        ("moves whose score or depth is out of range, written with the nearest number", changed),
    )


def _counts(name: str, *kinds: tuple[str, int]) -> list[str]:
    return [f"{name}: {what}: {count:,}" for what, count in kinds if count]


def shipped_book(variant: Variant) -> Path | None:
    """Return the path of the shipped book for a variant, or for another variant with the same pieces and start
    position. Return None if there is no such book. Variants with a die have no book, because a roll leaves few
    moves."""
    from kogoma.eval.weights import family

    if variant.die:
        return None
    names = (game.name for game in family(variant) if not game.die)
    return next((path for name in names if (path := FOLDER / f"{name}.db").is_file()), None)
