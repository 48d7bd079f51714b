"""Books of YaneuraOu's binary format (.ybb): positions and moves are compared with cshogi's, whole files with the
description of the format. Damaged files are refused."""

from __future__ import annotations

import importlib
import os
import random
import struct
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from kogoma.search.book.book import Book, BookError, BookMove
from kogoma.search.book.book_file import read_book, write_book
from kogoma.search.book.packed_sfen import packed, unpacked
from kogoma.search.book.ybb import codes
from support.lab_runs import run
from support.peers import absent
from support.usi_client import UsiClient

START = VARIANTS["shogi"].start
MAGIC = b"YANE-BINBOOK-V1\0"
AT_MOVES = 32 + 44
SPARSE = [
    "4k4/9/9/9/9/9/9/9/4K4 b - 1",
    "8k/9/9/9/9/9/9/9/K8 w RBGSNLPrbgsnlp 1",
    "k8/9/9/9/9/9/9/9/8K b 2R2B4G4S4N4L18P 1",
    "k8/9/9/9/9/9/9/9/8K w 2r2b4g4s4n4l18p 1",
    "+l+n+s1k+r+b2/+p+p+p6/9/9/9/9/9/+P+P7/+L+N+S1K+R+B2 b GPgp 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
]


@cache
def positions() -> list[str]:
    """Return the SFENs of all positions of some random games, and of positions with few pieces."""
    rng, found = random.Random(8), [*SPARSE]
    for _ in range(12):
        position = new_position("shogi")
        while position.outcome() is None and position.ply < 150:
            found.append(position.sfen())
            position.push(rng.choice(position.legal_moves()))
    return found


def peer() -> Any:
    try:
        return importlib.import_module("cshogi"), importlib.import_module("numpy")
    except ModuleNotFoundError:
        absent("cshogi")


def without_number(sfen: str) -> str:
    return sfen.rsplit(" ", 1)[0]


def test_cshogi_packs_positions_in_the_same_way() -> None:
    cshogi, numpy = peer()
    board, record = cshogi.Board(), numpy.empty(1, dtype=cshogi.PackedSfen)
    for sfen in positions():
        board.set_sfen(sfen)
        board.to_psfen(record)
        data = record[0]["sfen"].tobytes()
        assert packed(sfen) == data, sfen
        assert unpacked(data) == without_number(sfen)


def test_cshogi_encodes_moves_in_the_same_way() -> None:
    cshogi, _ = peer()
    board, seen = cshogi.Board(), set[str]()
    for sfen in positions():
        board.set_sfen(sfen)
        for move in board.legal_moves:
            text = cshogi.move_to_usi(move)
            seen.add(text)
            assert codes()[text] == cshogi.move16_to_psv(cshogi.move16(move)), text
    assert len(seen) > 1500 and {text[0] for text in seen if "*" in text} == set("PLNSGBR")


def test_a_book_survives_both_formats(tmp_path: Path) -> None:
    rng, book = random.Random(2), Book()
    for sfen in positions():
        moves = new_position("shogi", sfen).legal_moves()
        if moves:
            chosen = rng.sample(moves, min(len(moves), 3))
            book.set(sfen, [BookMove(move, "", rng.randint(-900, 900), rng.randint(1, 50), None) for move in chosen])
    assert write_book(book, tmp_path / "a.ybb") == []
    there = read_book(tmp_path / "a.ybb")
    assert there.warnings == [] and len(there) == len(book) > 500
    assert dict(there) == dict(book)
    write_book(there, tmp_path / "a.db")
    assert dict(read_book(tmp_path / "a.db")) == dict(book)
    write_book(there, tmp_path / "b.ybb")
    assert (tmp_path / "b.ybb").read_bytes() == (tmp_path / "a.ybb").read_bytes()


