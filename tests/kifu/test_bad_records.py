"""Invalid game records: clear messages, the moves before the error are kept, and no file is written partly."""

from __future__ import annotations

import io
import random
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kogoma.lab.kifu.formats import FORMATS, decode, games_as_bytes, read_games, write_games
from kogoma.lab.kifu.game import Game, GameError, Recorder
from kogoma.lab.kifu.kif import kif
from kogoma.lab.kifu.kif_reader import read_kif
from kogoma.rules.variants import DEFAULT
from support.kifu.games import game

HEAD = "手数----指手---------消費時間--\n"


def read(text: str, form: str = "kifu") -> list[Game]:
    return list(read_games(io.BytesIO(text.encode()), form))


WRONG_MOVES = {
    "   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ７六歩(77)\n": (
        "line 4, column 6: move 3, ７六歩(77): nothing stands on 77",
        2,
    ),
    "   1 ７五歩(77)\n": ("line 2, column 6: move 1, ７五歩(77): illegal move '7g7e' in ", 0),
    "   1 ７六銀(77)\n": ("line 2, column 6: move 1, ７六銀(77): 歩 stands on 77", 0),
    "   1 ７六歩(77)\n   3 ２六歩(27)\n": ("line 3, column 4: expected move 2, but found move 3", 1),
    "   1 ７六歩(77)\n   2 ５五歩打\n": ("line 3, column 6: move 2, ５五歩打: illegal move 'P*5e' in ", 1),
    "   1 ７六歩(77)\n   2 ３四\n": ("line 3, column 6: move 2: cannot read '３四'", 1),
    "   1 ７六歩(77)\nX ３四歩(33)\n": ("line 3, column 1: cannot read 'X ３四歩(33)'", 1),
    "   1 ７六歩(77)\n変化：9手\n": (
        "line 3, column 1: the variation starts at move 9, but the line before it has 1 moves",
        1,
    ),
    "   1 同　歩(77)\n": (
        "line 2, column 6: move 1, 同　歩(77): the first move cannot be 同, which refers to a previous move",
        0,
    ),
    "   1 ７六歩(77)\n   2 投了\n   3 ２六歩(27)\n": ("line 4, column 4: expected move 2, but found move 3", 1),
    "   1 ７六歩(77)\n   2 投了\n   2 ２六歩(27)\n": (
        "line 4, column 6: move 2, ２六歩(27): this move comes after the end of the game",
        1,
    ),
}


@pytest.mark.parametrize("text", WRONG_MOVES)
def test_the_part_before_a_wrong_move_is_kept(text: str) -> None:
    message, kept = WRONG_MOVES[text]
    [made] = read(HEAD + text)
    assert made.error.startswith(message)
    assert len(made.moves) == kept


def test_moves_after_an_invalid_start_position() -> None:
    [made] = read("手合割：その他\n後手の持駒：なし\n| ・ ・ ・|一\n▲７六歩\n△３四歩\n", "ki2u")
    assert made.error.startswith("line ") and made.moves == []


def test_the_main_line_survives_a_wrong_variation() -> None:
    [made] = read(f"{HEAD}   1 ７六歩(77)\n   2 ３四歩(33)\n   3 投了\n変化：2手\n   2 ８四歩(83)\n   3 ７七歩(76)\n")
    assert made.error.startswith("line 7, column 6: move 3, ７七歩(76)") and made.moves == ["7g7f", "3c3d"]
    [other] = made.main.steps[1].variations
    assert [step.usi for step in other.steps] == ["8c8d"]


def test_a_broken_game_does_not_affect_the_next_one() -> None:
    first, second = game("shogi", 3), game("minishogi", 4)
    text = kif(first).replace("   2 ", "   2 ９九", 1) + "\n" + kif(second)
    broken, whole = read(text)
    assert broken.error and len(broken.moves) == 1
    assert (whole.error, whole.moves) == ("", second.moves)


