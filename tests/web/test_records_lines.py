"""USI lines, files with many games, messages in two languages, and addresses that contain a game."""

from __future__ import annotations

import base64
import random
import re
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

import pytest

from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from support.browsers.page_records import GAMES, branching, opened, played, stored, whole_seconds
from support.kifu.records import kif, sfen_line
from support.node import Nodes


@pytest.mark.parametrize("name", VARIANTS)
def test_a_line_is_written_and_read_again(page_nodes: Nodes, name: str) -> None:
    node = page_nodes(name)
    for seed in range(2):
        record = played(name, seed)
        moves = [*record["book"], *record["moves"]]
        text = node.ask("usi", record=stored(record))
        assert text == f"position sfen {record['start']} moves {' '.join(moves)}"
        for line in (text, sfen_line(record), f"\ufeff\n  {text}  \n\n"):
            found = opened(node, line, name)
            tree, read = found["record"], list[str]()
            while tree.get("next"):
                tree = tree["next"][0]
                read.append(tree["move"])
            assert (found["variant"], found["trouble"], read) == (name, None, moves)
        position = new_position(name, record["start"])
        for move in moves:
            position.push(move)
        if position.outcome():
            continue
        found = opened(node, position.sfen(), name)
        assert found["record"] == {"variant": name, "start": position.sfen(), "next": []}


@pytest.mark.parametrize(
    ("name", "line", "expected"),
    [
        ("kyoto", "p+nks+l/5/5/5/+LSK+N1 b P 1 moves +P*3c 4a3b- 5e5d-", ["+P*3c", "4a3b+", "5e5d+"]),
        ("onitama", "ssmss/5/5/5/SSMSS b 2,14/7,11/13 1 moves 02:b1a2", ["2:b1a2"]),
    ],
)
def test_another_spelling_of_a_move_is_read(page_nodes: Nodes, name: str, line: str, expected: list[str]) -> None:
    """Check that the page reads other spellings of moves, and keeps each move as the engine writes it."""
    node, read = page_nodes(name), list[str]()
    found = opened(node, f"sfen {line}", name)
    tree = found["record"]
    while tree.get("next"):
        tree = tree["next"][0]
        read.append(tree["move"])
    assert (found["trouble"], read) == (None, expected)


def test_the_name_of_a_variant_may_have_digits(page_nodes: Nodes) -> None:
    node, start = page_nodes("minishogi"), VARIANTS["minishogi"].start
    games = [*GAMES, {**next(one for one in GAMES if one["name"] == "minishogi"), "name": "mini-2"}]
    for text in (
        f"sfen {start} moves 3e3d # game 7, mini-2: A - B 1-0 resign",
        "# game 7, mini-2\n先手：A\n後手：B\n手合割：5五将棋\n手数----指手---\n   1 ３四銀(35)\n",
    ):
        [found] = node.ask("open", text=text, games=games, preferred="minishogi")
        assert found["variant"] == "mini-2"


def test_invalid_lines(page_nodes: Nodes) -> None:
    node = page_nodes("minishogi")
    found = opened(node, "position startpos moves 2e3d 9z1a", "minishogi")
    assert found["record"]["next"] == [{"move": "2e3d"}]
    assert found["trouble"]["line"] == 1 and found["trouble"]["text"].startswith("move 2: illegal move '9z1a'")
    found = opened(node, "\n# a remark\nsfen rbsgk/4p/5/P4/KGSBRR b - 1")
    assert found["record"] is None
    text = "sfen: rank e is 6 squares wide, not 5"
    assert found["trouble"] == {"code": "sfen-width", "line": 3, "column": 6, "text": text}
    for text, message in (
        ("", "the input contains no game record"),
        ("\n\n", "the input contains no game record"),
        ("hello <b>there</b>", "not a KIF record: 'hello <b>there</b>'"),
    ):
        with pytest.raises(ValueError) as caught:
            node.ask("open", text=text, games=GAMES, preferred="minishogi")
        assert str(caught.value) == message
    found = opened(node, "sfen 8/8/8/8/8/8/8/8 b - 1", "minishogi")
    text = "sfen: no variant has a board of 8x8 squares"
    assert found["trouble"] == {"code": "sfen-size", "line": 1, "column": 6, "text": text}
    with pytest.raises(ValueError, match="neither UTF-8 nor Shift_JIS nor EUC-JP"):
        node.ask("open", bytes=base64.b64encode(b"\xff\xff\xff\n").decode(), games=GAMES, preferred="shogi")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "cp932"])
