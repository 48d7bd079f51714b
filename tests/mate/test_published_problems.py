"""The problems in docs/problems: their files, and proofs of a sample. `benchmarks/prove_mates.py` proves all."""

from __future__ import annotations

import re
import subprocess
from collections import Counter

import pytest

from kogoma.lab.kifu.problems import read_problems
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from kogoma.search.mate.problems import examine
from kogoma.search.mate.solver import MATE, MateLimits, MateSolver
from kogoma.search.table_memory import Table
from oracles import mates
from oracles import shogi as oracle
from support.kifu.both import page_games
from support.mates import Problem
from support.mates.proof import SolversAdvice, TooLong, prove
from support.mates.published import FOLDER, GRADES, MATE_GAMES, ONLY_MOVE_GAME, Published, published, values
from support.mates.rule_books import Naive
from support.node import Nodes
from support.scope import count, part
from support.usi_client import ENGINE, ROOT

ALL = (*MATE_GAMES, ONLY_MOVE_GAME)
COUNT = 200
FEW = 5  # problems of each file that the page reads
LIMITS = MateLimits(nodes=2_000_000)


def same_problem(game: str, sfen: str) -> object:
    """Return a key that is equal for a problem, its mirror image, and the same problem with the sides exchanged."""
    rules = oracle.RULES[game]
    position = oracle.parse_sfen(rules, sfen)
    turned = {(rules.files - 1 - x, rules.ranks - 1 - y): piece.swapcase() for (x, y), piece in position.board.items()}
    board = turned if position.turn else position.board
    hands = position.hands[:: -1 if position.turn else 1]
    mirrored = {(rules.files - 1 - x, y): piece for (x, y), piece in board.items()}
    return frozenset({frozenset(board.items()), frozenset(mirrored.items())}), hands


@pytest.mark.parametrize("game", ALL)
def test_a_file_has_different_problems_in_the_order_of_their_rating(game: str) -> None:
    every = published(game)
    assert [problem.number for problem in every] == list(range(1, COUNT + 1))
    assert {problem.game for problem in every} == {game}
    assert len({same_problem(game, problem.sfen) for problem in every}) == COUNT
    assert [problem.nodes for problem in every] == sorted(problem.nodes for problem in every)
    for problem in every:
        first, last = GRADES[problem.grade]
        assert first <= problem.nodes and (last is None or problem.nodes < last), problem
    assert len({problem.plies for problem in every}) >= 5 and len({problem.grade for problem in every}) == 5


@pytest.mark.parametrize("preferred", ["minishogi", "dice-codingame", "generals"])
def test_all_readers_know_the_variant(preferred: str, page_nodes: Nodes) -> None:
    """Check that the command `mate` reads every problem of a file, and the page the first ones, whatever game is
    open."""
    for game in ALL:
        sfens = [problem.sfen for problem in published(game)]
        with (FOLDER / f"{game}.sfen").open("rb") as file:
            read = list(read_problems(file, "sfen", VARIANTS[preferred]))
        assert [(one.variant.name, one.sfen()) for one in read if not isinstance(one, ValueError)] == [
            (game, sfen) for sfen in sfens
        ]
        lines = (FOLDER / f"{game}.sfen").read_bytes().splitlines(True)
        shown = page_games(page_nodes, preferred, "usi", b"".join(lines[: 1 + 2 * FEW]))  # two lines for each
        assert [(one["variant"], one["start"], one["error"]) for one in shown] == [
            (game, sfen, None) for sfen in sfens[:FEW]
        ]


def test_the_page_of_the_problems_counts_them() -> None:
    """Check the tables in docs/problems/README.md."""
    text = (FOLDER / "README.md").read_text("utf-8")
    rows = {row[0]: row[1:] for row in (re.findall(r"[^| ]+", line) for line in re.findall(r"^\| \[.*", text, re.M))}
    assert rows.keys() == {f"[{game}]({game}.sfen)" for game in ALL}
    for game in ALL:
        every = published(game)
        firsts = (0, 5, 11, 17, 41) if game == ONLY_MOVE_GAME else (3, 5, 7, 9, 11)
        lengths = Counter(max(first for first in firsts if first <= problem.plies) for problem in every)
        grades = Counter(problem.grade for problem in every)
        expected = [*(lengths[first] for first in firsts), *(grades[grade] for grade in GRADES)]
        assert rows[f"[{game}]({game}.sfen)"] == [*map(str, expected), str(max(problem.plies for problem in every))]


