"""Files of problems and of openings: all formats, encodings and line ends, remarks, several problems, invalid lines."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import pytest

from kogoma.api.game_records import read_game
from kogoma.lab.kifu.formats import FORMATS, games_as_bytes
from kogoma.lab.kifu.game import Game, GameError
from kogoma.lab.kifu.problems import read_problems
from kogoma.lab.match.openings import load_openings
from kogoma.rules.outcome import Outcome
from kogoma.rules.variants import DEFAULT, find
from support.usi_client import ENGINE, ROOT

FIRST = "4k4/9/4+P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"  # a mate in one
SECOND = "7k1/9/7+P1/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
SOLUTION = ["G*5b"]
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "cp932")
TEXT = f"# 詰将棋\n\nsfen {FIRST} # 一番\n  {SECOND}\n"


def solved(start: str, moves: list[str], name: str = "") -> Game:
    """Return the record of a problem with its solution, and the end of the game."""
    game = Game.played("shogi", moves, start)
    game.black, game.headers = name, {"棋戦": "詰将棋"}
    return game


def sfens(data: bytes, form: str = "sfen") -> list[str]:
    """Return the SFENs of the problems in a file, and "line N" for an invalid one."""
    found = read_problems(io.BytesIO(data), form, DEFAULT)
    return [f"line {one.line}" if isinstance(one, GameError) else one.sfen() for one in found]


def run(*words: str | Path, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*ENGINE, *map(str, words)], input=data, capture_output=True, cwd=ROOT, timeout=240)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_lines_in_every_encoding(encoding: str, ends: str) -> None:
    data = TEXT.replace("\n", ends).encode(encoding)
    assert sfens(data) == sfens(data, "usi") == [FIRST, SECOND]


@pytest.mark.parametrize("form", [name for name in FORMATS if name not in ("sfen", "usi", "jsonl")])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_records_in_every_encoding(encoding: str, form: str) -> None:
    """Check that the problem of a record is its start position. Its moves are the solution."""
    games = [solved(FIRST, SOLUTION, "甲"), solved(SECOND, [], "乙")]
    text = b"".join(games_as_bytes(games, form)).decode(FORMATS[form].encoding)
    assert sfens(text.encode(encoding), form) == [FIRST, SECOND]
    assert read_game(io.BytesIO(text.encode(encoding)), format=form).start == FIRST


@pytest.mark.parametrize("form", FORMATS)
def test_problems_that_convert_has_written(form: str) -> None:
    """Check that a solved problem is the same problem in every format that `convert` writes."""
    games = [solved(FIRST, SOLUTION, "甲"), solved(SECOND, [])]
    assert sfens(b"".join(games_as_bytes(games, form)), form) == [FIRST, SECOND]


def test_moves_of_a_line_lead_to_the_problem_unless_the_game_has_ended() -> None:
    start = FIRST.replace(" b ", " w ")
    line = f"sfen {start} moves 5a4a"
    [after] = sfens(line.encode())
    assert after.split()[1] == "b" and after != start
    for outcome in (Outcome(0, "resign"), Outcome(None, "interrupted")):
        game = Game.played("shogi", ["5a4a"], start)
        assert game.main.end is None
        assert sfens(b"".join(games_as_bytes([game], "sfen"))) == [after]
        game.main.end = solved(FIRST, SOLUTION).main.end
        assert game.main.end is not None
        game.main.end.outcome = outcome
        assert sfens(b"".join(games_as_bytes([game], "sfen"))) == [start]


def test_problems_after_an_invalid_one_are_read() -> None:
    data = f"nonsense\n{FIRST}\nsfen\n{FIRST} moves 9a9b\nsfen {SECOND}\n".encode()
    assert sfens(data) == ["line 1", FIRST, "line 3", "line 4", SECOND]
    assert sfens(TEXT.encode() + b"\x81\xff\n") == [FIRST, SECOND, "line 5"]
    first, second = (game.decode() for game in games_as_bytes([solved(FIRST, SOLUTION), solved(SECOND, [])], "kifu"))
    assert sfens((first.replace("５二金打", "５二飛打") + second).encode(), "kifu")[1:] == [SECOND]
    with pytest.raises(GameError, match="line 1, column 1: not a KIF record: 'nonsense'"):
        sfens(b"nonsense\n", "kif")


@pytest.mark.long
@pytest.mark.slow
def test_the_command_mate_reads_what_convert_reads(tmp_path: Path) -> None:
    kif, lines = tmp_path / "problem.kif", tmp_path / "problems.sfen"
    kif.write_bytes(b"".join(games_as_bytes([solved(FIRST, SOLUTION, "甲"), solved(SECOND, [])], "kif")))
    assert run("convert", kif, lines).returncode == 0
    text = tmp_path / "problems.txt"
    text.write_bytes(b"\xef\xbb\xbf" + lines.read_bytes().replace(b"\n", b"\r\n"))
    answers = run("mate", kif).stdout
    assert answers.decode().splitlines() == ["mate 1 (the shortest) G*5b", "mate 1 (the shortest) G*2b"]
    for words in ([lines], [text], ["-"], ["-", "--from", "kif"]):
        told = run("mate", *words, data=kif.read_bytes() if "kif" in words else lines.read_bytes())
        assert (told.stdout, told.returncode) == (answers, 0), told
    assert run("mate", kif, lines, "-", data=lines.read_bytes()).stdout == 3 * answers
    lines.write_text("rubbish\n" + lines.read_text("utf-8"), "utf-8")
    told = run("mate", lines)
    first, rest = told.stdout.split(b"\n", 1)
    assert first.decode().startswith(f"error: {lines}: line 1, column 1: ") and rest == answers and told.returncode == 1
    told = run("mate", kif, "--from", "jkf")
    assert (told.stdout, told.returncode) == (b"", 1) and told.stderr.decode().startswith(
        f"mate: {kif}: line 1, column 1: "
    )
    told = run("mate", kif, tmp_path / "problems.txt", "--from", "jkf")
    assert told.stdout.decode().startswith(f"error: {kif}: line 1, column 1: ") and told.returncode == 1
    lines.write_text("# nothing\n", "utf-8")
    assert b"contains no position" in run("mate", lines).stderr


@pytest.mark.slow
def test_the_command_analyse_reads_them(tmp_path: Path) -> None:
    lines = tmp_path / "problems.sfen"
    lines.write_bytes(f"# 詰将棋\nsfen {FIRST} moves G*5b # 解\n".encode("utf-16"))
    told = run("analyse", lines, "--nodes", "100")
    assert told.returncode == 0, told.stderr
    assert read_game(tmp_path / "problems.analysed.kifu").start == FIRST


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_openings_in_every_encoding(encoding: str, tmp_path: Path) -> None:
    start = find("shogi").start
    lines = ["# 定跡", "startpos moves 7g7f # 初手", f"position sfen {start} moves 2g2f", "", f"sfen {start}", start]
    file = tmp_path / "openings.sfen"
    file.write_bytes("\r\n".join(lines).encode(encoding))
    found = load_openings(str(file), find("shogi"))
    assert [opening.book for opening in found] == [("7g7f",), ("2g2f",), (), ()]
    assert all(opening.start == start for opening in found)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"startpos\nsfen\n", "line 2: not a position"),
        (b"startpos\n\nstartpos moves 1a1b\n", "line 3: illegal move '1a1b'"),
        (b"startpos\n\x81\xff\n", "line 2, column 1: neither UTF-8 nor Shift_JIS"),
        (b"startpos\n4k4/9 b - 1\n", "line 2: sfen: 9 ranks expected, not 2"),
    ],
)
def test_invalid_openings_are_reported(data: bytes, told: str, tmp_path: Path) -> None:
    file = tmp_path / "openings.sfen"
    file.write_bytes(data)
    with pytest.raises(ValueError) as error:
        load_openings(str(file), find("shogi"))
    assert str(error.value).startswith(f"{file}, {told}")
