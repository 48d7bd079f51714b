"""Python and the page's JavaScript read the same from records of other programs and from damaged ones: moves,
variations, comments, times, ends, names, headers, notes and errors.

More files: `PYTHONPATH=tests .venv/bin/python -m benchmarks.records_fuzz`
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.kifu.both import difference, python_games
from support.kifu.corpus import FORMATS, data_of, records
from support.kifu.damage import damaged_record
from support.node import Nodes

pytestmark = pytest.mark.slow

HEAD = "手合割：平手\n手数----指手---\n"
ROWS = "|v王v銀v金v角v飛|一\n" + "| ・ ・ ・ ・ ・|\n" * 3 + "| 飛 角 金 銀 玉|五\n"

# (format, text, code, line and column of the offending text)
PLACES = [
    ("kifu", HEAD + "   1 ７六歩(77)\n　　2 ３四歩(34)\n", "empty-square", 4, 5),
    ("kifu", HEAD + "   1 ７六歩(77)\n   3 ３四歩(33)\n", "other-move-number", 4, 4),
    ("kifu", HEAD + "   1 ７五歩(77)\n", "illegal-move", 3, 6),
    ("kifu", HEAD + "   1 ７六歩(77)\n\n 変化：9手\n", "short-line-before", 5, 2),
    ("kifu", HEAD + "   1 同　歩(77)\n", "same-square-first", 3, 6),
    ("kifu", "手合割：  九枚落ち\n" + HEAD[7:], "unknown-handicap", 1, 7),
    ("kifu", "# sfen 4k/5/5/5 b - 1\n" + HEAD[7:], "sfen-size", 1, 8),
    ("kifu", "# game 1, chess\n" + HEAD[7:], "unknown-variant", 1, 11),
    ("kifu", ROWS.replace("金 銀", "金 兵") + HEAD[7:], "no-such-piece", 5, 9),
    ("kifu", " " + ROWS[:30] + HEAD[7:], "board-size", 1, 2),
    ("kifu", "手合割：5五将棋\n" + ROWS.replace(" 銀", "") + HEAD[7:], "board-files", 6, 2),
    ("kifu", "後手の持駒：玉二\n" + ROWS + HEAD[7:], "not-in-this-hand", 1, 7),
    ("kifu", ROWS.replace("王", "金").replace("玉", "金") + HEAD[7:], "no-kings", 1, 1),
    ("ki2u", "▲７六歩 △３四歩 (好手) ▲７六歩 △８四歩\n", "no-move-fits", 1, 16),
    ("ki2u", "𠮷▲７六歩\n", "not-kif", 1, 1),
    ("csa", "PI\n+\n+7776FU,T3,-3334FU,T1,+7776FU\n", "no-piece-there", 3, 23),
    ("csa", "PI\n+\n+7776FU\n 3334FU\n", "unreadable", 4, 2),
    ("csa", "PI\n+\n-3334FU\n", "other-side-to-move", 3, 1),
    ("csa", "P1-KY-KE-GI-KI-OU-KI-GI-XX-KY\nP+27XX\n+\n", "unknown-piece", 1, 24),
    ("csa", "N+a\nP+27FU28HI26XX\n+\n", "unknown-piece", 2, 11),
    ("csa", "\nN+a\n", "no-side-to-move", 2, 1),
    ("usi", "\n  position startpos moves 7g7f  9a9z 3c3d\n", "off-board-move", 2, 33),
    ("usi", "position startpos moves 7g7f resign 3c3d\n", "after-end", 1, 37),
    ("sfen", " sfen 9/9 b - 1 # 𠮷\n", "sfen-size", 1, 7),
    ("sfen", " moves 7g7f\n", "not-a-position", 1, 2),
    ("jkf", ' {"moves":[{},{"move":{"to":{"x":7,"y":5},"piece":"FU"}}]}', "illegal-move", 1, 2),
    ("jkf", '{"moves":[]}\n 5', "not-jkf", 2, 2),
    ("kifu", "平手\n𠮷a\0", "not-text", 2, 3),
]


@pytest.mark.parametrize(("form", "text", "code", "line", "column"), PLACES)
def test_both_name_the_code_and_the_place_of_an_error(
    page_nodes: Nodes, form: str, text: str, code: str, line: int, column: int
) -> None:
    [*_, last] = python_games("shogi", form, text.encode())
    error = last.get("raised") or last["error"]
    assert (error["code"], error["line"], error["column"]) == (code, line, column), error
    assert difference(page_nodes, "shogi", form, text.encode()) == ""


@settings(max_examples=1000)
@given(st.integers(0, 10**9))
def test_python_and_javascript_read_the_same(page_nodes: Nodes, seed: int) -> None:
    assert difference(page_nodes, *damaged_record(seed)) == ""


@pytest.mark.parametrize("data", [b"\xcb\x80\x80", b"\xcb\xa0", b"a\xfd\xfe\xff", b"\xb1\xff\n* \xb1\xb2\xb3\xb4" * 9])
def test_python_and_javascript_decode_bytes_that_shift_jis_does_not_use_alike(page_nodes: Nodes, data: bytes) -> None:
    assert difference(page_nodes, "shogi", "kif", data) == ""


@pytest.mark.parametrize("form", FORMATS)
def test_python_and_javascript_read_the_corpus_alike(page_nodes: Nodes, form: str) -> None:
    chosen = {name: record for name, record in records().items() if record["format"] == form}
    found = {name: difference(page_nodes, "shogi", FORMATS[form], data_of(record)) for name, record in chosen.items()}
    assert {name: text for name, text in found.items() if text} == {}