def test_lines_in_every_encoding(page_nodes: Nodes, encoding: str) -> None:
    text = "# 詰将棋\r\n\r\nsfen 4k/5/4P/5/K4 b G 1 moves G*1b # 1-0 checkmate\r\nsfen 4k/5/4P/5/K4 b G 1 # 二番\r\n"
    data = ("\ufeff" * encoding.startswith("utf-16") + text).encode(encoding)
    node = page_nodes("minishogi")
    found = node.ask("open", bytes=base64.b64encode(data).decode(), games=GAMES, preferred="minishogi")
    assert [one["title"] for one in found] == ["1-0 checkmate", "二番"]
    assert found[0]["record"]["next"] == [{"move": "G*1b", "end": {"winner": 0, "reason": "checkmate"}}]
    assert not any(found[0]["record"].get("names", []))


def test_files_of_many_games(page_nodes: Nodes) -> None:
    records = [played(name, seed) for name in ("minishogi", "onitama", "shogi") for seed in (1, 2)]
    node = page_nodes("minishogi")
    for text in ("\n".join(map(kif, records)), "".join(map(sfen_line, records))):
        found = node.ask("open", text=text, games=GAMES, preferred="minishogi")
        assert [one["variant"] for one in found] == [record["variant"] for record in records]
        assert all("script" in one["title"] for one in found)
        ends = [stored(record)["next"][0]["move"] for record in records[:2]]
        assert [one["record"]["next"][0]["move"] for one in found[:2]] == ends


def test_messages_in_japanese(page_nodes: Nodes) -> None:
    """Check that each error message about a position or a move has a Japanese translation without English words."""
    cases = {
        "minishogi": (
            "",
            "9",
            "rbsgk/4p/5/P4",
            "rbsgk/4p/5/P4/KGSBRR b - 1",
            "rbsgk/4p/5/P4/KGSBX b - 1",
            "rbs'k/4p/5/P4/KGSBR",
            "rbsgk/4p/5/P4/KGSBR x - 1",
            "rbsgk/4p/5/P4/KGSBR b Q 1",
            "rbsgk/4p/5/P4/KGSBR b 99P 1",
            "rbsgk/4p/5/P4/KGSBR b - 0",
            "rbsgk/4p/5/P4/KGSBR b - 1 1",
            "rbsg1/4p/5/P4/1GSBR b",
            "rbsgk/4p/5/P4/KGSBR b P",
            "P3k/5/5/5/K4 b",
            "4k/5/5/5/K3r w R",
            "rbsgk/4p/5/P4/KGSBR b !",
            "rbskk/4p/5/P4/KGSBR b",
        ),
        "onitama": (
            "ssmss/5/5/5/SSMSS b",
            "ssmss/5/5/5/SSMSS b 1,2/3,4/99 1",
            "ssmss/5/5/5/SSMSS b 1,2/3,4 1",
            "ssmss/5/5/S4/SSMSS b 1,2/3,4/5 1",
            "ssmss/5/5/M4/SSMSS b 1,2/3,4/5 1",
            "ss1ss/5/5/5/SSMSS b 1,2/3,4/5 1",
            "ssMss/5/5/5/SSmSS b 1,2/3,4/5 1",
        ),
    }
    for name, sfens in cases.items():
        node = page_nodes(name)
        english = [node.ask("error", sfen=sfen) for sfen in sfens if sfen]
        node.ask("language", name="ja")
        japanese = [node.ask("error", sfen=sfen) for sfen in sfens if sfen]
        move = node.ask("error", sfen=None, moves=["9i9i" if name == "minishogi" else "99:a1a2"])
        node.ask("language", name="en")
        for first, second in zip([*english, ""], [*japanese, move], strict=True):
            assert second and second != first
            assert not any(word in second for word in ("sfen:", "has", "illegal", "expected", "Black", "White")), second


