"""The bot in plain Python: its rules compared with the engine's, its answers to recorded and damaged turns, its
options, and the text of the file."""

from __future__ import annotations

import ast
import json
import random
import re
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kogoma.arena.codeabbey.notation import from_usi, to_sfen
from kogoma.arena.codingame.turn_writer import turn_writer
from kogoma.arena.export import plain_bot
from kogoma.arena.export.command import compose
from kogoma.arena.export.targets import GAMES
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from oracles.generals import SET_UP
from support.exports.files import bare
from support.exports.positions import random_positions

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[1] / "data"
ARENA_GAMES = ["minishogi", "dice", "onitama"]


@cache
def tables(game: str) -> plain_bot.Tables:
    return plain_bot.Tables(game)


def of_engine(game: str, position: BasePosition) -> Any:
    """Return the bot's position for one of the engine."""
    if game == "onitama":
        lines = turn_writer(position.variant)(position.turn).lines(position, None)
        return plain_bot.onitama_position(lines[:5], lines[5:], position.turn)
    return plain_bot.shogi_position(tables(game), position.sfen().replace("+P", "T").replace("+p", "t")
                                    if game == "generals" else position.sfen())  # fmt: skip


def names(game: str, position: BasePosition) -> set[str]:
    """Return the engine's legal moves as the arena writes them."""
    action = from_usi if game == "generals" else turn_writer(position.variant)(position.turn).action
    return {action(move) for move in position.legal_moves()}


@pytest.mark.parametrize("game", GAMES)
def test_moves_equal_the_engines(game: str) -> None:
    """Check that a position has the same moves as in the engine, and that a position made by a move equals the one
    that is read from its text."""
    for number, position in enumerate(random_positions(GAMES[game].variant.name, 25, seed=5)):
        own = of_engine(game, position)
        found = own.pseudo_legal() if game == "generals" else own.legal()
        assert {own.name(move) for move in found} == names(game, position), position.sfen()
        assert len(set(found)) == len(found)
        move = random.Random(number).choice(sorted(position.legal_moves()))
        action = from_usi(move) if game == "generals" else turn_writer(position.variant)(position.turn).action(move)
        after = own.after(next(code for code in found if own.name(code) == action))
        position.push(move)
        if position.outcome() is None:
            read = of_engine(game, position)
            assert (after.key, after.evaluate()) == (read.key, read.evaluate()), position.sfen()


def test_perft_of_minishogi() -> None:
    def perft(position: plain_bot.ShogiPosition, depth: int) -> int:
        moves = position.legal()
        return len(moves) if depth == 1 else sum(perft(position.after(move), depth - 1) for move in moves)

    start = plain_bot.shogi_position(tables("minishogi"), tables("minishogi").start)
    assert [perft(start, depth) for depth in (1, 2, 3, 4)] == [14, 181, 2512, 35401]


@pytest.mark.parametrize("game", GAMES)
def test_moves_that_win_at_once_win(game: str) -> None:
    won = 0
    for position in random_positions(GAMES[game].variant.name, 60, seed=6):
        own = of_engine(game, position)
        moves = [own.win_in_one()] if game == "onitama" else own.mates()
        for move in filter(None, moves):
            after = own.after(move)
            won += 1
            if game == "generals":
                assert after.in_check and not after.legal()
            else:
                actions = {
                    turn_writer(position.variant)(position.turn).action(usi): usi for usi in position.legal_moves()
                }
                position.push(actions[own.name(move)])
                outcome = position.outcome()
                assert outcome is not None and outcome.winner == own.side
                position.pop()
    assert won > 1 or game == "generals"


def test_a_mate_of_generals_is_found() -> None:
    position = plain_bot.shogi_position(tables("generals"), "k5/6/1G4/6/6/5K b G")
    assert "! G 5 1" in {position.name(move) for move in position.mates()}


def test_a_pawn_drop_may_not_mate_but_a_repetition_may_win() -> None:
    position = plain_bot.shogi_position(tables("minishogi"), "r1g1k/4g/3S1/4R/K4 b P")
    assert "P*13" not in {position.name(move) for move in position.legal()}
    # White repeats the start position for the third time, so that Black loses.
    start = plain_bot.shogi_position(tables("minishogi"), "rbsgk/4p/5/P4/KGSBR w -")
    search = plain_bot.Search("minishogi", 1)
    move = next(move for move in start.legal() if start.name(move) == "2122")
    found = search.think(start, [move], {start.after(move).key: 2}, 9, time.perf_counter() + 60, 2)
    assert found.score == plain_bot.WON - 1


