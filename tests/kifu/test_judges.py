"""Records of 9x9 games, compared with three libraries: each side reads what the other one has written, for 200 random
games."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kogoma.lab.kifu.csa import csa, read_csa
from kogoma.lab.kifu.game import End, Game, Step
from kogoma.lab.kifu.grammar import HANDICAP_OF
from kogoma.lab.kifu.jkf import jkf, read_jkf
from kogoma.lab.kifu.kif import ki2, kif
from kogoma.lab.kifu.kif_reader import read_kif
from kogoma.rules.variants import SHOGI
from support.kifu.games import game
from support.peers import absent

GAMES = 200
SPECIAL = {  # tsshogi's names for the ways in which a game ends
    **{"resign": "resign", "time": "timeout", "illegal_move": "foulLose", "impasse": "impass"},
    **{"interrupted": "interrupt", "checkmate": "mate", "repetition": "repetitionDraw"},
    "adjudicated_win": "resign",
}


@cache
def games() -> list[Game]:
    return [game("shogi", seed) for seed in range(GAMES)]


def usual(made: Game) -> bool:
    """Return whether a game starts from a position for which KIF needs no diagram."""
    return made.start == SHOGI.start or made.start in HANDICAP_OF


def peer(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        absent(name)


def test_cshogi_reads_kif() -> None:
    cshogi, reader = peer("cshogi"), peer("cshogi.KIF")
    results = {0: cshogi.BLACK_WIN, 1: cshogi.WHITE_WIN, None: cshogi.DRAW}
    for made in filter(usual, games()):
        parsed = reader.Parser.parse_str(kif(made))
        assert [cshogi.move_to_usi(move) for move in parsed.moves] == made.moves
        assert parsed.names == [made.black, made.white]
        assert parsed.times[: len(made.moves)] == [(step.time_ms or 0) // 1000 for step in made.main.steps]
        assert parsed.sfen == made.start
        assert made.outcome
        if made.outcome.reason != "interrupted":
            assert parsed.win == results[made.outcome.winner]


def test_cshogi_reads_csa() -> None:
    cshogi = peer("cshogi")
    for made in games():
        parser = cshogi.Parser()
        parser.parse_csa_str("\n".join(line for line in csa(made).split("\n") if not line.startswith("'*")))
        assert [cshogi.move_to_usi(move) for move in parser.moves] == made.moves
        assert parser.names == [made.black, made.white]
        assert list(map(sorted, parser.sfen.split()[:3])) == list(map(sorted, made.start.split()[:3]))
        assert parser.var_info["START_TIME"] == made.headers["開始日時"]


def test_cshogi_writes_kif_and_csa(tmp_path: Path) -> None:
    cshogi, writer, csa_writer = peer("cshogi"), peer("cshogi.KIF"), peer("cshogi.CSA")
    for made in games()[::4]:
        if made.start != SHOGI.start:
            continue
        exporter, board = writer.Exporter(str(tmp_path / "a.kifu")), cshogi.Board()
        other = csa_writer.Exporter(str(tmp_path / "a.csa"), encoding="utf-8")
        exporter.header([made.black, made.white])
        other.info(cshogi.Board(), [made.black, made.white], version="V2.2")
        for step in made.main.steps:
            move = board.move_from_usi(step.usi)
            exporter.move(move, int((step.time_ms or 0) // 1000))
            other.move(move, int((step.time_ms or 0) // 1000))
            board.push(move)
        exporter.close()
        other.close()
        for text, read in (
            ((tmp_path / "a.kifu").read_text("utf-8"), lambda lines: read_kif(lines, SHOGI)),
            ((tmp_path / "a.csa").read_text("utf-8"), read_csa),
        ):
            [back] = read(text.split("\n"))
            assert (back.error, back.moves, back.black, back.white) == ("", made.moves, made.black, made.white)
            assert [step.time_ms for step in back.main.steps] == [step.time_ms for step in made.main.steps]


def test_python_shogi_reads_kif_and_csa() -> None:
    kif_reader, csa_reader = peer("shogi.KIF"), peer("shogi.CSA")
    for made in games():
        main = kif(made).split("\n変化：")[0]  # python-shogi's parser adds the moves of variations to the game
        [parsed] = kif_reader.Parser.parse_str(main)
        assert parsed["moves"] == made.moves
        assert parsed["names"] == [made.black, made.white]
        assert parsed["sfen"].split()[0] == made.start.split()[0]
        if not usual(made):
            continue  # python-shogi's parser loses pieces in hand if there are several of one type
        [parsed] = csa_reader.Parser.parse_str(csa(made))
        assert parsed["moves"] == made.moves and parsed["names"] == [made.black, made.white]
        assert made.outcome
        if made.outcome.reason in ("resign", "time", "illegal_move"):
            assert parsed["win"] == "bw"[made.outcome.winner or 0]


def test_python_shogi_writes_kif() -> None:
    writer = peer("shogi.KIF")
    for made in games()[::4]:
        if made.start == SHOGI.start:
            win = "wb"[len(made.moves) % 2]
            summary = {"names": [made.black, made.white], "sfen": made.start, "moves": made.moves, "win": win}
            [back] = read_kif(writer.Exporter.kif(summary).split("\n"), SHOGI)
            assert (back.error, back.moves, back.black) == ("", made.moves, made.black)
            assert back.outcome and (back.outcome.winner, back.outcome.reason) == ("bw".index(win), "resign")


@pytest.fixture(scope="module")
def tsshogi() -> Any:
    """Return a function that sends tsshogi a list of records, each as a pair of format and text. The function returns
    tsshogi's answers."""
    folder, node = os.environ.get("KOGOMA_TSSHOGI", ""), shutil.which("node")
    if not node or not (Path(folder) / "node_modules" / "tsshogi").is_dir():
        absent("tsshogi")

    def read(texts: list[tuple[str, str]]) -> list[dict[str, Any]]:
        is_alone = {form for form, _ in texts} == {"kif"}
        asked = [{"format": form, "text": text, "write": is_alone} for form, text in texts]
        lines = "".join(json.dumps(each) + "\n" for each in asked)
        command = [node, str(Path(__file__).with_name("driver.mjs")), folder]
        done = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    return read