def test_a_variation_that_is_only_an_end_is_noted() -> None:
    [made] = read(f"{HEAD}   1 ７六歩(77)\n   2 ３四歩(33)\n変化：2手\n   2 投了\n変化：1手\n   1 ２六歩(27)\n")
    assert (made.error, made.moves) == ("", ["7g7f", "3c3d"])
    assert [str(note) for note in made.notes] == ["line 5: ignored '投了'"]
    assert [plies for plies, _ in made.lines()] == [0, 0]


def test_pieces_in_hand_may_be_counted_in_digits() -> None:
    rows = "|v玉 ・ ・ ・ ・|一\n" + "| ・ ・ ・ ・ ・|\n" * 3 + "| 玉 ・ ・ ・ ・|五\n"
    [made] = read(f"手合割：5五将棋\n後手の持駒：歩2　飛１\n{rows}先手の持駒：角二\n{HEAD}")
    assert (made.error, made.start) == ("", "k4/5/5/5/K4 b 2Br2p 1")


NO_RECORDS = {
    ("kifu", "\n\n"): "the input contains no game record",
    ("kifu", "<html>\nhello\n"): "line 1, column 1: not a KIF record: '<html>'",
    ("csa", "hello\n"): "line 1, column 1: cannot read 'hello'",
    ("csa", ""): "the input contains no game record",
    ("usi", "position startpos moves\nhello\n"): "line 2, column 1: sfen: not a board: 'hello'",
    ("jsonl", '{"game": 1}\n'): "line 1: the field 'pair' is missing",
    ("jsonl", '{"game": 1, "pai'): "line 1: not JSON, or cut off",
}


@pytest.mark.parametrize("form, text", NO_RECORDS)
def test_texts_that_are_no_record(form: str, text: str) -> None:
    with pytest.raises(GameError) as caught:
        read(text, form)
    assert str(caught.value) == NO_RECORDS[form, text]


def test_encodings() -> None:
    text = kif(game("shogi", 3))
    for encoding in ("utf-8", "utf-8-sig", "cp932", "euc_jp", "utf-16"):
        assert decode(text.encode(encoding)).removeprefix("\ufeff") == text
    with pytest.raises(GameError, match="is it UTF-16"):
        decode("手合割：平手\nabc".encode("utf-16-le"))
    with pytest.raises(GameError, match="line 2, column 1: neither UTF-8 nor Shift_JIS nor EUC-JP"):
        decode("平手\n".encode() + b"\xff\xff\xff\n")
    [made] = read_games(io.BytesIO("position startpos # 先手 - 後手".encode("cp932")), "usi")
    assert (made.black, made.white) == ("先手", "後手")
    with pytest.raises(GameError, match="line 2, column 1: neither UTF-8 nor Shift_JIS nor EUC-JP"):
        list(read_games(io.BytesIO(b"\n\x81\xff"), "usi"))


@pytest.mark.parametrize("form", ["kifu", "kif", "csa", "usi", "jsonl"])
def test_cut_records(form: str) -> None:
    """Check that reading a file that is cut off at any place gives the first moves of the game, or an error message of
    one line."""
    made = game("shogi", 3)
    whole = b"".join(games_as_bytes([made], form))
    rng = random.Random(form)
    for cut in sorted(rng.sample(range(len(whole)), 40)):
        try:
            for back in read_games(io.BytesIO(whole[:cut]), form):
                assert back.moves == made.moves[: len(back.moves)]
                if back.outcome and back.outcome != made.outcome:
                    assert made.outcome and back.outcome.winner == made.outcome.winner
        except GameError as error:
            assert "\n" not in str(error)