@pytest.mark.slow
@pytest.mark.parametrize("game", MATE_GAMES)
def test_the_solver_finds_each_mate_and_that_it_is_sound(game: str) -> None:
    solver, board = MateSolver(Table(16)), Naive(game)
    for problem in part(published(game), 20):
        found = examine(solver, new_position(game, problem.sfen), LIMITS)
        assert found.is_sound and (found.answer.plies, found.answer.useless) == (problem.plies, 0), problem
        assert problem.task == "mate in" and len(problem.solution) == problem.plies
        standing = board.start(problem.sfen)
        for number, move in enumerate(problem.solution):  # by the reference rules
            legal = board.replies(standing) if number % 2 else board.checks(standing)
            standing = {usi.replace("-", "+"): after for usi, after in legal}[move]
        assert not list(board.replies(standing)), problem


@pytest.mark.slow
@pytest.mark.parametrize("game", MATE_GAMES)
def test_mates_are_proven_by_the_reference_rules(game: str) -> None:
    """Prove an eighth of the problems, of all lengths, if their proof is short. An exhaustive search proves the
    shortest of them again. `benchmarks.prove_mates` proves them all."""
    advice, book, proven = SolversAdvice(game), Naive(game), 0
    for problem in part(published(game)[::8], 3):
        try:
            claim = Problem(game, problem.sfen, MATE, problem.plies, "-")
            proven += sum(prove(book, claim, advice, 60)) > 0
        except TooLong:
            continue
        if problem.plies <= 3:
            assert mates.shortest_mate(oracle.parse_sfen(book.rules, problem.sfen), problem.plies) == problem.plies
    assert proven >= count(10, 2)


def test_one_move_is_right() -> None:
    """Check the values of the moves in Dobutsu, which are those of all legal moves: only one has the best result."""
    rules = oracle.RULES[ONLY_MOVE_GAME]
    for problem in published(ONLY_MOVE_GAME):
        told, position = values(problem), oracle.parse_sfen(rules, problem.sfen)
        assert {usi.replace("-", "+") for usi in oracle.legal_moves(position)} == told.keys() and len(told) >= 4
        best, *others = told.values()
        assert (problem.task, problem.plies) == (("win in", best) if best else ("draw", 0)), problem
        assert best == 0 or (best >= 5 and best % 2)
        assert all(value < 0 or (value == 0 and best > 0) for value in others), problem


@pytest.mark.slow
def test_short_wins_equal_an_exhaustive_search() -> None:
    """Check wins in five plies by trying all moves: only the right move wins within that number."""
    short = [problem for problem in published(ONLY_MOVE_GAME) if problem.plies == 5]
    for problem in short[: count(8, 2)]:
        position = oracle.parse_sfen(oracle.RULES[ONLY_MOVE_GAME], problem.sfen)
        assert not mates.wins_within(position, 3), problem
        winning = [usi for usi, after in oracle.legal_moves(position).items() if mates.loses_within(after, 4)]
        assert [usi.replace("-", "+") for usi in winning] == [next(iter(values(problem)))], problem


def solved_by_command(game: str, *words: str) -> list[str]:
    command = [*ENGINE, "mate", str(FOLDER / f"{game}.sfen"), "--check", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=240).stdout.splitlines()


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("game", MATE_GAMES)
def test_the_command_mate_checks_a_file(game: str) -> None:
    every: list[Published] = published(game)
    answers = solved_by_command(game, "--nodes", "2000000", "--time", "100000")
    assert len(answers) == len(every)
    for problem, answer in zip(every, answers):
        assert answer.startswith(f"mate {problem.plies} (the shortest) {problem.solution[0]}"), (problem, answer)
        assert "; sound" in answer, (problem, answer)
