"""The page's reader and writer of KIF, compared with those of the lab (kogoma/lab) and with cshogi's reader."""

from __future__ import annotations

import base64
import importlib
import io
import random
from typing import Any

import pytest

from kogoma.lab.kifu.formats import games_as_bytes, read_games
from kogoma.lab.kifu.game import Game
from kogoma.lab.kifu.grammar import HANDICAPS, has_kanji
from kogoma.lab.kifu.kif import kif as write_kif
from kogoma.rules.variants import VARIANTS
from support.browsers.page_records import GAMES, branching, opened, played, stored, whole_seconds
from support.kifu.games import game
from support.kifu.records import kif
from support.node import Node, Nodes
from support.peers import absent
from support.scope import mostly_long

pytestmark = pytest.mark.slow

NAMES = mostly_long(VARIANTS, "shogi", "kyoto", "onitama")


@pytest.mark.parametrize("name", NAMES)
def test_kif_equals_the_labs_and_is_read_again(page_nodes: Nodes, name: str) -> None:
    node = page_nodes(name)
    for seed in range(2):
        record = played(name, seed)
        page, text = stored(record), kif(record)
        assert node.ask("kif", record=page) == text
        back = opened(node, text)
        assert back["variant"] == name and back["trouble"] is None
        assert back["record"] == whole_seconds(page)


@pytest.mark.parametrize("name", NAMES)
def test_variations_rolls_and_comments_are_read_again(page_nodes: Nodes, name: str) -> None:
    node, rng = page_nodes(name), random.Random(name)
    for _ in range(2):
        page = branching(name, rng)
        text = node.ask("kif", record=page)
        back = opened(node, text)
        assert back["trouble"] is None
        assert back["record"] == page
        lines = text.replace("\n", "\r\n").encode()
        assert node.ask("open", bytes=base64.b64encode(lines).decode(), games=GAMES, preferred="shogi") == [back]


@pytest.mark.parametrize(
    "name", mostly_long([name for name in VARIANTS if has_kanji(VARIANTS[name])], "shogi", "kyoto")
)
def test_ki2_is_read_as_the_lab_writes_it(page_nodes: Nodes, name: str) -> None:
    node, rng = page_nodes(name), random.Random(name)
    for _ in range(6):
        text = node.ask("kif", record=branching(name, rng))
        [made] = read_games(io.BytesIO(text.encode()), "kif")
        ki2 = b"".join(games_as_bytes([made], "ki2u")).decode()
        back = opened(node, ki2, name)
        assert back["trouble"] is None, back["trouble"]
        assert moves_of(back["record"]) == moves_of(opened(node, text, name)["record"])


def moves_of(node: dict[str, Any]) -> Any:
    """Return all moves of a game tree, each with its comment and the moves after it."""
    return [(one["move"], one.get("comment"), moves_of(one)) for one in node.get("next", [])]


def test_ki2_with_its_usual_header(page_nodes: Nodes) -> None:
    head = "開始日時：2026/11/01\n手合割：平手\n先手：山田\n後手：鈴木\n\n"
    text = f"{head}▲７六歩　△３四歩　▲２二角成　△同　銀\nまで4手で後手の勝ち\n"
    (found,) = page_nodes("shogi").ask("open", text=text, games=GAMES, preferred="minishogi")
    record = found["record"]
    assert found["trouble"] is None and record["names"] == ["山田", "鈴木"]
    moves, nodes, node = [], record["next"], record
    while nodes:
        node = nodes[0]
        moves.append(node["move"])
        nodes = nodes[0].get("next", [])
    assert moves == ["7g7f", "3c3d", "8h2b+", "3a2b"] and node["end"] == {"winner": 1, "reason": "resign"}
    assert record["headers"] == [["開始日時", "2026/11/01"]]
    for move, told in (("５五歩", "no such legal move"), ("５八金", "several moves fit")):
        bad = opened(page_nodes("shogi"), f"{head}▲{move}\n")
        trouble = bad["trouble"]
        assert (trouble["line"], trouble["column"], trouble["text"]) == (6, 1, f"move 1, {move}: {told}")


def test_moves_without_a_header_are_those_of_shogi(page_nodes: Nodes) -> None:
    found = opened(page_nodes("shogi"), "▲７六歩 △３四歩\n", "minishogi")
    assert (found["variant"], found["trouble"]) == ("shogi", None)
    assert found["record"]["next"] == [{"move": "7g7f", "next": [{"move": "3c3d"}]}]


