"""Games of every variant are written and read again in the same format, and converted to other formats and back."""

from __future__ import annotations

import dataclasses
import io

import pytest

from kogoma.lab.kifu.formats import FORMATS, games_as_bytes, read_games
from kogoma.lab.kifu.game import Game, Line, Step
from kogoma.lab.kifu.grammar import has_kanji
from kogoma.lab.kifu.japanese_moves import kif_move
from kogoma.lab.kifu.kif import kif
from kogoma.lab.kifu.kif_reader import read_kif
from kogoma.rules.position import new_position
from kogoma.rules.variants import DEFAULT, MINISHOGI, VARIANTS
from support.kifu.games import game

SEEDS = range(12)


def through(made: Game, form: str) -> Game:
    """Write a game in a format, read the result again, and return the game that was read."""
    text = b"".join(games_as_bytes([made], form))
    [back] = read_games(io.BytesIO(text), form)
    assert back.error == ""
    return back


def bare(made: Game) -> Game:
    """Return a copy of the game without the information that USI lines cannot store."""
    steps = [Step(step.usi) for step in made.main.steps]
    end = made.main.end and dataclasses.replace(made.main.end, time_ms=None, comment="", variations=[])
    return Game(made.variant, made.start, Line(steps, end), made.black, made.white)


@pytest.mark.parametrize("variant", VARIANTS)
def test_kif_is_read_unchanged(variant: str) -> None:
    for seed in SEEDS:
        made = game(variant, seed)
        assert through(made, "kifu") == made
        assert through(made, "kif") == made


@pytest.mark.parametrize("variant", VARIANTS)
def test_kif_to_lines_to_kif(variant: str) -> None:
    """Check that a game's KIF is unchanged after the game is written as a USI or SFEN line and read again. The game
    contains only information that such a line can store."""
    for seed in SEEDS:
        made = bare(game(variant, seed))
        text = kif(made)
        [read] = read_kif(text.split("\n"), DEFAULT)
        for form in ("usi", "sfen"):
            assert kif(through(read, form)) == text


def test_kif_to_csa_to_kif() -> None:
    """Check that a game is unchanged after it is written as CSA and read again. Only games without variations are
    compared, because CSA cannot store variations."""
    for seed in range(60):
        made = game("shogi", seed)
        for step in made.main.entries:
            assert seed % 4 == 0 or not step.variations
        if seed % 4:
            text = kif(made)
            [read] = read_kif(text.split("\n"), DEFAULT)
            assert kif(through(read, "csa")) == text


def test_jkf_is_read_unchanged() -> None:
    for seed in range(60):
        made = dataclasses.replace(game("shogi", seed), label=str(seed))
        assert through(made, "jkf") == made


@pytest.mark.parametrize("variant", VARIANTS)
def test_match_records_are_read_unchanged(variant: str) -> None:
    for seed in SEEDS:
        made = game(variant, seed)
        made = dataclasses.replace(made, label=str(seed))
        back = through(made, "jsonl")
        assert (back.moves, back.outcome, back.black, back.label) == (made.moves, made.outcome, made.black, made.label)
        assert [step.dice for step in back.main.steps] == [step.dice for step in made.main.steps]
        assert through(back, "jsonl") == back


def test_ki2_of_other_programs() -> None:
    """Check that a KI2 record with the usual header is read, although one of its moves has an unnecessary suffix. A
    move that is illegal or lacks a necessary suffix must cause an error."""
    [made] = read_kif(KI2.split("\n"), DEFAULT)
    assert made.error == "" and (made.black, made.white) == ("山田", "鈴木")
    assert made.headers["開始日時"] == "2026/11/01 10:00:00" and made.variant.name == "shogi"
    assert made.moves == ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e", "6a5b", "4e3d"]
    assert made.main.steps[-1].comment == "よい手" and made.outcome and made.outcome.winner == 0
    [other] = made.main.steps[1].variations
    assert [step.usi for step in other.steps] == ["8c8d"]
    for text, told in (
        ("▲７六金", "move 1, ７六金: no such legal move"),
        ("▲５八金", "move 1, ５八金: several moves fit"),
    ):
        [bad] = read_kif(["手合割：平手", text], DEFAULT)
        assert bad.error == f"line 2, column 1: {told}"


@pytest.mark.parametrize("variant", [name for name in VARIANTS if has_kanji(VARIANTS[name])])
def test_ki2_keeps_moves_variations_and_comments(variant: str) -> None:
    for seed in SEEDS:
        made = game(variant, seed)
        back = through(made, "ki2u")
        assert back.error == "" and back.moves == made.moves
        for (_, line), (_, other) in zip(made.lines(), back.lines(), strict=True):
            assert [(step.usi, step.comment) for step in line.steps] == [(s.usi, s.comment) for s in other.steps]


