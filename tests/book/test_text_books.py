"""Books of YaneuraOu's text format, as ShogiHome and YaneuraOu write them: unknown values, comments, first lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from kogoma.search.book.book import Book, BookError, BookMove, joined, probe
from kogoma.search.book.book_file import read_book, write_book
from kogoma.search.book.text_format import HEAD, text_of
from support.lab_runs import run
from support.usi_client import UsiClient

START = VARIANTS["shogi"].start
SMALL = VARIANTS["minishogi"].start


def book_of(folder: Path, content: str | bytes) -> Book:
    path = folder / "a.db"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_book(path)


@pytest.mark.parametrize(
    "line, expected",
    [
        ("6g6f 4c4d none none 31", BookMove("6g6f", "4c4d", None, None, 31)),
        ("6g6f none none 7 none", BookMove("6g6f", "", None, 7, None)),
        ("6g6f None 15 none 2", BookMove("6g6f", "", 15, None, 2)),
        ("6g6f none -8 9 none", BookMove("6g6f", "", -8, 9, None)),
        ("6g6f none None NONE None", BookMove("6g6f", "", None, None, None)),
        ("6g6f 4c4d 15 9", BookMove("6g6f", "4c4d", 15, 9, None)),
        ("6g6f 4c4d 15", BookMove("6g6f", "4c4d", 15, None, None)),
        ("6g6f 4c4d", BookMove("6g6f", "4c4d", None, None, None)),
        ("6g6f", BookMove("6g6f", "", None, None, None)),
        ("  6g6f  4c4d\t15 9   1  ", BookMove("6g6f", "4c4d", 15, 9, 1)),
        ("6g6f 4c4d 15 9 1 # an old line", BookMove("6g6f", "4c4d", 15, 9, 1, (" an old line",))),
        ("6g6f resign none //mate", BookMove("6g6f", "", None, None, None, ("mate",))),
    ],
)
def test_values_of_a_move_may_be_unknown_or_missing(tmp_path: Path, line: str, expected: BookMove) -> None:
    book = book_of(tmp_path, f"{HEAD}\nsfen {START}\n{line}\n")
    assert book.moves(START) == [expected] and book.warnings == []
    assert write_book(book, tmp_path / "b.db") == []
    again = read_book(tmp_path / "b.db")
    assert again.moves(START) == [expected] and again.warnings == []


def test_unknown_values_are_written_as_other_programs_expect(tmp_path: Path) -> None:
    """Check that an unknown score or depth is written as `none`, and that an unknown count is left out."""
    book = Book()
    moves = [
        BookMove("6g6f", "", None, None, None),
        BookMove("2g2f", "8c8d", None, 3, 4),
        BookMove("7g7f", "", 0, 0, 0),
    ]
    book.set(START, moves)
    write_book(book, tmp_path / "a.db")
    lines = (tmp_path / "a.db").read_text().splitlines()
    assert lines == [HEAD, f"sfen {START}", "6g6f none none none", "2g2f 8c8d none 3 4", "7g7f none 0 0 0"]


def test_an_unknown_score_counts_as_0(tmp_path: Path) -> None:
    book = book_of(tmp_path, f"{HEAD}\nsfen {START}\n6g6f none -1\n7g7f none none\n2g2f none 1\n")
    assert [one.move for one in probe(book, new_position("shogi"))] == ["2g2f", "7g7f", "6g6f"]


@pytest.mark.parametrize(
    "begin",
    [
        *("", "\ufeff", f"{HEAD}\n", f"\ufeff{HEAD}\r\n", f"{HEAD}  \t\n", "\n\n", "# by hand\n", "// by hand\n\n"),
        *(f"# by hand\n{HEAD}\n", f"{HEAD}\n# NOE:1\n", "# NOE:1\n", f"{HEAD}\n{HEAD}\n"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", " \r\n"])
def test_the_first_line_may_be_missing(tmp_path: Path, begin: str, end: str) -> None:
    book = book_of(tmp_path, begin + end.join([f"sfen {START}", "2g2f 8c8d 3 2 1", "7g7f none 1 2 3", ""]))
    assert [one.move for one in book.moves(START)] == ["2g2f", "7g7f"] and len(book) == 1 and book.warnings == []


OTHER, NONE = "another format or version", "is not an opening book"
DB = "#YANEURAOU-DB"


@pytest.mark.parametrize(
    "first, expected",
    [
        *((f"{DB}2016 1.01", OTHER), (f"{DB}2016 2.00", OTHER), (f"{DB}2016", OTHER), (f"{DB}2025 1.00", OTHER)),
        *(("#OTHER-BOOK 1.00", OTHER), ("#yaneuraou_book 3.1", OTHER), ("#YANEURAOU-X", OTHER)),
        *((f"# a comment\n{DB}2016 2.00", OTHER), ("2g2f none 1 1 1", NONE), ("V2.2", NONE), ("rubbish", NONE)),
        *(("sfen", NONE), ("sfen 1/1", NONE), ("[Event]", NONE), ("# KIF\nV2", NONE), ("// text\n\nmore", NONE)),
        ("# only a comment", NONE),
    ],
)
def test_a_wrong_first_line_is_refused(tmp_path: Path, first: str, expected: str) -> None:
    rest = "" if "only" in first else f"\nsfen {START}\n2g2f none 1 1 1\n"
    with pytest.raises(BookError, match=expected) as caught:
        book_of(tmp_path, first + rest)
    assert "\n" not in str(caught.value) and str(tmp_path / "a.db") in str(caught.value)


COMMENTED = f"""{HEAD}
# NOE:9
#by hand
//second line
sfen {START}
#before the moves
7g7f none 1 2 3
# after a move
#
#   two lines further
2g2f none none none
sfen {START.replace(" b ", " w ").replace(" 1", " 2")}
3c3d none 5 5 5
"""


def test_comments_survive(tmp_path: Path) -> None:
    book = book_of(tmp_path, COMMENTED)
    assert book.warnings == [] and book.comments == (" NOE:", "by hand", "second line")
    assert book.comments_on(START) == ("before the moves",)
    assert [one.comments for one in book.moves(START)] == [(" after a move", "", "   two lines further"), ()]
    assert write_book(book, tmp_path / "b.db") == []
    expected = COMMENTED.replace("NOE:9", "NOE:2").replace("//", "#")
    assert (tmp_path / "b.db").read_text() == expected


def test_comments_in_other_encodings_survive(tmp_path: Path) -> None:
    content = f"{HEAD}\nsfen {START}\n7g7f none 1 2 3\n#".encode() + "居飛車".encode("shift_jis") + b"\n"
    book = book_of(tmp_path, content)
    write_book(book, tmp_path / "b.db")
    assert (tmp_path / "b.db").read_bytes() == content
    with pytest.raises(BookError, match="is not an opening book"):
        book_of(tmp_path, f"sfen {START.split()[0]} b \udcff 1\n".encode(errors="surrogateescape"))


def test_an_empty_first_line_of_a_comment_survives(tmp_path: Path) -> None:
    content = f"{HEAD}\nsfen {START}\n7g7f none 1 2 3\n#\n# after an empty line\x0c\u2028with odd breaks\n"
    write_book(book_of(tmp_path, content), tmp_path / "b.db")
    assert (tmp_path / "b.db").read_text(encoding="utf-8") == content


def test_merged_books_have_one_number_of_positions(tmp_path: Path) -> None:
    first, second = (
        book_of(tmp_path, f"# NOE:5\nsfen {START}\n7g7f"),
        book_of(tmp_path, f"#noe = 1,000\nsfen {SMALL}\n4e4d"),
    )
    assert first.merge(second) == 0
    assert list(text_of(first))[:3] == [HEAD, "# NOE:2", f"sfen {START}"]


def test_import_and_export_keep_everything(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text(COMMENTED)
    (tmp_path / "b.db").write_text(f"sfen {START}\n# again\n7g7f none none none\n# best\nsfen {SMALL}\n2e3d none 1\n")
    done = run("book", "import", "a.db", "b.db", "-o", "c.db", folder=tmp_path)
    assert done.stdout.splitlines() == [
        "a.db: 2 positions", "b.db: 2 positions, 1 in place of earlier ones", "c.db: 3 positions"
    ]  # fmt: skip
    assert done.stderr == "" and done.returncode == 0
    text = (tmp_path / "c.db").read_text()
    assert text.startswith(f"{HEAD}\n# NOE:3\n#by hand\n#second line\nsfen ")
    assert f"sfen {START}\n# again\n7g7f none none none\n# best\nsfen " in text
    assert run("book", "export", "c.db", "-o", "d.db", folder=tmp_path).returncode == 0
    assert (tmp_path / "d.db").read_text() == text
    done = run("book", "export", "c.db", "-o", "e.jsonl", folder=tmp_path)
    assert done.stderr == "book: e.jsonl: comments on the whole book, left out: 3\n"
    entries = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    (first,) = (entry for entry in entries if entry["sfen"] == START)
    move = {"move": "7g7f", "reply": "", "score": None, "depth": None, "count": None, "comments": [" best"]}
    assert first == {"sfen": START, "comments": [" again"], "moves": [move]}


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text(
        f"{HEAD}\nsfen {START}\nsfen {SMALL}\n2e3d x3y 1 1 1\n4e4d y 1 1 1\nsfen bad\n# lost\nsfen {SMALL}\n4e4d\n"
    )
    done = run("book", "export", "a.db", "-o", "b.sfen", "--plies", "0", folder=tmp_path)
    assert done.stderr.splitlines() == [
        "book: a.db: line 6 is skipped: 'bad' is not a position",
        "book: a.db: line 7 is skipped: it is a comment on a skipped line",
        "book: a.db: positions without moves, left out: 1",
        "book: a.db: moves replaced by later ones for the same position: 1",
        "book: a.db: replies that are not moves, left out: 2",
    ]
    (tmp_path / "c.db").write_text(
        f"sfen {SMALL}\n4e4d\nsfen {SMALL.replace(' b ', ' w ').replace(' 1', ' 2')}\n2a3b\n"
    )
    done = run("book", "export", "c.db", "-o", "b.sfen", "--plies", "0", folder=tmp_path)
    assert done.stderr == "book: b.sfen: positions after ply 0, left out: 1\n"
    assert done.stdout == "b.sfen: 1 position\n"


def test_comments_on_skipped_lines_are_skipped(tmp_path: Path) -> None:
    lines = [HEAD, "# book", f"sfen {START}", "# position", "7g7f", "# move", "rubbish", "# a", "# b", "2g2f", "# move"]
    book = book_of(tmp_path, "\n".join([*lines, "sfen x", "# c"]))
    assert [one.comments for one in book.moves(START)] == [(" move",), (" move",)]
    assert book.comments == (" book",) and book.comments_on(START) == (" position",)
    assert [int(text.split("line ")[1].split()[0]) for text in book.warnings] == [7, 8, 9, 12, 13]


def test_many_comments_are_read_quickly(tmp_path: Path) -> None:
    content = "# text\n" * 200_000
    book = book_of(tmp_path, f"{HEAD}\n{content}sfen {START}\n{content}7g7f\n{content}")
    assert len(book.comments) == len(book.comments_on(START)) == len(book.moves(START)[0].comments) == 200_000


def test_commands_print_unknown_values(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text(f"sfen {SMALL}\n2e3d none none none 4\n4e4d 3a2b none 8\n1e1d none -3 none\n")
    assert run("book", "show", "a.db", folder=tmp_path).stdout.splitlines() == [
        "1 position, 3 moves", "  1. 2e3d   -   (4e4d -, 1e1d -0.03)"
    ]  # fmt: skip
    lines = run("book", "probe", "a.db", folder=tmp_path).stdout.splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["2e3d", "-", "depth", "-", "count", "4", "reply", "-"],
        ["4e4d", "-", "depth", "8", "count", "-", "reply", "3a2b"],
        ["1e1d", "-0.03", "depth", "-", "count", "-", "reply", "-"],
    ]


def test_the_engine_plays_moves_of_unknown_score(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text(f"\ufeffsfen {SMALL}\n4e4d 3a2b none none none\n", encoding="utf-8")
    with UsiClient() as client:
        client.send("setoption name USI_OwnBook value true", f"setoption name BookFile value {tmp_path / 'a.db'}")
        client.ready()
        client.send("go btime 60000 wtime 60000")
        lines = client.read_until("bestmove")
        assert lines == ["info depth 1 pv 4e4d 3a2b", "info string a move of the book", "bestmove 4e4d ponder 3a2b"]


def test_joined_comments_have_no_line_twice() -> None:
    a, b, c = ("a",), ("b",), ("c",)
    assert joined((), ()) == () and joined(a, ()) == joined((), a) == joined(a, a) == a
    assert joined(a + b, b + c) == a + b + c


def test_games_of_other_variants_are_counted(tmp_path: Path) -> None:
    (tmp_path / "g.sfen").write_text(f"sfen {SMALL} moves 2e3d\nsfen {START} moves 7g7f 3c3d\n")
    done = run("book", "import", "g.sfen", "-o", "b.db", folder=tmp_path)
    assert done.stdout == "g.sfen: 1 game of minishogi, 1 of other variants left out\nb.db: 1 position\n"
