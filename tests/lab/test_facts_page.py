"""docs/facts.md: what it says agrees with its data and with the reference rules, and its command works."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.facts.__main__ import DOCS
from benchmarks.facts.page import filled
from benchmarks.facts.plots import plots
from benchmarks.facts.store import read_facts
from kogoma.rules.position import new_position
from kogoma.rules.variants import BUILT_IN
from oracles import shogi as oracle
from support.usi_client import ROOT

pytestmark = pytest.mark.slow

PAGE = (DOCS / "facts.md").read_text("utf-8")
FACTS = read_facts(DOCS / "facts" / "facts.jsonl")
SOLVED = FACTS["solved", "dobutsu"]
DOBUTSU = oracle.RULES["dobutsu"]


def test_the_tables_and_plots_are_made_from_the_data() -> None:
    names = list(BUILT_IN)
    assert filled(PAGE, FACTS, names) == PAGE
    drawn = plots(FACTS, names)
    assert drawn == {path.name: path.read_text("utf-8") for path in (DOCS / "facts").glob("*.svg")}
    for name, text in drawn.items():
        assert ElementTree.fromstring(text).get("role") == "img"
        assert f'facts/{name}"' in PAGE


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_variant_has_all_facts(name: str) -> None:
    first = [one["move"] for one in FACTS["first moves", name]["moves"]]
    assert sorted(first) == sorted(new_position(name).legal_moves())
    games = FACTS["games", name]
    assert sum(games["results"]) == sum(games["ends"].values())
    assert games["white"][1] <= games["white"][0] <= games["white"][2]
    for quartiles in (games["plies"], games["moves"]):
        assert quartiles == sorted(quartiles)
    assert games["most"][0] == games["moves"][-1]


@pytest.mark.parametrize("name", oracle.RULES)
def test_the_most_legal_moves_by_the_reference_rules(name: str) -> None:
    most, sfen = FACTS["games", name]["most"]
    assert len(oracle.legal_moves(oracle.parse_sfen(oracle.RULES[name], sfen))) == most


def test_the_best_play_of_dobutsu_by_the_reference_rules() -> None:
    game = oracle.Game(DOBUTSU)
    assert set(SOLVED["first"]) == set(oracle.legal_moves(game.position))
    for move in SOLVED["line"]:
        assert game.outcome() is None
        game.push(move)
    outcome = game.outcome()
    assert outcome is not None and outcome.winner == 1
    assert len(SOLVED["line"]) == 78  # T. Tanaka, 2009
    assert min(SOLVED["first"].values()) == SOLVED["first"][SOLVED["line"][0]] == -78  # a slow loss is better


def test_the_numbers_of_positions_of_dobutsu() -> None:
    assert sum(SOLVED["counts"]) == 21 * 11_878_227  # pairs of lions, and states of the other pieces
    assert SOLVED["counts"][-1] == len(SOLVED["longest"]) == len(set(SOLVED["longest"]))
    for sfen in SOLVED["longest"]:
        assert oracle.decided(oracle.parse_sfen(DOBUTSU, sfen)) is None


def run(folder: Path, *words: str) -> str:
    """Run the command with a copy of the page, and return what it writes to standard error."""
    docs = folder / "docs"
    if not docs.exists():
        (docs / "facts").mkdir(parents=True)
        (docs / "facts.md").write_text(PAGE, "utf-8")
    words = ("--variants", "dobutsu", *words, "--nodes", "200", "--docs", str(docs))
    command = [sys.executable, "-m", "benchmarks.facts", str(folder / "work"), *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_the_command_continues_and_writes_the_page(tmp_path: Path) -> None:
    assert "first moves" in run(tmp_path, "--only", "first-moves", "page")
    rows = [line for line in (tmp_path / "docs" / "facts.md").read_text("utf-8").splitlines() if line.startswith("| d")]
    assert len(rows) == 1 and "| 200 |" in rows[0] and all(f"`{move}`" in rows[0] for move in SOLVED["first"])
    assert run(tmp_path, "--only", "first-moves", "page") == ""


@pytest.mark.long
def test_the_command_plays_games(tmp_path: Path) -> None:
    assert "games" in run(tmp_path, "--only", "games", "page", "--games", "4", "--game-nodes", "50")
    (line,) = (tmp_path / "docs" / "facts" / "facts.jsonl").read_text("utf-8").splitlines()
    games = json.loads(line)
    journal = (tmp_path / "work" / "dobutsu-games-50-4.jsonl").read_text("utf-8").splitlines()
    winners = [json.loads(line)["winner"] for line in journal if '"winner"' in line]
    assert games["results"] == [winners.count(0), winners.count(None), winners.count(1)]
    assert (tmp_path / "docs" / "facts" / "who-wins-dark.svg").exists()