def nodes(made: Game, variations: bool = True, times: bool = True, ends: bool = True) -> list[list[Any]]:
    """Return the list that tsshogi should give for a game. Each entry has the number of the move, the move or the
    reason for the end of the game, the comment, and the time. The entries are in the order of KIF."""
    found: list[list[Any]] = [[0, "start", made.comment.strip(), 0]]
    for plies, line in made.lines():
        if line is not made.main and not variations:
            break
        for number, step in enumerate(line.entries, plies + 1):
            what = step.usi if isinstance(step, Step) else SPECIAL[step.outcome.reason]
            if isinstance(step, End) and not ends:
                what = ""
            comment = "\n".join(text for text in step.comment.split("\n") if not text.startswith("&"))
            found.append([number, what, comment.strip(), (step.time_ms or 0) if times else 0])
    return found


def said(answer: dict[str, Any], ends: bool = True) -> list[list[Any]]:
    assert "error" not in answer, answer
    marks = set(SPECIAL.values()) if not ends else set()
    return [[ply, "" if move in marks else move, comment, time] for ply, move, comment, time, _ in answer["nodes"]]


def test_tsshogi_reads_its_formats(tsshogi: Any) -> None:
    answers = tsshogi([(form, write(made)) for made in games() for form, write in WRITERS.items()])
    for number, made in enumerate(games()):
        as_kif, as_ki2, as_csa, as_jkf = answers[4 * number : 4 * number + 4]
        assert said(as_kif) == nodes(made)
        assert said(as_ki2) == nodes(made, times=False)
        plain = nodes(made, variations=False)
        assert [node[:2] + node[3:] for node in said(as_csa)] == [node[:2] + node[3:] for node in plain]
        assert [node[:2] + node[3:] for node in said(as_jkf)] == [node[:2] + node[3:] for node in nodes(made)]
        for answer in (as_kif, as_ki2, as_csa, as_jkf):
            assert answer["start"].split()[:2] == made.start.split()[:2]


WRITERS = {"kif": kif, "ki2": ki2, "csa": csa, "jkf": jkf}


def test_tsshogi_writes_kif_csa_and_jkf(tsshogi: Any) -> None:
    answers = tsshogi([("kif", kif(made)) for made in games()])
    for made, answer in zip(games(), answers):
        [back] = read_kif(answer["kif"].split("\n"), SHOGI)
        assert back.error == ""
        assert [line.steps for _, line in back.lines()] == [line.steps for _, line in made.lines()]
        assert (back.black, back.white, back.headers) == (made.black, made.white, made.headers)
        [back] = read_jkf([answer["jkf"]])
        assert back.error == "" and nodes(back) == nodes(made)
        [back] = read_csa(answer["csa"].split("\n"))
        assert (back.error, back.moves, back.black) == ("", made.moves, made.black)
        assert [step.time_ms for step in back.main.steps] == [step.time_ms for step in made.main.steps]