def test_large_files_are_refused_or_read_by_line() -> None:
    class Endless(io.BytesIO):
        """An endless file that counts how many bytes were read from it."""

        def __init__(self, line: bytes) -> None:
            super().__init__()
            self.line, self.taken = line, 0

        def read(self, size: int | None = -1) -> bytes:
            assert size is not None and size >= 0
            self.taken += size
            return (self.line * (size // len(self.line) + 1))[:size]

        def readline(self, size: int | None = -1) -> bytes:
            assert size is not None and size > 0
            self.taken += size
            return self.line if self.line.endswith(b"\n") else b"x" * size

    started = time.process_time()
    for form in ("kifu", "csa"):
        stream = Endless(b"*\n")
        with pytest.raises(GameError, match="more than 16 MB"):
            list(read_games(stream, form))
        assert stream.taken < 17_000_000
    with pytest.raises(GameError, match="line 1, column 1: the line is longer than 4 MB"):
        list(read_games(Endless(b"x"), "jsonl"))
    assert time.process_time() - started < 5


def test_a_record_of_too_many_moves() -> None:
    there, back = ("6i5h", "4a5b"), ("5h6i", "5b4a")
    recorder = Recorder("shogi")
    recorder._count = 99_998
    for usi in there:
        recorder.play(usi)
    with pytest.raises(ValueError, match="the game record has more than 100000 moves"):
        recorder.play(back[0])


def test_no_file_is_written_partly(tmp_path: Path) -> None:
    path = tmp_path / "a.csa"
    path.write_text("before")
    with pytest.raises(GameError):
        write_games(path, [game("shogi", 0), game("minishogi", 0)], "csa")
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]


LETTERS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
PIECES_OF_RECORDS = st.sampled_from(
    [
        "手合割：平手",
        "手合割：5五将棋",
        "先手：",
        "|v香v桂",
        "+---",
        "後手の持駒：飛二",
        "手数----",
        "変化：2手",
        "*",
        "# sfen ",
        "# game 1, dice",
        "   1 ７六歩(77)",
        "   2 ３四歩(33)",
        "   1 投了",
        "まで3手で先手の勝ち",
        "V2.2",
        "PI",
        "P1-KY",
        "P+00AL",
        "+",
        "+7776FU",
        "T3",
        "%TORYO",
        "'*",
        "/",
        "position startpos moves 7g7f",
        "sfen ",
        "{}",
        '{"kogoma_match":1}',
        "\ufeff",
    ]
)
RUBBISH = st.lists(
    st.one_of(PIECES_OF_RECORDS, LETTERS, st.tuples(PIECES_OF_RECORDS, LETTERS).map("".join)), max_size=12
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(RUBBISH.map("\n".join).map(str.encode), st.binary(max_size=200)), st.sampled_from(list(FORMATS)))
def test_random_texts_give_one_line_errors(data: bytes, form: str) -> None:
    try:
        for made in read_games(io.BytesIO(data), form):
            assert "\n" not in made.error
            assert made.error or b"".join(games_as_bytes([made], "kifu"))
    except GameError as error:
        assert "\n" not in str(error) and len(str(error)) < 400


def with_words(black: str, comment: str, header: str, last: str) -> Game:
    """Return a short game in which `black` is Black's name, `comment` is the comment on the game, `header` is a header,
    and `last` is the comment on the last move."""
    made = Game.played("shogi", ["7g7f", "3c3d"])
    made.black, made.headers["備考"] = black, header
    made.comment, made.main.steps[1].comment = comment, last
    return made


@settings(max_examples=100, deadline=None)
@given(LETTERS, LETTERS, LETTERS, LETTERS)
def test_any_text_is_written_and_read_again(black: str, comment: str, header: str, last: str) -> None:
    """Check that the KIF of a game with arbitrary texts is the same after it is read and written again. Control
    characters in a name become blanks; all other text is kept."""
    made = with_words(black, comment, header, last)
    first = kif(made)
    [back] = read_kif(first.split("\n"), DEFAULT)
    assert back.error == "" and back.moves == made.moves
    assert kif(back) == first


@settings(max_examples=60, deadline=None)
@given(LETTERS, LETTERS, LETTERS, LETTERS)
def test_any_text_is_written_and_read_again_in_csa(black: str, comment: str, header: str, last: str) -> None:
    made = with_words(black, comment, header, last)
    first = b"".join(games_as_bytes([made], "csa"))
    [back] = read_games(io.BytesIO(first), "csa")
    assert back.error == "" and back.moves == made.moves
    assert b"".join(games_as_bytes([back], "csa")) == first