def test_the_bytes_of_a_book(tmp_path: Path) -> None:
    """Check a book's bytes: the header, the records in the order of their positions, and moves of 6 or 4 bytes."""
    book = Book()
    book.set(START, [BookMove("2g2f", "", 40, 12, None), BookMove("7g7f", "", -3, None, None)])
    book.set(SPARSE[1].replace(" 1", " 7"), [BookMove("R*5e", "", -700, 1, None), BookMove("9i9h", "", -800, 1, None)])
    write_book(book, tmp_path / "a.ybb")
    data = (tmp_path / "a.ybb").read_bytes()
    assert struct.unpack_from("<16sQQ", data) == (MAGIC, 2, 1)
    first, second = struct.unpack_from("<32sQHH", data, 32), struct.unpack_from("<32sQHH", data, 76)
    assert first[0] < second[0]
    moves = {record[0]: record[1:] for record in (first, second)}
    assert moves[packed(START)][1:] == (1, 2) and moves[packed(SPARSE[1])][1:] == (7, 2)
    at = 32 + 2 * 44 + moves[packed(START)][0]
    # Square 10 is 2b, so 2g is 15 and 2f is 14.
    assert struct.unpack_from("<HhH", data, at) == (15 << 7 | 14, 40, 12)
    assert struct.unpack_from("<HhH", data, at + 6) == (60 << 7 | 59, -3, 0)
    at = 32 + 2 * 44 + moves[packed(SPARSE[1])][0]
    assert struct.unpack_from("<HhH", data, at) == (1 << 14 | 6 << 7 | 40, -700, 1)
    assert len(data) == 32 + 2 * 44 + 4 * 6
    book.set(START, [BookMove("2g2f", "", 40, None, None)])
    del book._moves[without_number(SPARSE[1])]
    write_book(book, tmp_path / "a.ybb")
    data = (tmp_path / "a.ybb").read_bytes()
    assert struct.unpack_from("<Q", data, 24) == (0,) and data[AT_MOVES:] == struct.pack("<Hh", 15 << 7 | 14, 40)
    assert read_book(tmp_path / "a.ybb").moves(START) == [BookMove("2g2f", "", 40, None, None)]


def one_record(moves: bytes = b"", count: int = 0, offset: int = 0, position: bytes = b"", flags: int = 1) -> bytes:
    """Return a book with one record, the start position by default."""
    head = struct.pack("<16sQQ", MAGIC, 1, flags)
    return head + struct.pack("<32sQHH", position or packed(START), offset, 1, count) + moves


def test_words_and_positions_without_moves_are_left_out(tmp_path: Path) -> None:
    moves = b"".join(struct.pack("<HhH", code, 5, 6) for code in (0, 129, 258, 387, 15 << 7 | 14))
    (tmp_path / "a.ybb").write_bytes(one_record(moves, 5))
    book = read_book(tmp_path / "a.ybb")
    assert book.moves(START) == [BookMove("2g2f", "", 5, 6, None)]
    assert book.warnings == [f"{tmp_path / 'a.ybb'}: moves `none`, `null`, `resign` and `win`, left out: 4"]
    (tmp_path / "a.ybb").write_bytes(one_record(moves, 0))
    book = read_book(tmp_path / "a.ybb")
    assert len(book) == 0 and book.warnings == [f"{tmp_path / 'a.ybb'}: positions without moves, left out: 1"]


def test_a_book_is_recognised_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(one_record(struct.pack("<HhH", 15 << 7 | 14, 5, 6), 1))
    assert read_book(tmp_path / "a.db").moves(START) == [BookMove("2g2f", "", 5, 6, None)]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders")
