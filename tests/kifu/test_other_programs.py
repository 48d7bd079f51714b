"""Records as other programs write them, after public bug reports: spellings, end words and encodings. What `convert`
does not keep, it tells."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from kogoma.lab.kifu.formats import games_as_bytes, read_games
from kogoma.lab.kifu.game import Game
from support.kifu.convert import convert

HEAD = "手数----指手---------消費時間--\n"
TWO = "   1 ７六歩(77)\n   2 ３四歩(33)\n"


def read(text: str, form: str = "kifu", encoding: str = "utf-8") -> Game:
    [made] = read_games(io.BytesIO(text.encode(encoding)), form)
    return made


# The line after two moves -> winner and reason. Black is to move.
ENDS = {
    "   3 投了": (1, "resign"),
    "   3 切れ負け": (1, "time"),
    "   3 時間切れ": (1, "time"),
    "   3 反則負け": (1, "illegal_move"),
    "   3 反則勝ち": (0, "illegal_move"),
    "   3 入玉勝ち": (0, "declaration"),
    "   3 入玉宣言": (0, "declaration"),
    "   3 宣言勝ち": (0, "declaration"),
    "   3 不戦敗": (1, "default"),
    "   3 不戦勝": (0, "default"),
    "   3 千日手": (None, "repetition"),
    "   3 王手千日手": (0, "perpetual_check"),
    "   3 持将棋": (None, "impasse"),
    "   3 引き分け": (None, "draw"),
    "   3 最大手数": (None, "max_moves"),
    "   3 中断": (None, "interrupted"),
    "   3 封じ手": (None, "interrupted"),
    "   3 不詰": (None, "no_mate"),
    "まで2手詰": (1, "checkmate"),
    "まで2手で詰み": (1, "checkmate"),
    "まで、2手で後手の勝ち": (1, "resign"),
    "まで2手で先手の負け": (1, "resign"),
    "まで2手で先手の不戦敗": (1, "default"),
    "まで2手で後手の不戦勝": (1, "default"),
    "まで2手で後手の不戦敗": (0, "default"),
    "まで2手で時間切れにより後手の勝ち": (1, "time"),
    "まで2手で先手の反則負け": (1, "illegal_move"),
    "まで2手で後手の反則負け": (0, "illegal_move"),
    "まで2手で先手の入玉勝ち": (0, "declaration"),
    "まで2手で持将棋": (None, "impasse"),
    "まで2手で引き分け": (None, "draw"),
}


@pytest.mark.parametrize("line", ENDS)
def test_ends(line: str) -> None:
    made = read(HEAD + TWO + line + "\n")
    assert made.error == "" and made.notes == []
    assert made.outcome and (made.outcome.winner, made.outcome.reason) == ENDS[line]


@pytest.mark.parametrize("form", ["kifu", "ki2u", "csa", "jkf"])
@pytest.mark.parametrize("line", ENDS)
def test_written_ends_are_the_same_when_read(form: str, line: str) -> None:
    made = read(HEAD + TWO + line + "\n")
    [back] = read_games(io.BytesIO(b"".join(games_as_bytes([made], form))), form)
    assert (back.error, back.outcome, back.notes) == ("", made.outcome, [])


@pytest.mark.parametrize("form", ["kifu", "ki2u", "csa", "jkf"])
def test_an_unknown_end_is_kept_and_told(form: str) -> None:
    made = read(HEAD + TWO + "   3 記録係の勘違い\n*note\n")
    assert made.error == "" and [note.kind for note in made.notes] == ["unknown_end"]
    data = b"".join(games_as_bytes([made], form))
    [back] = read_games(io.BytesIO(data), form)
    assert back.main.end and (back.main.end.text, back.main.end.comment) == ("記録係の勘違い", "note")
    assert b"".join(games_as_bytes([back], form)) == data


SPELLINGS = {
    "▲76歩△34歩\n▲22角成 △同　銀\n▲45角": "7g7f 3c3d 8h2b+ 3a2b B*4e",
    "▲７六歩△３四歩▲２二角成△２二銀▲４五角打": "7g7f 3c3d 8h2b+ 3a2b B*4e",
    "☗７六歩 ☖３四歩 ☗２二角不成 ☖同銀": "7g7f 3c3d 8h2b 3a2b",
    "７六歩　３四歩　２六歩": "7g7f 3c3d 2g2f",
    "1 ▲７六歩\n2 △３四歩\n3 ▲６八銀上": "7g7f 3c3d 7i6h",
    HEAD + "   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２二角成(88)\n   4 同銀(31)\n   5 ５五角打(00)": (
        "7g7f 3c3d 8h2b+ 3a2b B*5e"
    ),
    HEAD + "   1 ▲７六歩(77)   ( 0:01/00:00:01)+\n\t2 △３四歩(33)": "7g7f 3c3d",
}


@pytest.mark.parametrize("text", SPELLINGS)
def test_spellings(text: str) -> None:
    for form in ("kifu", "ki2u"):
        made = read(text, form)
        assert (made.error, " ".join(made.moves)) == ("", SPELLINGS[text])


DRAGON = "後手の持駒：なし\n" + "".join(
    f"|{row}|{rank}\n"
    for row, rank in zip(
        [
            " ・ ・ ・ ・v玉 ・ ・ ・ ・",
            *[" ・ 龍 ・ ・ ・ ・ ・ ・ ・"],
            *[" ・" * 9] * 5,
            " ・ 龍" + " ・" * 7,
            " ・" * 4 + " 玉" + " ・" * 4,
        ],
        "一二三四五六七八九",
    )
)


@pytest.mark.parametrize("suffix, move", [("上", "8h8f"), ("行", "8h8f"), ("引", "8b8f")])
def test_suffixes_of_dragons(suffix: str, move: str) -> None:
    assert read(f"{DRAGON}先手の持駒：なし\n▲８六龍{suffix}", "ki2u").moves == [move]


def test_a_text_whose_moves_cannot_be_read_is_an_error() -> None:
    made = read("先手：A\n初手▲７六歩以下、△３四歩\n", "ki2u")
    assert (made.error, made.moves) == ("line 2, column 1: cannot read '初手▲７六歩以下、△３四歩'", [])
    made = read("先手：A\nabc\n" + HEAD + TWO)
    assert made.error == "" and [(note.kind, note.line) for note in made.notes] == [("ignored", 2)]


CSA = "V2.2\nN+先手\nN-後手\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "euc_jp", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(encoding: str, newline: str) -> None:
    for form, text in (("csa", CSA), ("kifu", "先手：先手\n後手：後手\n" + HEAD + TWO + "   3 投了\n\x1a")):
        made = read(text.replace("\n", newline), form, encoding)
        assert (made.error, made.moves, made.black, made.white) == ("", ["7g7f", "3c3d"], "先手", "後手")
        assert made.outcome and made.outcome.winner == 1


def test_ranks_of_csa_with_single_spaces() -> None:
    rows = ["-KY-KE-GI-KI-OU-KI-GI-KE-KY", " * -HI * * * * * -KA * ", "-FU" * 9, *[" * " * 9] * 3]
    rows += ["+FU" * 9, " * +KA * * * * * +HI *", "+KY+KE+GI+KI+OU+KI+GI+KE+KY"]
    text = "".join(f"P{number}{row}\n" for number, row in enumerate(rows, 1))
    made = read(f"V2.2\n{text}+\n+7776FU\n", "csa")
    assert (made.error, made.start, made.moves) == ("", made.variant.start, ["7g7f"])


def entry(x: int, y: int, piece: str, **more: object) -> dict[str, object]:
    return {"move": {"to": {"x": x, "y": y}, "piece": piece} | more, "comments": None, "forks": None, "time": None}


def test_jkf_with_null_fields_and_presets() -> None:
    moves = [{"comments": None}, entry(7, 6, "FU", **{"from": {"x": 7, "y": 7}}), {"special": "TORYO"}]
    made = read(json.dumps({"header": {"先手": None}, "initial": None, "moves": moves}), "jkf")
    assert (made.error, made.moves) == ("", ["7g7f"]) and made.outcome and made.outcome.winner == 0
    moves = [{}, entry(2, 4, "GI", **{"from": {"x": 3, "y": 5}}), entry(5, 3, "FU", **{"from": None})]
    made = read(json.dumps({"initial": {"preset": "5_5"}, "moves": moves}), "jkf")
    assert made.variant.name == "minishogi" and made.moves == ["3e2d"] and "illegal move 'P*5c'" in made.error
    strange_moves: list[list[object]] = [["7g7f"], [{}, "7g7f"], [{}, {"usi": "7g7f"}], [{"usi": "7g7f"}], [{}, {}]]
    for strange in strange_moves:
        made = read(json.dumps({"moves": strange}), "jkf")
        assert made.error == "line 1, column 1: move 1: not valid in JKF"


def test_lines_that_end_with_a_word() -> None:
    made = read("position startpos moves 7g7f 3c3d resign\n", "usi")
    assert made.outcome and (made.outcome.winner, made.outcome.reason, made.moves) == (1, "resign", ["7g7f", "3c3d"])
    made = read("position startpos moves 7g7f 3c3d win\n", "usi")
    assert made.outcome and (made.outcome.winner, made.outcome.reason) == (0, "declaration")
    made = read("position startpos moves 7g7f abandoned\n", "usi")
    assert made.main.end and made.main.end.text == "abandoned" and made.notes[0].kind == "unknown_end"


def test_convert_tells_what_it_does_not_keep(tmp_path: Path) -> None:
    text = f"先手：☗𠮷田〜😀\nabc\ndef\n{HEAD}{TWO}   3 勘違い\n"
    (tmp_path / "a.kifu").write_text(text, encoding="utf-8")
    code, _, said = convert(tmp_path / "a.kifu", tmp_path / "a.kif")
    assert code == 0
    assert said.splitlines() == [
        f"convert: {tmp_path / 'a.kifu'}: line 2: ignored 'abc' (and 1 more)",
        f"convert: {tmp_path / 'a.kifu'}: line 7: unknown end of the game '勘違い', which is kept as text",
        f"{tmp_path / 'a.kif'}: 1 game",
        f"convert: {tmp_path / 'a.kif'}: Shift_JIS lacks ☗ 😀 𠮷: 3 question marks written; .kifu stores them",
    ]
    (tmp_path / "b.kif").write_bytes("先手：山田\n".encode("cp932")[:-2] + b"\n" + (HEAD + TWO).encode("cp932"))
    code, _, said = convert(tmp_path / "b.kif", tmp_path / "b.usi")
    assert code == 0 and "b.kif: line 1: some characters could not be decoded: '先手：山\ufffd'" in said


def test_a_record_whose_start_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.ki2u").write_text("手合割：その他\n| ・ ・|一\n▲７六歩\n", encoding="utf-8")
    code, _, said = convert(tmp_path / "a.ki2u", tmp_path / "a.usi")
    assert code == 1 and "no variant has a board of 2x1 squares" in said and "internal error" not in said
