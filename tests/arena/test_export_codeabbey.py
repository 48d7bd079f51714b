"""The exported program for CodeAbbey's problem 469, compared with the published sample and the reference rules."""

from __future__ import annotations

import random
from pathlib import Path

from kogoma.arena.export.command import compose
from oracles import generals as oracle
from oracles.generals import SAMPLE, SAMPLE_COUNTS, SET_UP
from support.exports.files import bare


def counts(folder: Path, text: str) -> str:
    path = folder / "count.py"
    path.write_text(compose("codeabbey"), encoding="utf-8")
    done = bare(path, text=text)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_sample_gives_the_published_counts(tmp_path: Path) -> None:
    assert counts(tmp_path, f"{SET_UP}\n{SAMPLE}\n0 0 0 0\n") == SAMPLE_COUNTS + "\n"


def test_counts_of_random_games_equal_the_reference(tmp_path: Path) -> None:
    rng = random.Random(469)
    for _ in range(10):
        set_up = oracle.random_set_up(rng)
        game, moves, expected = oracle.Game(set_up), list[str](), list[int]()
        for _ in range(120):
            move = rng.choice(game.moves())
            over = game.captures_king(move)
            game.play(move)
            moves.append(move)
            expected.append(len(game.moves()))
            if over:
                break
        text = "\n".join([set_up, *moves, "0 0 0 0"]) + "\n"
        assert counts(tmp_path, text).split() == [str(count) for count in expected], (set_up, moves)


def test_the_program_is_small_and_ascii() -> None:
    text = compose("codeabbey")
    assert text.isascii() and len(text) < 6000