def test_books_are_read_from_pipes(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    for content in (one_record(struct.pack("<HhH", 15 << 7 | 14, 5, 6), 1), f"sfen {START}\n2g2f none 5 6\n".encode()):
        writer = threading.Thread(target=path.write_bytes, args=(content,))
        writer.start()
        assert read_book(path).moves(START) == [BookMove("2g2f", "", 5, 6, None)]
        writer.join()


def changed(bit: int) -> bytes:
    """Return the start position with another bit at this index."""
    return (int.from_bytes(packed(START), "little") ^ 1 << bit).to_bytes(32, "little")


MOVE = struct.pack("<HhH", 15 << 7 | 14, 5, 6)


@pytest.mark.parametrize(
    "data, expected",
    [
        (b"", "does not begin with YANE-BINBOOK-V1"),
        (MAGIC.replace(b"V1", b"V2") + bytes(16), "does not begin with YANE-BINBOOK-V1"),
        (f"sfen {START}\n2g2f none 1 1 1\n".encode(), "does not begin with YANE-BINBOOK-V1"),
        (MAGIC + bytes(15), "ends in its header"),
        (MAGIC + struct.pack("<QQ", 1, 0), "ends in its 1 records"),
        (MAGIC + struct.pack("<QQ", 2**64 - 1, 1), "ends in its 18,446,744,073,709,551,615 records"),
        (one_record(MOVE, 1, flags=3), "its flags are 0x3"),
        (one_record(MOVE, 2), "the moves of record 1 are beyond its end"),
        (one_record(MOVE, 1, offset=1), "the moves of record 1 are beyond its end"),
        (one_record(MOVE, 1, offset=2**64 - 1), "the moves of record 1 are beyond its end"),
        (one_record(struct.pack("<HhH", 81, 5, 6), 1), "record 1 has an impossible move, 0x0051"),
        (one_record(struct.pack("<HhH", 1 << 14 | 8 << 7, 5, 6), 1), "record 1 has an impossible move, 0x4400"),
        (one_record(struct.pack("<HhH", 3 << 14 | 1 << 7, 5, 6), 1), "record 1 has an impossible move, 0xc080"),
        (one_record(MOVE, 1, position=b"\xff" * 32), "record 1 has an impossible position: the squares of the kings"),
        (one_record(MOVE, 1, position=bytes(32)), "record 1 has an impossible position: the squares of the kings"),
        (one_record(MOVE, 1, position=b"\x02" + bytes(31)), "record 1 has an impossible position: the pieces are not"),
    ],
)
def test_damaged_books_are_refused(tmp_path: Path, data: bytes, expected: str) -> None:
    (tmp_path / "a.ybb").write_bytes(data)
    with pytest.raises(BookError) as caught:
        read_book(tmp_path / "a.ybb")
    assert str(caught.value).startswith(f"{tmp_path / 'a.ybb'} is not a valid .ybb book: ")
    assert expected in str(caught.value) and "\n" not in str(caught.value)


def test_commands_report_a_damaged_book(tmp_path: Path) -> None:
    (tmp_path / "a.ybb").write_bytes(one_record(MOVE, 2))
    done = run("book", "show", "a.ybb", folder=tmp_path)
    expected = "book: a.ybb is not a valid .ybb book: the moves of record 1 are beyond its end\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)


def test_no_damage_crashes_the_reader(tmp_path: Path) -> None:
    """Check that books that are cut off, or have one changed bit or byte, are read or refused, and nothing else."""
    data, path, rng = one_record(MOVE * 3, 3), tmp_path / "a.ybb", random.Random(4)
    damaged = [data[:size] for size in range(len(data))]
    damaged += [one_record(MOVE, 1, position=changed(bit)) for bit in range(256)]
    for _ in range(400):
        copy = bytearray(data)
        copy[rng.randrange(len(copy))] = rng.randrange(256)
        damaged.append(bytes(copy))
    refused = 0
    for content in damaged:
        path.write_bytes(content)
        try:
            for sfen, moves in read_book(path):
                assert unpacked(packed(sfen)) == without_number(sfen) and moves
        except BookError:
            refused += 1
    assert len(damaged) > refused > len(data)


@pytest.mark.parametrize(
    "sfen, expected",
    [
        (VARIANTS["minishogi"].start, "is not a board of 9x9 shogi"),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "is not a board of 9x9 shogi"),
        ("99//4k4/9/9/9/9/9/4K4 b - 1", "is not a board of 9x9 shogi"),
        ("4k4/9/9/9/9/9/9/9/4K5 b - 1", "is not a board of 9x9 shogi"),
        ("4k4/9/9/9/4x4/9/9/9/4K4 b - 1", "9x9 shogi has no piece 'x'"),
        ("4k4/9/9/9/4+G4/9/9/9/4K4 b - 1", "9x9 shogi has no piece '+G'"),
        ("4k4/9/9/9/9/9/9/9/9 b - 1", "each side must have one king"),
        ("4k4/9/9/9/9/9/9/9/3KK4 b - 1", "each side must have one king"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 3R 1", "there are more than 2 pieces R"),
        ("4k4/9/9/9/9/9/9/9/4K4 b K 1", "9x9 shogi has no piece 'K' in hand"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 5 1", "'5' are no pieces in hand"),
    ],
)
def test_other_positions_are_not_written(tmp_path: Path, sfen: str, expected: str) -> None:
    book = Book()
    book.set(sfen, [BookMove("2e3d")])
    with pytest.raises(BookError) as caught:
        write_book(book, tmp_path / "a.ybb")
    assert f"cannot write {tmp_path / 'a.ybb'}: a .ybb book is for 9x9 shogi, and {sfen!r} is not" in str(caught.value)
    assert expected in str(caught.value) and not (tmp_path / "a.ybb").exists()


def test_books_of_other_boards_are_refused_before_they_are_made(tmp_path: Path) -> None:
    done = run("book", "minishogi", "--positions", "5", "-o", "a.ybb", folder=tmp_path)
    assert done.returncode == 1 and list(tmp_path.iterdir()) == []
    assert done.stderr == "book: cannot write a.ybb: a .ybb book is for 9x9 shogi, not for minishogi\n"


def test_what_the_format_cannot_store_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text(
        f"# about the book\nsfen {START}\n# about the position\n2g2f 8c8d none 3 1\n# a move\n7g7f 3c3d 40000 -1\n"
        f"5e5e none 1 1\n+P*5d none 1 1\nsfen {SPARSE[0].removesuffix('1')}70000\n5i5h none 1 none\n"
    )
    done = run("book", "export", "a.db", "-o", "a.ybb", folder=tmp_path)
    assert done.returncode == 0 and done.stdout == "a.ybb: 2 positions\n"
    assert done.stderr.splitlines() == [
        "book: a.ybb: moves that 9x9 shogi does not have, left out: 2",
        "book: a.ybb: replies, left out: 2",
        "book: a.ybb: numbers of games, left out: 1",
        "book: a.ybb: move numbers above 65535, written as 65535: 1",
        "book: a.ybb: comments, left out: 3",
        "book: a.ybb: unknown scores, written as 0: 1",
        "book: a.ybb: moves whose score or depth is out of range, written with the nearest number: 1",
    ]
    book = read_book(tmp_path / "a.ybb")
    assert book.moves(START) == [BookMove("7g7f", "", 32767, None, None), BookMove("2g2f", "", 0, 3, None)]
    assert [sfen.split()[3] for sfen, _ in sorted(book)] == ["65535", "1"]


def test_a_position_whose_hands_are_written_in_two_ways_is_one_record(tmp_path: Path) -> None:
    book = Book()
    for hands, move in (("RBp", "R*5e"), ("pBR", "B*5e")):
        book.set(f"4k4/9/9/9/9/9/9/9/4K4 b {hands} 3", [BookMove(move, "", 1, 1, None)])
    write_book(book, tmp_path / "a.ybb")
    ((sfen, moves),) = read_book(tmp_path / "a.ybb")
    assert sfen == "4k4/9/9/9/9/9/9/9/4K4 b RBp 3" and {one.move for one in moves} == {"R*5e", "B*5e"}


def test_the_engine_plays_from_a_binary_book(tmp_path: Path) -> None:
    (tmp_path / "a.ybb").write_bytes(one_record(MOVE, 1))
    with UsiClient(variant="shogi") as client:
        client.send("setoption name USI_OwnBook value true", f"setoption name BookFile value {tmp_path / 'a.ybb'}")
        client.ready()
        client.send("go btime 60000 wtime 60000")
        expected = ["info depth 6 score cp 5 pv 2g2f", "info string a move of the book", "bestmove 2g2f"]
        assert client.read_until("bestmove") == expected


def test_the_engine_reports_a_damaged_binary_book(tmp_path: Path) -> None:
    (tmp_path / "a.ybb").write_bytes(one_record(MOVE, 2))
    with UsiClient(variant="shogi") as client:
        client.send("setoption name USI_OwnBook value true", f"setoption name BookFile value {tmp_path / 'a.ybb'}")
        (error,) = client.errors_for()
        assert "is not a valid .ybb book: the moves of record 1 are beyond its end; played without a book" in error


def test_an_imported_binary_book_gets_moves_of_others(tmp_path: Path) -> None:
    (tmp_path / "a.ybb").write_bytes(one_record(MOVE, 1))
    (tmp_path / "b.db").write_text(f"sfen {SPARSE[0]}\n5i5h none 1 2 3\n")
    done = run("book", "import", "a.ybb", "b.db", "-o", "c.ybb", "--variant", "shogi", folder=tmp_path)
    assert done.stderr == "book: c.ybb: numbers of games, left out: 1\n" and done.returncode == 0
    assert done.stdout == "a.ybb: 1 position\nb.db: 1 position\nc.ybb: 2 positions\n"
    assert {sfen for sfen, _ in read_book(tmp_path / "c.ybb")} == {START, SPARSE[0]}