TWO_GOLDS = """後手の持駒：なし
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・v玉 ・ ・ ・ ・|一
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
| ・ ・ ・ ・ ・ ・ ・ ・ ・|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ 金 ・ ・ ・ ・ ・|七
| ・ 玉 金 ・ ・ ・ ・ ・ ・|八
| ・ ・ ・ ・ ・ ・ ・ ・ ・|九
+---------------------------+
先手の持駒：金
"""


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("７七金上", "7h7g"),
        ("７七金寄", "6g7g"),
        ("７七金打", "G*7g"),
        ("７七金直", "7h7g"),  # the rules require 上 here, but old books write 直
        ("７七金左", "7h7g"),
        ("７七金右", "6g7g"),
        ("７七金", None),
    ],
)
def test_lab_and_page_understand_unusual_suffixes_of_ki2(page_nodes: Nodes, text: str, move: str | None) -> None:
    [made] = read_games(io.BytesIO(f"{TWO_GOLDS}▲{text}\n".encode()), "ki2u")
    found = opened(page_nodes("shogi"), f"{TWO_GOLDS}▲{text}\n")
    if move:
        assert made.moves == [move] and made.error == ""
        assert found["record"]["next"] == [{"move": move}] and found["trouble"] is None
    else:
        assert made.error.endswith("several moves fit") and "several moves fit" in found["trouble"]["text"]


def test_cshogi_reads_the_kif(page_nodes: Nodes) -> None:
    try:
        cshogi, reader = importlib.import_module("cshogi"), importlib.import_module("cshogi.KIF")
    except ModuleNotFoundError:
        absent("cshogi")
    rng = random.Random(2)
    for seed in range(3):
        page = branching("shogi", rng) if seed else stored(played("shogi", 0))
        page["names"] = ["one", "two"]
        parsed = reader.Parser.parse_str(page_nodes("shogi").ask("kif", record=page))
        moves, comments, nodes_left = [], [], page["next"]
        while nodes_left:
            moves.append(nodes_left[0]["move"])
            comments.append(nodes_left[0].get("comment"))
            nodes_left = nodes_left[0].get("next", []) if "end" not in nodes_left[0] else []
        assert [cshogi.move_to_usi(move) for move in parsed.moves] == moves
        assert parsed.names == ["one", "two"]
        assert [bool(comment) for comment in parsed.comments] == [bool(comment) for comment in comments][
            : len(parsed.comments)
        ]
        assert any(comments[len(parsed.comments) :]) is False


def test_kif_of_other_programs(page_nodes: Nodes) -> None:
    """Check that the page reads a KIF file of another program. The file is in Shift_JIS, and has a handicap, 同, other
    names of pieces, times with hours, a bookmark, and a variation without an end."""
    text = """# ---- a program's own line ----
開始日時：2024/01/02 10:00:00
手合割：角落ち
下手：山田
上手：鈴木
手数----指手---------消費時間--
*初形
   1 ６二銀(71)   ( 0:05/00:00:05)
   2 ７六歩(77)   ( 1:00/00:01:00)+
&しおり
   3 ３四歩(33)   (01:00:01/01:00:06)
   4 ６六歩(67)
   5 ６四歩(63)
   6 投了
まで5手で上手の勝ち

変化：4手
   4 ２二角成(88)
   5 同　銀(31)
   6 ９六歩(97)
   7 ４五角打
*打つ
"""
    games = page_nodes("shogi").ask(
        "open", bytes=base64.b64encode(text.encode("cp932")).decode(), games=GAMES, preferred="x"
    )
    (found,) = games
    record = found["record"]
    assert found["trouble"] is None and record["names"] == ["山田", "鈴木"]
    assert found["title"] == "山田 – 鈴木 · 2024/01/02 10:00:00 · White wins"
    tree = record
    assert tree["start"].startswith("lnsgkgsnl/1r7/") and tree["comment"] == "初形"
    first = tree["next"][0]
    third = first["next"][0]["next"][0]
    assert (first["move"], first["ms"], third["ms"]) == ("7a6b", 5000, 3601000)
    assert [one["move"] for one in third["next"]] == ["6g6f", "8h2b+"]
    taken = third["next"][1]["next"][0]
    dropped = {"move": "B*4e", "comment": "打つ"}
    assert taken == {"move": "3a2b", "next": [{"move": "9g9f", "next": [dropped]}]}


DRAWN = """# game 1, minishogi
先手：
後手：
持ち時間：
手合割：その他
後手の持駒：なし
  ５ ４ ３ ２ １
+---------------+
|v飛v角v銀v金v玉|一
| ・ ・ ・ ・v歩|二
| ・ ・ ・ ・ ・|三
| 歩 ・ ・ ・ ・|四
| 王 金 銀 角 飛|五
+---------------+
先手の持駒：なし
手数----指手---------消費時間--
   1 ３四角(25)
   2 ３二金(21)
   3 ２五角(34)
"""


