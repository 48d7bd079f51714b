"""Reviews: equal depths, judgements and summaries in Python and JavaScript, and the files for the board."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kogoma.lab.analysis.examine import Settings, examine
from kogoma.lab.analysis.judge import Judgement, Known, Moves, ScoredLine, judge, summary
from kogoma.lab.analysis.review_file import problems_text, review_text
from kogoma.lab.kifu.game import Game
from kogoma.rules.position import new_position
from kogoma.search.winning_chance import MISTAKES, scale_of
from kogoma.web.games_folder import judging
from support.peers import absent
from support.usi_client import ROOT

pytestmark = pytest.mark.slow
VARIANTS = ("minishogi", "shogi", "onitama", "dice")


def random_game(name: str, plies: int) -> Moves:
    """Return a game of random moves. In a variant with a die, every roll is free."""
    rng, position = random.Random(name), new_position(name)
    while len(position.moves) < plies and position.outcome() is None:
        position.push(rng.choice(sorted(position.legal_moves())))
    dice = (6,) * len(position.moves) if position.variant.die else ()
    return Moves(name, position.start_sfen, tuple(position.moves), dice)


def examined(game: Moves, **settings: Any) -> Known:
    known = Known()
    examine(game, Settings(movetime=0, hash_mb=4, **settings), known, lambda ply, lines: None)
    return known


def played_line(game: Moves, known: Known, ply: int) -> ScoredLine:
    return next(line for line in known[ply] if line.moves[0] == game.moves[ply])


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("nodes", [30, 2000])
def test_the_best_and_the_played_move_are_searched_to_the_same_depth(name: str, nodes: int) -> None:
    game = random_game(name, 14)
    known = examined(game, nodes=nodes, multipv=2)
    for ply in range(len(game.moves)):
        best, played = known[ply][0], played_line(game, known, ply)
        assert played.depth == best.depth or best.kind == "mate", (ply, known[ply])
        assert len({line.moves[0] for line in known[ply]}) == len(known[ply])
    assert len(judge(game, known)) == len(game.moves)


def test_a_move_that_ends_the_game_has_its_result() -> None:
    game = Moves("minishogi", "4k/5/4P/5/K4 b G 1", ("G*1b",))
    assert examined(game, nodes=100)[0] == (ScoredLine(("G*1b",), "mate", 1, 1),)


def random_known(rng: random.Random, game: Moves) -> Known:
    """Return random lines for the positions of a game, with and without that of the played move."""

    def line(move: str) -> ScoredLine:
        if rng.random() < 0.15:
            return ScoredLine((move, "x"), "mate", rng.choice([-7, -2, 1, 5]), rng.randrange(1, 9))
        return ScoredLine((move,), "cp", int(rng.gauss(0, 900)), 5)

    def lines(move: str) -> tuple[ScoredLine, ...]:
        found = [line(first) for first in (["a", "b", move] if rng.random() < 0.9 else ["a", "b"])]
        rng.shuffle(found)
        return tuple(found)

    return {ply: lines(move) for ply, move in enumerate(game.moves) if rng.random() < 0.9}


def as_page(one: Judgement) -> dict[str, Any]:
    return {"ply": one.ply, "side": one.side, "missedMate": one.missed_mate, "name": one.name}


def test_python_and_javascript_judge_alike(tmp_path: Path) -> None:
    if shutil.which("node") is None:
        absent("node")
    rng, asked, games = random.Random(7), [], []
    for number in range(60):
        name = VARIANTS[number % len(VARIANTS)]
        sfen = new_position(name).sfen()
        game = Moves(name, sfen, tuple(f"m{ply}" for ply in range(rng.randrange(1, 50))))
        known = random_known(rng, game)
        moves = [
            {"move": move, "lines": [[one.moves, one.kind, one.value, one.depth] for one in known.get(ply, ())] or None}
            for ply, move in enumerate(game.moves)
        ]
        asked.append([{**judging(), "scale": scale_of(name)}, new_position(name, sfen).turn, moves])
        games.append((game, known))
    path = tmp_path / "asked.json"
    path.write_text(json.dumps(asked), encoding="utf-8")
    command = ["node", str(ROOT / "tests" / "web" / "review_driver.mjs"), str(path)]
    answers = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    names = set[str]()
    for (game, known), answer in zip(games, answers, strict=True):
        own = judge(game, known)
        names |= {one.name for one in own}
        assert [as_page(one) for one in own] == [{key: one[key] for key in as_page(own[0])} for one in answer["judged"]]
        assert [one.loss for one in own] == pytest.approx([one["loss"] for one in answer["judged"]])
        for side, theirs in enumerate(answer["summaries"]):
            ours = summary(own, side, len(game.moves))
            assert ours.accuracy == (theirs["accuracy"] and pytest.approx(theirs["accuracy"]))
            assert (ours.counts, ours.missed_mates) == (theirs["counts"], theirs["missedMates"])
            assert list(ours.phases) == [loss and pytest.approx(loss) for loss in theirs["phases"]]
            assert list(ours.histogram) == theirs["histogram"]
    assert names == {"", *MISTAKES}


@pytest.mark.parametrize("name", ["shogi", "minishogi", "dice"])
def test_the_files_for_the_board(name: str) -> None:
    game = random_game(name, 80 if name == "shogi" else 20)
    known = examined(game, nodes=300, multipv=3)
    record = Game.played(name, game.moves, game.start)
    record.black, record.white = "一", "二"
    review = json.loads(review_text([(record, game, known)]))
    assert review["games"][0]["moves"] == list(game.moves) and review["games"][0]["names"] == ["一", "二"]
    assert [[line[1:] for line in lines] for lines in review["games"][0]["lines"]] == [
        [[line.kind, line.value, line.depth] for line in known[ply]] for ply in range(len(game.moves))
    ]
    file = json.loads(problems_text([(record, game, known)] * 2, {"multiPV": 3}))
    assert (file["format"], file["version"]) == ("shogihome-next-move" if name == "shogi" else "kogoma-next-move", 1)
    wrong = [one for one in judge(game, known) if one.severity >= MISTAKES["mistake"]]
    assert len(file["problems"]) == len({problem["sfen"] for problem in file["problems"]}) > 0
    assert [problem["source"]["ply"] for problem in file["problems"]] == [one.ply + 1 for one in wrong]
    for problem, one in zip(file["problems"], wrong):
        position = new_position(name, problem["sfen"])
        assert problem["sfen"].endswith(" 1") and position.turn == one.side
        assert problem.get("variant", "shogi") == name and problem.get("dice", 0) == (6 if name == "dice" else 0)
        first, *others = problem["candidates"]
        assert first["accepted"] and one.move == problem["actualMove"]["usi"]
        for candidate in (first, *others):
            assert candidate["pv"][0] == candidate["usi"] != one.move and candidate["usi"] in position.legal_moves()
            assert ("score" in candidate) != ("mate" in candidate)
        best = known[one.ply][0]
        told = first["mate" if best.kind == "mate" else "score"]
        assert told == (-best.value if one.side else best.value), "scores in problems are Black's"
        if "previousMove" in problem:
            before = new_position(name, problem["previousMove"]["sfen"])
            before.push(problem["previousMove"]["usi"])
            assert before.sfen().split()[:3] == problem["sfen"].split()[:3]
