"""Opening books: files compared with a simple reader, damaged lines, and the choice of moves."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS, find
from kogoma.search.book.book import Book, BookError, BookMove, choose, key_of, probe
from kogoma.search.book.book_file import read_book, shipped_book, write_book
from kogoma.search.book.text_format import HEAD

START = VARIANTS["minishogi"].start


def naive(path: Path) -> dict[str, list[list[str]]]:
    """Read a book, and return a dictionary from each position to its moves. Each move is the list of the words in its
    line. This simple reader follows the description of the file format."""
    found: dict[str, list[list[str]]] = {}
    here: list[list[str]] = []
    for line in path.read_text(encoding="utf-8").split("\n")[1:]:
        words = line.split(" ")
        if words[0] == "sfen":
            here = found.setdefault(" ".join(words[1:]), [])
        elif line:
            here.append(words)
    return found


def test_a_simple_reader_finds_the_written_moves(tmp_path: Path) -> None:
    rng, book, path = random.Random(3), Book(), tmp_path / "a.db"
    position = new_position("minishogi")
    for _ in range(40):
        moves = position.legal_moves()
        if position.outcome() is not None:
            break
        chosen = rng.sample(moves, min(3, len(moves)))
        book.set(position.sfen(), [BookMove(move, "", rng.randint(-500, 500), 9, 2) for move in chosen])
        position.push(rng.choice(moves))
    assert write_book(book, path) == []
    assert path.read_text(encoding="utf-8").startswith(f"{HEAD}\nsfen ")
    there = naive(path)
    assert len(there) == len(book) > 5
    for sfen, found in book:
        assert there[sfen] == [[one.move, "none", str(one.score), "9", "2"] for one in found]
        assert [one.value for one in found] == sorted((one.value for one in found), reverse=True)
    again = read_book(path)
    assert dict(again) == dict(book) and again.warnings == []


def test_damaged_lines_are_named_and_skipped(tmp_path: Path) -> None:
    path = tmp_path / "b.db"
    lines = [
        "\ufeff" + HEAD, "# a comment", "// another", "2e3d none 1 1 1", f"sfen {START}", "2e3d 4a3b 56 20 1",
        "rubbish", "4e4d none x 1 1", "3e2d", "5e5d none 1 1 1 1", "sfen only", "1e2e none 5 5 5", f"sfen {START}",
        "4e4d none -7",
    ]  # fmt: skip
    path.write_bytes("\r\n".join(lines).encode() + b"\r\n\xff\xfe\r\n")
    book = read_book(path)
    assert [one.move for one in book.moves(START)] == ["2e3d", "3e2d", "4e4d"]
    assert book.moves(START)[0] == BookMove("2e3d", "4a3b", 56, 20, 1)
    numbers = [int(text.split("line ")[1].split()[0]) for text in book.warnings]
    assert numbers == [4, 7, 8, 10, 11, 12, 15]
    assert all(text.startswith(str(path)) and "\n" not in text for text in book.warnings)


@pytest.mark.parametrize("content", [b"", b"sfen x b - 1\n", b"\x00\xff" * 500])
def test_files_that_are_no_book_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "c.db"
    path.write_bytes(content)
    if content:
        with pytest.raises(BookError, match="is not an opening book"):
            read_book(path)
    else:
        assert len(read_book(path)) == 0
    with pytest.raises(BookError, match="cannot read"):
        read_book(tmp_path)
    with pytest.raises(BookError, match="cannot write"):
        write_book(Book(), tmp_path / "none" / "d.db")


def test_only_legal_moves_are_found_and_repetitions_are_searched() -> None:
    book = Book()
    book.set(START, [BookMove("2e3d", "1a1b"), BookMove("5e5a", "", 900), BookMove("4e4d", "9z9z", -5)])
    position = new_position("minishogi")
    assert [(one.move, one.reply) for one in probe(book, position)] == [("2e3d", ""), ("4e4d", "")]
    rng = random.Random(1)
    for width, times, moves in ((0, 20, {"2e3d"}), (5, 50, {"2e3d", "4e4d"})):
        assert {one and one.move for one in (choose(book, position, width, rng) for _ in range(times))} == moves
    for move in ("1e1d", "5a5b", "1d1e", "5b5a"):
        position.push(move)
    assert probe(book, position) and choose(book, position, 0, rng) is None


def test_the_shipped_book_is_valid() -> None:
    """Check that all positions of the shipped book are valid positions of minishogi, and that all moves and replies in
    the book are legal."""
    path = shipped_book(find("minishogi"))
    assert path is not None and path == shipped_book(find("minishogi-codingame"))
    assert shipped_book(find("dice")) is None and shipped_book(find("shogi")) is None
    assert path.stat().st_size < 1_000_000
    book = read_book(path)
    assert book.warnings == [] and book.moves(START)
    for sfen, moves in book:
        position = new_position("minishogi", sfen)
        assert key_of(position.sfen()) == key_of(sfen)
        assert probe(book, position) == moves, sfen