def test_a_drawn_board_is_read(page_nodes: Nodes) -> None:
    found = opened(page_nodes("minishogi"), DRAWN.replace("# game 1, minishogi", ""), "minishogi")
    assert found["trouble"] is None
    assert found["record"]["start"] == VARIANTS["minishogi"].start
    for preferred, other in (("dice", "dice"), ("shogi", "minishogi"), ("kyoto", "kyoto")):
        text = DRAWN.replace("# game 1, minishogi", "")
        found = page_nodes("judkins").ask("open", text=text, games=GAMES, preferred=preferred)
        assert [one["variant"] for one in found] == [other]


@pytest.mark.parametrize(
    ("line", "bad", "message"),
    [
        (18, "   2 ３四歩(33)", "move 2, ３四歩(33): nothing stands on 33, not 歩"),
        (18, "   2 １四玉(11)", "move 2, １四玉(11): illegal move '1a1d' in "),
        (18, "   2 <img src=x>", "move 2: cannot read '<img src=x>'"),
        (18, "x ３四歩(33)", "cannot read 'x ３四歩(33)'"),
        (18, "   2 ２二香打", "minishogi has no piece '香'"),
        (18, "   2 １二歩", "move 2, １二歩: no such legal move"),
        (18, "変化：9手", "the variation starts at move 9, but the line before it has 1 moves"),
        (9, "|v飛v角v銀v金v玉 ・|一", "rank 一 of the board does not have 5 squares"),
        (9, "|v飛v角v銀v金v兵|一", "minishogi has no piece '兵'"),
        (6, "後手の持駒：玉二", "'玉' cannot be in hand in minishogi"),
        (6, "後手の持駒：歩百", "'百' cannot be in hand in minishogi"),
    ],
)
def test_a_bad_line_is_named_and_the_moves_before_it_are_kept(
    page_nodes: Nodes, line: int, bad: str, message: str
) -> None:
    lines = DRAWN.splitlines()
    lines[line - 1] = bad
    found = opened(page_nodes("minishogi"), "\n".join(lines))
    assert message in found["trouble"]["text"]
    assert found["trouble"]["line"] == line
    if line > 17:
        assert found["record"]["next"] == [{"move": "2e3d"}]
    else:
        assert found["record"] is None


def test_handicaps_have_the_same_names(page_nodes: Nodes) -> None:
    for name, start in HANDICAPS.items():
        end = {"winner": None, "reason": "interrupted"}
        page = {"variant": "shogi", "start": start, "next": [], "names": ["a", "b"], "end": end}
        text = page_nodes("shogi").ask("kif", record=page)
        (made,) = read_games(io.BytesIO(text.encode()), "kifu")
        assert write_kif(made) == text, name
        assert opened(page_nodes("shogi"), text)["record"]["start"] == start


@pytest.mark.parametrize("name", NAMES)
def test_the_lab_reads_and_writes_the_same(page_nodes: Nodes, name: str) -> None:
    """Check that the Python code in kogoma/lab reads KIF text that the page has written, and writes the same text
    again. The text includes variations, rolls and comments."""
    rng = random.Random(name)
    for _ in range(2):
        text = page_nodes(name).ask("kif", record=branching(name, rng))
        (made,) = read_games(io.BytesIO(text.encode()), "kifu")
        assert (made.variant.name, write_kif(made)) == (name, text)


@pytest.mark.parametrize("name", NAMES)
def test_games_of_the_lab_pass_through_unchanged(page_nodes: Nodes, name: str) -> None:
    """Check that the page reads KIF text that the Python code in kogoma/lab has written, and writes the same text
    again. The text includes headers, bookmarks, unknown times, comments, and variations with their results."""
    node = page_nodes(name)
    for seed in range(25):
        text = write_kif(game(name, seed))
        back = opened(node, text, name)
        assert back["trouble"] is None and node.ask("kif", record=back["record"]) == text


def test_csa_and_jkf_are_read_as_the_lab_reads_them(page_nodes: Nodes) -> None:
    for seed in range(60):
        for form in ("csa", "jkf"):
            reads_alike(page_nodes("shogi"), game("shogi", seed), form)


@pytest.mark.parametrize("name", NAMES)
def test_lines_are_read_as_the_lab_reads_them(page_nodes: Nodes, name: str) -> None:
    """Check that the page and the Python code in kogoma/lab read the same game from a USI or SFEN line. The names, game
    number, variant and result come from the comment after # in the line."""
    for seed in range(10):
        for form in ("usi", "sfen"):
            reads_alike(page_nodes(name), game(name, seed), form)


def reads_alike(node: Node, made: Game, form: str) -> None:
    """Write the game `made` in the format `form`. Assert that the page and the Python code in kogoma/lab read the same
    game from this text."""
    text = b"".join(games_as_bytes([made], form)).decode()
    [back] = read_games(io.BytesIO(text.encode()), form)
    found = opened(node, text)
    assert (found["variant"], found["trouble"]) == (back.variant.name, None)
    assert node.ask("kif", record=found["record"]) == write_kif(back)
