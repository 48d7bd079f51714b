"""Games as KIF, read by cshogi, and diagrams of small boards."""

from __future__ import annotations

import importlib
import json
import random
from pathlib import Path

import pytest

from kogoma.lab.journals.match_journal import GameRecord
from kogoma.lab.kifu.formats import export
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from support.kifu.records import kif, random_record, sfen_line
from support.peers import absent


def record(variant: str, seed: int, book: int = 3, start: str | None = None) -> GameRecord:
    return random_record(variant, seed, random.Random(seed), book=book, start=start)


def test_kif_is_read_by_cshogi() -> None:
    try:
        cshogi, reader = importlib.import_module("cshogi"), importlib.import_module("cshogi.KIF")
    except ModuleNotFoundError:
        absent("cshogi")
    for seed in range(4):
        played = record("shogi", seed)
        parsed = reader.Parser.parse_str(kif(played))
        assert [cshogi.move_to_usi(move) for move in parsed.moves] == [*played["book"], *played["moves"]]
        assert parsed.names == ["one", "two"]
        assert parsed.times[:5] == [0, 0, 0, 1, 1]
        assert parsed.win == {0: cshogi.BLACK_WIN, 1: cshogi.WHITE_WIN, None: cshogi.DRAW}[played["winner"]]


def test_the_file_extension_sets_the_encoding(tmp_path: Path) -> None:
    """Check that .kif files are written in Shift_JIS and .kifu files in UTF-8, as cshogi's reader expects."""
    played = record("shogi", 1) | {"white": "駒 – Ж ½ ☃"}
    (tmp_path / "m.jsonl").write_text(json.dumps(played) + "\n")
    for name in ("m.kif", "m.kifu"):
        export(tmp_path / "m.jsonl", tmp_path / name)
    assert (tmp_path / "m.kifu").read_text("utf-8") == kif(played)
    try:
        cshogi, reader = importlib.import_module("cshogi"), importlib.import_module("cshogi.KIF")
    except ModuleNotFoundError:
        absent("cshogi")
    for name, white in (("m.kif", "駒 ? Ж ? ?"), ("m.kifu", "駒 – Ж ½ ☃")):
        parsed = reader.Parser.parse_file(str(tmp_path / name))
        assert [cshogi.move_to_usi(move) for move in parsed.moves] == [*played["book"], *played["moves"]]
        assert parsed.names == ["one", white]


def test_kif_of_small_boards() -> None:
    text = kif(record("minishogi", 1, start="rbsgk/4p/5/P4/KGSBR b - 1"))
    lines = text.splitlines()
    assert "手合割：5五将棋" in lines
    top = lines.index("  ５ ４ ３ ２ １")
    assert lines[top + 2 : top + 4] == ["|v飛v角v銀v金v玉|一", "| ・ ・ ・ ・v歩|二"]
    assert "|v歩v金v玉v銀vと|一" in kif(record("kyoto", 1))  # the first rank is p+nks+l
    later = kif(record("judkins", 1, book=1, start="1+bnsgk/6/6/6/6/KGSNBR w R2p 2")).splitlines()
    assert {"後手の持駒：歩二", "先手の持駒：飛", "後手番", "| ・v馬v桂v銀v金v玉|一"} < set(later)
    assert not any(line.startswith("手合割") for line in later)


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_of_every_variant_can_be_written(variant: str) -> None:
    played = record(variant, 5)
    moves = len(played["book"]) + len(played["moves"])
    text = kif(played)
    assert f"\n{moves:4} " in text and f"\n{moves + 1:4} " in text
    words = sfen_line(played).partition(" # ")[0].split(" moves ")
    position = new_position(variant, words[0].removeprefix("sfen "))
    for usi in words[1].split():
        position.push(usi)
    assert position.moves == [*played["book"], *played["moves"]]
