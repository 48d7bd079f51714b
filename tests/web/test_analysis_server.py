"""The page with the local server: the server's engines analyse and play each other, and match files are opened."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kogoma.rules.dice.die import allowed
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from support import lab_records
from support.browsers.analysis_page import AnalysisPage
from support.browsers.board_server import BoardServer, board_server
from support.usi_client import ROOT, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BOT = ROOT / "tests" / "support" / "bots" / "scripted.py"
SET_UP = "4k/5/4G/5/K4 b G 1"
GAME = ["5e4e", "1a2a", "4e5e", "2a1a", "G*1b"]


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    path = tmp_path_factory.mktemp("analysis") / "match.jsonl"
    games = lab_records.write(path, 10, [VARIANTS["minishogi"], VARIANTS["dice"]])
    for game in games:
        if game["dice"]:
            game["dice"] = fitting_rolls(game)
    head = path.read_text(encoding="utf-8").splitlines()[0]
    path.write_text("\n".join([head, *map(json.dumps, games), ""]), encoding="utf-8")
    return path, games


def fitting_rolls(game: dict[str, Any]) -> list[int]:
    """Return a roll of the die for each move of a game after its opening: the lowest roll that allows the move. The
    rolls in the game's record are random, and may not allow the moves."""
    position, rolls = new_position(game["variant"], game["start"]), []
    for move in [*game["book"], *game["moves"]]:
        rolls.append(next(roll for roll in range(1, 7) if move in allowed(position, roll)))
        position.push(move)
    return rolls[len(game["book"]) :]


@pytest.fixture(scope="module")
def server(
    records: tuple[Path, list[dict[str, Any]]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BoardServer]:
    folder = tmp_path_factory.mktemp("bots")
    once, moves = folder / "once", folder / "moves"
    moves.write_text(" ".join(GAME) + "\n")
    bot = shlex.join([sys.executable, "-S", str(BOT), "usi", f"moves={moves}"])
    with board_server(
        str(records[0]), "--engine", f"first={bot}", "--engine", f"second={bot}",
        "--engine", f"breaks={bot} at=1 crash once={once}",
    ) as found:  # fmt: skip
        index = "/games/index.json"  # Dice-Shogi is built last
        until(lambda: not json.loads(found.get(index).body)["server"].get("compiling"), 300)
        yield found


@pytest.fixture
def opened(browser: Browser, server: BoardServer) -> Iterator[AnalysisPage]:
    page = AnalysisPage(browser, server.address, viewport={"width": 1500, "height": 1000})
    yield page
    assert page.heard == []
    page.context.close()


def choose_engine(page: AnalysisPage, name: str) -> None:
    """Choose one of the server's engines for the analysis."""
    page.page.click("#settings")
    page.page.select_option("#set-engine", name)
    page.close_dialog()


@pytest.mark.long
def test_a_match_is_opened(opened: AnalysisPage, records: tuple[Path, list[dict[str, Any]]]) -> None:
    page, games = opened.page, records[1]
    opened.view("analyse")
    opened.tab("records")
    page.click("#open-match")
    page.wait_for_function("() => document.querySelectorAll('#match-games li').length === 10")
    assert "old <b>kogoma</b>" in page.locator("#match-games li").first.inner_text()
    page.fill("#match-find", "crash exit")
    assert page.locator("#match-games li").count() == sum(bool(game["fault"]) for game in games)
    page.fill("#match-find", "")
    # A game of Dice-Shogi with its rolls.
    page.locator("#match-games li").nth(2).locator("button").click()
    page.wait_for_selector("dialog", state="detached")
    assert opened.moves == games[2]["book"] + games[2]["moves"]
    rolls = page.eval_on_selector_all("#moves [data-move]", "(all) => all.map((one) => Number(one.dataset.dice))")
    assert rolls == [0] * len(games[2]["book"]) + games[2]["dice"]
    opened.tab("records")
    page.click("#open-match")
    page.wait_for_selector("#match-games li")
    page.locator("#match-games li").first.locator("button").click()
    page.wait_for_selector("dialog", state="detached")
    moves = games[0]["book"] + games[0]["moves"]
    assert opened.moves == moves
    scores = page.eval_on_selector_all("#moves [data-move] small", "(all) => all.map((one) => one.textContent)")
    assert [bool(score) for score in scores] == [False] * len(games[0]["book"]) + [
        score is not None for score in games[0]["scores"]
    ]
    paths = page.eval_on_selector_all(".graph path", "(all) => all.map((one) => one.getAttribute('d')).join('')")
    assert paths.count("h0") == sum(score is not None for score in games[0]["scores"])
    assert "old <b>kogoma</b>" in (page.text_content("#play") or "")
    opened.records("save")
    assert "後手：old <b>kogoma</b>" in page.input_value("#save-text")
    opened.close_dialog()


@pytest.mark.long
def test_engines_of_the_server_play_each_other(opened: AnalysisPage) -> None:
    page = opened.page
    opened.new_game("minishogi", start="typed", sfen=SET_UP, player_0="engine:first", player_1="engine:second")
    opened.wait("over")
    assert opened.moves == GAME and page.inner_text("#status strong") == "Black wins: checkmate."
    board = page.text_content("#play") or ""
    assert "first" in board and "second" in board


def test_a_server_engine_analyses_and_its_crash_is_shown(opened: AnalysisPage) -> None:
    page = opened.page
    opened.new_game("minishogi", player_0="person", player_1="person")
    choose_engine(opened, "kogoma")
    opened.analyse(lines=2)
    opened.wait_for_lines(2, depth=5)
    assert page.inner_text("#speed").startswith("kogoma · ")
    opened.stop()
    choose_engine(opened, "breaks")
    opened.analyse()
    page.wait_for_selector("#speed.trouble")
    assert "breaks" in page.inner_text("#speed") and page.get_attribute("#analyse", "data-running") == "false"
    assert opened.messages() == []  # the error is shown only once
    # The next analysis starts the engine again.
    opened.analyse()
    page.wait_for_function("() => !document.querySelector('#speed').classList.contains('trouble')")
    opened.stop()