@pytest.mark.parametrize(
    "message",
    [
        "move 2, ３四歩(33): nothing stands on 33, not 歩",
        "move 2, ３四歩(33): illegal move '9z1a': no square '9z' on a board of 5 files and 5 ranks",
        "the start position: sfen: neither side has a king",
        "move 3: several moves fit",
        "ignored '?'",
    ],
)
def test_messages_within_messages_in_japanese(page_nodes: Nodes, message: str) -> None:
    node = page_nodes("minishogi")
    node.ask("language", name="ja")
    text = node.ask("translated", message=message)
    node.ask("language", name="en")
    assert not re.search("[a-z]{3}", text), text


# Addresses


@pytest.mark.parametrize("name", VARIANTS)
def test_an_address_is_written_and_read_again(page_nodes: Nodes, name: str) -> None:
    node, rng = page_nodes(name), random.Random(name)
    for seed in range(3):
        tree = stored(played(name, seed)) if seed else branching(name, rng)
        line, at = [], tree
        while at.get("next") and "end" not in at:
            at = at["next"][0]
            line.append(at)
        kept = {"variant": name, "start": tree["start"], "next": []}
        for one in reversed(line):
            node_kept = {key: one[key] for key in ("move", "dice") if key in one}
            kept["next"] = [node_kept | ({"next": kept["next"]} if kept["next"] else {})]
        for ply in (0, len(line) // 2, len(line)):
            hash_ = node.ask("share", stored=tree, ply=ply)
            width = 3 if name == "shogi" else 2
            assert len(hash_) <= 130 + (width + (name.startswith("dice"))) * len(line)
            assert set(hash_) <= set("#=&_-+/,abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
            assert node.ask("shared", hash=hash_, games=GAMES) == {"tree": kept, "ply": ply}
        position = new_position(name, tree["start"])
        for one in line:
            position.push(one["move"])
        alone = node.ask("share", stored=tree, alone=True)
        if position.outcome():
            assert alone == node.ask("share", stored=tree)
            continue
        shared = {"tree": {"variant": name, "start": position.sfen(), "next": []}, "ply": 0}
        assert node.ask("shared", hash=alone, games=GAMES) == shared


@pytest.mark.parametrize(
    ("hash_", "message"),
    [
        ("#game=<b>", "unknown game “<b>”"),
        ("#game=minishogi&moves=%3Cscript%3E", "unreadable moves"),
        ("#game=minishogi&moves=AAA", "unreadable moves"),
        ("#game=minishogi&moves=____", "move 1 is not legal"),
        ("#game=minishogi&start=rubbish", "SFEN: 5 ranks expected, not 1"),
        ("#game=minishogi&start=%E0%A4%A", "URI malformed"),
        ("#game=minishogi&dice=123", "unreadable die rolls"),
        ("#game=minishogi&ply=1", "there is no move 1"),
        ("#game=minishogi&ply=-1", "there is no move -1"),
        ("#game=minishogi&moves=" + "A" * 30000, "the text is longer than 20000 characters"),
    ],
)
def test_an_invalid_address_is_refused(page_nodes: Nodes, hash_: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        page_nodes("minishogi").ask("shared", hash=hash_, games=GAMES)
    assert str(caught.value) == f"invalid game in the address: {message}"


def test_random_addresses_are_games_or_refused(page_nodes: Nodes) -> None:
    node, rng = page_nodes("minishogi"), random.Random(5)
    good = node.ask("share", stored=stored(played("minishogi", 1)))
    for _ in range(300):
        text = list(good)
        for _ in range(rng.randint(1, 3)):
            text[rng.randrange(len(text))] = rng.choice("#=&_-+/%,aZ0\u3042\u0000")
        try:
            node.ask("shared", hash="".join(text), games=GAMES)
        except ValueError as error:
            assert str(error).startswith("invalid game in the address: ")
    assert node.ask("shared", hash="#settings", games=GAMES) is None


SAYINGS = [
    "a <b>bold</b> comment\n&bookmark\n*two* lines & 変化：2手\n\n# dice 3",
    "  blanks  ",
    "𠮷野家\u3000\U0001f600 é\u2028x\x85y",
    "まで3手で先手の勝ち",
    "# sfen 9/9 b - 1",
    "\n",
    "x" * 3000,
]


def said_anything(node: dict[str, Any], rng: random.Random) -> None:
    """Give some moves of a stored tree other comments."""
    for one in node.get("next", []):
        if rng.random() < 0.3:
            one["comment"] = rng.choice(SAYINGS)
        said_anything(one, rng)


def some_indices(node: dict[str, Any], rng: random.Random) -> list[int]:
    """Return the indices of a random node of a stored tree."""
    indices = list[int]()
    while node.get("next") and rng.random() < 0.8:
        indices.append(rng.randrange(len(node["next"])))
        node = node["next"][indices[-1]]
    return indices


@pytest.mark.parametrize("name", VARIANTS)
def test_the_address_of_a_whole_game_keeps_all_of_it(page_nodes: Nodes, name: str) -> None:
    """Check it with random trees: variations, comments, times in seconds, die rolls, cards, names, headers and ends."""
    node, rng = page_nodes(name), random.Random(f"whole {name}")
    for seed in range(6):
        tree = whole_seconds(stored(played(name, seed)) if seed > 3 else branching(name, rng))
        said_anything(tree, rng)
        indices = some_indices(tree, rng)
        hash_ = node.ask("shareWhole", stored=tree, indices=indices)
        assert re.fullmatch(rf"#game={name}&record=[\w-]+(&node=[0-9.]+)?", hash_, re.ASCII)
        assert node.ask("sharedWhole", hash=hash_, games=GAMES) == {"tree": tree, "indices": indices}
        # Python reads the same bytes with its own zlib.
        text = zlib.decompress(urlsafe_b64decode(f"{hash_.split('record=')[1].split('&')[0]}===")).decode()
        assert text == node.ask("kif", record=tree)


def test_a_damaged_address_of_a_whole_game_is_refused(page_nodes: Nodes) -> None:
    """Check that each change of the record is noticed, also that of a single character, and that an address with an
    enormous record is refused before all of it is in memory."""
    node, rng = page_nodes("minishogi"), random.Random(6)
    tree = branching("minishogi", rng)
    good = node.ask("shareWhole", stored=tree, indices=[])
    place = good.index("record=") + len("record=")
    refused = "invalid game in the address: "
    for _ in range(200):
        at = rng.randrange(place, len(good))
        other = rng.choice([one for one in "AZaz09-_" if one != good[at]])
        damaged = rng.choice([good[:at] + other + good[at + 1 :], good[:at], good[:at] + good[at + 1 :]])
        try:
            found = node.ask("sharedWhole", hash=damaged, games=GAMES)
        except ValueError as error:
            assert str(error).startswith(refused)
        else:  # the last character has bits that mean nothing
            assert at == len(good) - 1 and found["tree"] == tree

    def address(text: bytes) -> str:
        return f"#game=minishogi&record={urlsafe_b64encode(zlib.compress(text, 9)).decode().rstrip('=')}"

    for hash_, told in {
        address(b"*" * 100_000_000): "the text is longer than 2000000 characters",
        address(b"\xff\xfe"): "it is damaged or incomplete",
        address(b""): "the input contains no game record",
        address("# game 1, minishogi\n手数----指手---\n   1 ５五歩(54)\n".encode()): "move 1, ５五歩(54): illegal move",
        address("手合割：平手\n手数----指手---\n".encode()): "it is damaged or incomplete",
        "#game=minishogi&record=": "it is damaged or incomplete",
        f"#game=minishogi&record={'A' * 200_000}": "the text is longer than 200000 characters",
        f"{good}&node=99": "there is no move 99",
        f"{good}&node=99999{'.1.99999' * 9}": "there is no move 99999.1.",
        f"{good}&node=x": "there is no move x",
    }.items():
        with pytest.raises(ValueError, match=re.escape(refused + told)):
            node.ask("sharedWhole", hash=hash_, games=GAMES)


def test_a_game_too_long_for_an_address_is_refused(page_nodes: Nodes) -> None:
    node, rng = page_nodes("minishogi"), random.Random(7)
    tree = branching("minishogi", rng)
    for size in (300_000, 3_000_000):
        tree["comment"] = rng.randbytes(size).hex()
        with pytest.raises(ValueError, match=r"too long for an address\. Save a file instead"):
            node.ask("shareWhole", stored=tree, indices=[])