def test_many_games_in_one_file() -> None:
    for form in FORMATS:
        names = ["shogi"] * 3 if form in ("csa", "jkf") else list(VARIANTS)
        if form.startswith("ki2"):
            names = [name for name in names if has_kanji(VARIANTS[name])]
        games = [game(name, seed) for seed, name in enumerate(names)]
        back = list(read_games(io.BytesIO(b"".join(games_as_bytes(games, form))), form))
        assert [(each.error, each.moves, each.variant.name) for each in back] == [
            ("", each.moves, each.variant.name) for each in games
        ]
        assert [each.start for each in back] == [each.start for each in games]


def test_every_format_is_written_or_refused() -> None:
    for name in VARIANTS:
        for form in FORMATS:
            try:
                assert b"".join(games_as_bytes([game(name, 3)], form))
            except ValueError as error:
                assert str(error) in (
                    f"CSA supports only 9x9 shogi, not {name}",
                    f"JKF supports only 9x9 shogi and minishogi, not {name}",
                    f"KI2 has no names for the pieces of {name}",
                )


KI2 = """\
開始日時：2026/11/01 10:00:00
手合割：平手
先手：山田
後手：鈴木

▲７六歩    △３四歩    ▲２二角成  △同　銀    ▲４五角打
△５二金右  ▲３四角
*よい手
まで7手で先手の勝ち

変化：2手
△8四歩
"""
KIFU_FOR_WINDOWS = """\
# ---- Kifu for Windows ----
手合割：平手
先手：あ
後手：い
手数----指手---------消費時間--
*はじめに
   1 ７六歩(77)   ( 0:16/00:00:16)
*角道
&しおり
   2 ３四歩(33)   ( 0:00/00:00:00)+
   3 ２二角成(88) ( 1:01/00:01:17)
   4 同　銀(31)   ( 0:02/00:00:02)
   5 ４五角打     ( 0:03/00:01:20)
   6 中断         ( 0:00/00:00:02)
まで5手で中断

変化：2手
   2 ８四歩(83)   ( 0:05/00:00:05)
   3 投了
"""


def test_kif_of_other_programs() -> None:
    [made] = read_kif(KIFU_FOR_WINDOWS.replace("平手", "平手　　").replace("\n", "\r\n").split("\n"), DEFAULT)
    assert made.error == "" and made.comment == "はじめに"
    assert made.moves == ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"]
    assert made.main.steps[0].comment == "角道\n&しおり"
    assert [step.time_ms for step in made.main.steps] == [16000, 0, 61000, 2000, 3000]
    assert made.outcome and made.outcome.reason == "interrupted"
    [other] = made.main.steps[1].variations
    assert [step.usi for step in other.steps] == ["8c8d"] and other.end and other.end.outcome.winner == 1


@pytest.mark.parametrize("name", ["5五将棋", "五々将棋", "５五将棋"])
def test_minishogi_by_its_names(name: str) -> None:
    """Check that KIF records of minishogi are read with each name of the game, including the names that lishogi and
    Shogidokoro use."""
    [made] = read_kif(
        f"手合割：{name}\n先手：先手\n手数----指手---------消費時間--\n   1 ２五角(25)".split("\n"), DEFAULT
    )
    assert made.variant is MINISHOGI and "line 4" in made.error
    [made] = read_kif(f"手合割：{name}\n   1 ３四銀(35)\n   2 ３二銀(31)\n   3 投了".split("\n"), DEFAULT)
    assert (made.error, made.moves) == ("", ["3e3d", "3a3b"]) and made.outcome and made.outcome.winner == 1


def test_kyoto_pieces_turn_with_and_without_the_suffix() -> None:
    """Check that every move in a KIF record of Kyoto shogi turns the moved piece over, whether the suffix 成 is written
    or not. The website lishogi follows the same rule."""
    text = "手合割：京都将棋\n   1 ３四金(25)\n   2 １二と(11)\n   3 １四歩成(15)\n   4 同　香成(12)"
    [made] = read_kif(text.split("\n"), DEFAULT)
    assert made.variant.name == "kyoto"
    assert made.moves == ["2e3d+", "1a1b+", "1e1d+", "1b1d+"], made.error


def test_all_moves_of_a_position_have_different_texts() -> None:
    """Check that no two legal moves in a position have the same text in KIF."""
    for name in VARIANTS:
        made = game(name, 4)
        position = new_position(name, made.start)
        for usi in made.moves[:30]:
            texts = [kif_move(position, other) for other in position.legal_moves()]
            assert len(set(texts)) == len(texts)
            position.push(usi)