@pytest.mark.parametrize("damaged", [False, True], ids=["recorded", "damaged"])
@pytest.mark.parametrize("game", ARENA_GAMES)
def test_turns_are_answered_with_listed_actions(game: str, damaged: bool, tmp_path: Path) -> None:
    """Check that turns of the arena's referee are answered legally, without a message. A wrong line is reported, and
    only a turn whose lines are wrong may remain without an answer."""
    path, rng = tmp_path / "bot.py", random.Random(game)
    path.write_text(compose(game, "python"), encoding="utf-8")
    records = [json.loads(line) for line in (DATA / f"{game}_turns.jsonl").read_text().splitlines()][::8]
    lines: list[str] = []
    for number, record in enumerate(records):
        first = [str(record["player"]), *["5"] * (game != "onitama")]
        turn = [*([] if record["first"] else first), *record["input"]]
        place = rng.randrange(len(turn))
        if damaged and number % 2:
            turn[place : place + 1] = [["?!"], [], [turn[place]] * 2][number // 2 % 3]
        lines += turn
    done = bare(path, "--margin", "1000", text="\n".join(lines) + "\n")
    assert done.returncode == 0 and "internal" not in done.stderr and "Traceback" not in done.stderr
    answers = done.stdout.splitlines()
    assert bool(done.stderr) == damaged, done.stderr
    assert len(answers) == len(records) or (damaged and len(answers) > 0.9 * len(records))
    if not damaged:
        assert all(answer in record["input"] for record, answer in zip(records, answers))


@pytest.mark.parametrize("data", ["nonsense\n" * 40, "\0\1\2", "\n\n\n", "4534\n" * 5, "9" * 100_000, "0\n5\n"])
def test_nonsense_does_not_crash_the_bot(data: str, tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(compose("minishogi", "python"), encoding="utf-8")
    done = bare(path, text=data)
    assert (done.returncode, done.stdout) == (0, "") and "Traceback" not in done.stderr
    assert max(map(len, done.stderr.splitlines()), default=0) < 200


def test_wrong_lines_are_named_and_the_rest_is_used(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(compose("minishogi", "python"), encoding="utf-8")
    start = ["0", "5", "rbsgk", "....p", ".....", "P....", "KGSBR", "-", "-", "none"]
    for lines, answers, told in (
        ([*start, "2", "1514", "?!"], ["1514"], "line 13: expected legal action 2 of 2, not '?!'"),
        ([*start, "9", "1514"], ["1514"], "line 13: the input ends, but legal action 2 of 9 is missing"),
        ([*start[:4], "x", *start[5:], "1", "1514"], ["1514"], "line 5: expected a row of the board, not 'x'"),
        ([*start, "2", "1111", "4544"], ["4544"], "the referee also lists 1111 and does not list"),
        ([*start, "1", "1111"], ["1111"], "the referee also lists 1111 and does not list"),
        ([*start[:6], "KGSBK", *start[7:], "1", "4544"], ["4544"], "the board is not a valid position"),
        (start, [], ""),
    ):
        done = bare(path, "--margin", "1000", text="\n".join(lines) + "\n")
        assert told in done.stderr and (done.stdout.split() == answers or (not answers and done.stdout)), done.stderr


def test_a_game_of_generals_is_read(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(compose("generals", "python"), encoding="utf-8")
    done = bare(path, "--movetime", "50", text=SET_UP + "\n")
    assert done.stdout.strip() in names("generals", new_position(GAMES["generals"].variant, to_sfen(SET_UP)))
    done = bare(path, text=SET_UP + "\n1 1 1 1\n")
    assert (done.returncode, done.stdout) == (2, "") and "line 2: '1 1 1 1': the move is not legal here" in done.stderr


@pytest.mark.parametrize("game", GAMES)
def test_the_file_is_for_python_3_9_and_for_readers(game: str) -> None:
    text = compose(game, "python")
    assert text.isascii() and max(map(len, text.splitlines())) <= 120 and len(text) < 100_000
    tree = ast.parse(text, feature_version=(3, 9))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_") and node.name != "read":
            assert ast.get_docstring(node), node.name
    assert re.search(rf'^GAME = "{game}"', text, re.MULTILINE) and text.startswith("# ")
    assert "MARGIN = 20" in text and ('BOOK = """' in text) == (game == "minishogi" and 'BOOK = ""  #' not in text)
