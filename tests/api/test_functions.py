"""`import kogoma`: the examples of its documentation, and errors for wrong arguments."""

from __future__ import annotations

import doctest
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kogoma
import kogoma.api.async_engine
import kogoma.api.engine
import kogoma.api.functions
import kogoma.api.game_records
import kogoma.api.position
import kogoma.api.results
import kogoma.rules.dice.die
import kogoma.rules.onitama.position
import kogoma.rules.position
from support import referee
from support.usi_client import ROOT

START = "rbsgk/4p/5/P4/KGSBR b - 1"
SHOGI_START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"


API, RULES = kogoma.api, kogoma.rules
DOCUMENTED = [kogoma, API.position, API.results, API.engine, API.async_engine, API.functions, API.game_records]
DOCUMENTED += [RULES.position, RULES.onitama.position, RULES.dice.die, RULES.variants]


@pytest.mark.parametrize("module", DOCUMENTED, ids=lambda module: str(module.__name__))
def test_documentation_examples(module: Any) -> None:
    failed, tried = doctest.testmod(module)
    assert tried > 0 and failed == 0


def test_the_page_of_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the page writes a file
    failed, tried = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert tried > 15 and failed == 0


def test_the_comparison_with_other_packages_names_what_exists() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    cells = [line.split("|")[4] for line in page.splitlines() if line.startswith("| ") and line.count("|") == 5]
    owners: dict[str, tuple[type, ...]] = {
        "position": (kogoma.Position,),
        "engine": (kogoma.UsiEngine, kogoma.AsyncUsiEngine),
        "analysis": (kogoma.Analysis, kogoma.AsyncAnalysis),
        "score": (kogoma.Score,),
    }
    named = [pair for cell in cells for pair in re.findall(r"`(position|engine|analysis|score)\.(\w+)", cell)]
    assert len(named) > 15
    for owner, name in named:
        assert all(hasattr(each, name) for each in owners[owner]), (owner, name)


def test_all_public_names_are_there() -> None:
    assert set(dir(kogoma)) >= {"Position", "legal_moves", "find_move", "variants"}
    for name in kogoma.__all__:
        assert isinstance(value := getattr(kogoma, name), int) or value.__doc__
    with pytest.raises(AttributeError):
        kogoma.nonsense  # noqa: B018 (the attribute access must fail)


def test_legal_moves_of_all_kinds_of_position() -> None:
    assert set(kogoma.legal_moves()) == set(referee.legal_moves(SHOGI_START, variant="shogi"))
    moves = set(kogoma.legal_moves(variant="minishogi"))
    assert moves == set(referee.legal_moves(START))
    assert moves == set(kogoma.legal_moves(START)) == set(kogoma.legal_moves(kogoma.Position("minishogi")))
    assert moves == set(kogoma.legal_moves(variant="minishogi-codingame"))


def test_search_keeps_its_limits() -> None:
    seen = []
    result = kogoma.find_move(depth=4, variant="minishogi", report=lambda info: seen.append(info.depth))
    assert result.best in referee.legal_moves(START) and result.depth == 4 and max(seen) == 4
    assert kogoma.find_move(depth=2).best in referee.legal_moves(SHOGI_START, variant="shogi")
    assert kogoma.find_move(nodes=3000).nodes < 4100
    assert kogoma.find_move(movetime=50).best is not None
    assert kogoma.find_move(START, depth=2, searchmoves=("3e3d",)).best == "3e3d"


def test_search_leaves_the_position_alone() -> None:
    position = kogoma.Position("minishogi")
    position.push("3e3d")
    before = position.sfen()
    kogoma.find_move(position, depth=4)
    assert position.sfen() == before and position.moves == ["3e3d"]


def test_search_without_a_move() -> None:
    result = kogoma.find_move("4k/4G/4P/5/K4 w - 1", depth=3)
    assert result.best is None and result.score == kogoma.Score(mate=0)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"depth": 0},
        {"nodes": -1},
        {"depth": 1, "searchmoves": ("1a1b",)},
        {"depth": 1, "multipv": 0},
        {"depth": 1, "multipv": -1},
        {"depth": 1, "threads": 0},
        {"depth": 1, "hash_mb": 0},
        {"depth": 1, "dice": 7, "variant": "dice"},
        {"depth": 1, "variant": "chess"},
        {"depth": 1, "position": "nonsense"},
        {"depth": 1, "position": "9/9/9 b - 1"},
    ],
)
def test_wrong_arguments_are_value_errors(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]{10,}$"):
        kogoma.find_move(**arguments)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("searchmoves", lambda: kogoma.find_move(depth=1, searchmoves="3e3d")),  # type: ignore[arg-type]
        ("depth", lambda: kogoma.find_move(depth=2.5)),  # type: ignore[arg-type]
        ("multipv", lambda: kogoma.find_move(depth=1, multipv="2")),  # type: ignore[arg-type]
        ("hash_mb", lambda: kogoma.Engine(hash_mb=None)),  # type: ignore[arg-type]
        ("position", lambda: kogoma.find_move(7, depth=1)),  # type: ignore[arg-type]
        ("limits", lambda: kogoma.Engine().play("startpos", 5)),  # type: ignore[arg-type]
        ("nodes", lambda: kogoma.find_mate("4k/5/5/5/K4 b G 1", nodes=True)),
        ("variant", lambda: kogoma.Position(3)),  # type: ignore[arg-type]
        ("sfen", lambda: kogoma.Position(sfen=b"4k")),  # type: ignore[arg-type]
        ("moves", lambda: kogoma.Position("minishogi", moves="3e3d")),
        ("move", lambda: kogoma.Position().push(None)),  # type: ignore[arg-type]
        ("move", lambda: kogoma.Position().is_legal(3)),  # type: ignore[arg-type]
        ("square", lambda: kogoma.Position().piece_at(11)),  # type: ignore[arg-type]
        ("command", lambda: kogoma.UsiEngine([1])),  # type: ignore[list-item]
    ],
)
def test_arguments_of_a_wrong_type_are_named(name: str, call: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match=rf"^{name} must be [^\n]*, not .{{1,60}}$"):
        call()


@pytest.mark.parametrize("text", [START, "4k/5/5/5/K4 b G 1", SHOGI_START, "4k/5"])
def test_an_sfen_given_as_a_variant_is_told_where_to_go(text: str) -> None:
    with pytest.raises(ValueError, match=r"Position\(sfen=\.\.\.\)"):
        kogoma.Position(text)
