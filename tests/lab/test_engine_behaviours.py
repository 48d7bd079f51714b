"""The reactions of a match, a game on the page and the page's analysis to all kinds of answers of an engine."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from kogoma.lab.engines.base import EngineSpec
from kogoma.lab.engines.clock import TimeControl
from kogoma.lab.engines.dialects import turned
from kogoma.lab.engines.factory import make_engine
from kogoma.lab.match.play import Adjudication, GameJob, play_game
from kogoma.rules.position import new_position
from support.browsers.analysis_page import AnalysisPage
from support.browsers.board_server import BoardServer, board_server
from support.scope import mostly_long
from support.usi_client import ROOT, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.clock]

BOT = ROOT / "tests" / "support" / "bots" / "scripted.py"
OPENING = "3e3d"  # Black's first move; the engine is White
MOVE = "3a3b"  # the engine's move, unless it misbehaves
LIMIT_MS = 4000
PLAYED, RESIGNS = "person", "Black wins: White resigned."
FAILED = "The engine stopped: "
NOTHING = "nothing"


class Behaviour(NamedTuple):
    """A behaviour of an engine at its first move, and the expected reactions. `match` has the winner and the reason for
    the end of a match game in which White makes no later move. `page` is the status of the game on the page, or the
    start of the message that is shown when the game pauses. `analysis` is the score in the first line, a part of the
    error shown, or NOTHING."""

    words: str
    match: tuple[int | None, str]
    page: str
    analysis: str


BEHAVIOURS = {
    "moves": Behaviour("", (0, "resign"), PLAYED, "−0.19"),
    "resigns": Behaviour("at=1 resigns", (0, "resign"), RESIGNS, NOTHING),
    "wins": Behaviour("at=1 wins", (0, "illegal_move"), FAILED, "declares a win"),
    "null": Behaviour("at=1 null", (0, "illegal_move"), FAILED, "no move"),
    "crashes": Behaviour("at=1 crash", (0, "crash"), FAILED, "exit code 3"),
    "hangs": Behaviour("at=1 hang", (0, "hang"), "Black wins: White has no time left.", NOTHING),
    "late": Behaviour(f"at=1 late={LIMIT_MS + 1500}", (0, "time"), "Black wins: White has no time left.", "−0.19"),
    "nonsense": Behaviour("at=1 nonsense", (0, "rubbish"), FAILED, "not a move"),
    "bounds": Behaviour("bounds", (0, "resign"), PLAYED, "≤ −3.19"),
    "mates": Behaviour("mate=-4", (0, "resign"), PLAYED, "+mate 4"),
    "silent": Behaviour("silent", (0, "resign"), PLAYED, NOTHING),
    "closes": Behaviour("at=1 close", (0, "disconnect"), FAILED, "closed"),
    "illegal": Behaviour("at=1 illegal", (0, "illegal_move"), FAILED, "illegal move"),
    "slow": Behaviour(f"ready={LIMIT_MS + 2000}", (0, "resign"), PLAYED, "−0.19"),
    "unready": Behaviour("unready", (0, "start"), FAILED, "readyok"),
    "leaves": Behaviour("leaves", (0, "disconnect"), PLAYED, "−0.19"),
}

WAITING = ("hangs", "late", "slow", "unready")  # behaviours for which a game waits some seconds

DIALECT_BOT = ROOT / "tests" / "support" / "bots" / "dialect.py"
UNKNOWN = "cannot read moves of kyoto"
DIALECTS = {"-": "", "none": UNKNOWN}  # the sign of a piece that turns back, and the reason if the engine is refused


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of a file with the game that the scripted engines play."""
    path = tmp_path_factory.mktemp("behaviours") / "moves"
    path.write_text(f"{OPENING} {MOVE} 5d5c 1b1c\n")
    return path


def command(name: str, game: Path) -> list[str]:
    return [sys.executable, "-S", str(BOT), "usi", f"moves={game}", *BEHAVIOURS[name].words.split()]


def dialect_command(sign: str) -> list[str]:
    return ["env", f"PYTHONPATH={ROOT}", sys.executable, str(DIALECT_BOT), sign]


def turning_back() -> str:
    """Return a legal move in Kyoto's start position that engines write in different ways, because it turns a piece
    back."""
    position = new_position("kyoto")
    return next(usi for usi in sorted(position.legal_moves()) if "*" not in usi and turned(position, usi[:2]))


@pytest.mark.parametrize("name", mostly_long(BEHAVIOURS, *(set(BEHAVIOURS) - set(WAITING))))
def test_in_a_match(name: str, game: Path) -> None:
    limits = TimeControl(move_ms=LIMIT_MS)
    black = EngineSpec("steady", (*command("moves", game),), limits=limits)
    white = EngineSpec(name, (*command(name, game),), limits=limits, patience_ms=3000, start_ms=LIMIT_MS + 6000)
    engines = [make_engine(spec) for spec in (black, white)]
    try:
        record = play_game(GameJob(0, 0, "minishogi", black, white), engines)
    finally:
        for engine in engines:
            engine.kill()
    expected = BEHAVIOURS[name].match
    if expected == (0, "resign") and name != "resigns":  # the game goes on until Black resigns
        expected = (1, "resign")
    assert (record["winner"], record["reason"]) == expected, record["fault"]


@pytest.mark.parametrize("sign", DIALECTS)
def test_another_dialect_in_a_match(sign: str) -> None:
    limits = TimeControl(nodes=1)
    black, white = (EngineSpec(name, (*dialect_command(name),), limits=limits) for name in ("+", sign))
    engines = [make_engine(spec) for spec in (black, white)]
    try:
        record = play_game(GameJob(0, 0, "kyoto", black, white, adjudication=Adjudication(max_plies=60)), engines)
    finally:
        for engine in engines:
            engine.kill()
    if DIALECTS[sign]:
        assert (record["winner"], record["reason"]) == (0, "start") and DIALECTS[sign] in str(record["fault"])
    else:
        assert record["fault"] is None and len(record["moves"]) > 10


def test_an_engine_that_dies_between_games_is_started_again(game: Path) -> None:
    limits = TimeControl(move_ms=LIMIT_MS)
    specs = [EngineSpec(name, (*command(name, game),), limits=limits) for name in ("moves", "resigns")]
    engines = [make_engine(spec) for spec in specs]
    try:
        for number in (1, 2):
            record = play_game(GameJob(0, 0, "minishogi", specs[0], specs[1]), engines)
            assert (record["winner"], record["reason"], record["fault"]) == (0, "resign", None)
            assert engines[1].starts == number
            engines[1].process.close((), 0.0)
    finally:
        for engine in engines:
            engine.kill()


def has_kyoto(server: BoardServer) -> bool:
    games = json.loads(server.get("/games/index.json").body)["games"]
    return any(game["name"] == "kyoto" for game in games)


@pytest.fixture(scope="module")
def server(game: Path) -> Iterator[BoardServer]:
    words = [word for name in BEHAVIOURS for word in ("--engine", f"{name}={shlex.join(command(name, game))}")]
    words += [word for sign in DIALECTS for word in ("--engine", f"{sign}={shlex.join(dialect_command(sign))}")]
    with board_server(*words) as found:
        until(lambda: has_kyoto(found), 600)  # other variants are built first
        yield found


@pytest.fixture
def opened(browser: Browser, server: BoardServer) -> Iterator[AnalysisPage]:
    page = AnalysisPage(browser, server.address, viewport={"width": 1500, "height": 1000})
    yield page
    assert page.heard == []
    page.context.close()


@pytest.mark.long
def test_repeated_crashes_of_an_engine_give_one_message(opened: AnalysisPage) -> None:
    opened.new_game("minishogi", player_0="person", player_1="engine:crashes")
    opened.view("play")
    opened.play(OPENING, 0)
    for _ in range(4):
        opened.page.wait_for_selector("#status[data-stands=paused]", timeout=90_000)
        assert len(opened.messages()) == 1
        opened.page.click("#do-go-on")
    opened.page.wait_for_selector("#status[data-stands=paused]", timeout=90_000)
    opened.page.click("#new-game")
    opened.page.click("dialog button[type=submit]")
    opened.page.wait_for_selector("dialog", state="detached")
    assert opened.messages() == [], "a message of the last game is still shown"


def choose_for_analysis(opened: AnalysisPage, name: str) -> None:
    opened.page.click("#settings")
    opened.page.select_option("#set-engine", name)
    opened.close_dialog()


@pytest.mark.long
@pytest.mark.parametrize("name", BEHAVIOURS)
def test_in_a_game_on_the_page(name: str, opened: AnalysisPage) -> None:
    expected, limit = BEHAVIOURS[name].page, str(LIMIT_MS // 1000)
    opened.new_game("minishogi", player_0="person", player_1=f"engine:{name}", time="move", move_seconds=limit)
    opened.view("play")
    opened.play(OPENING, 0)
    if expected.startswith(FAILED):
        opened.page.wait_for_selector("#status[data-stands=paused]", timeout=90_000)
        (message,) = opened.messages()
        assert message.startswith(f"{expected}{name}: "), message
    elif expected == PLAYED:
        opened.page.wait_for_selector(f'#moves [data-move="{MOVE}"]')
        assert opened.wait("person") and opened.messages() == []
        opened.play("5d5c", 0)  # an engine that has exited is started again
        opened.page.wait_for_selector('#moves [data-move="1b1c"]')
        assert opened.wait("person")
    else:
        for _ in range(2):
            opened.wait("over")
            assert opened.page.inner_text("#status strong") == expected and opened.messages() == []
            opened.page.reload()


@pytest.mark.long
@pytest.mark.parametrize("sign", DIALECTS)
def test_another_dialect_in_a_game_on_the_page(sign: str, opened: AnalysisPage) -> None:
    opened.new_game("kyoto", player_0="person", player_1=f"engine:{sign}", time="move", move_seconds="60")
    opened.play(turning_back(), 0)
    if DIALECTS[sign]:
        opened.page.wait_for_selector("#status[data-stands=paused]", timeout=90_000)
        (message,) = opened.messages()
        assert message.startswith(f"{FAILED}{sign}: ") and DIALECTS[sign] in message
    else:
        assert opened.wait("person") and len(opened.moves) == 2 and opened.messages() == []


@pytest.mark.long
@pytest.mark.parametrize("sign", DIALECTS)
def test_another_dialect_in_the_analysis_of_the_page(sign: str, opened: AnalysisPage) -> None:
    opened.new_game("kyoto", player_0="person", player_1="person")
    opened.play(turning_back(), 0)
    choose_for_analysis(opened, sign)
    opened.analyse()
    if DIALECTS[sign]:
        opened.page.wait_for_selector("#speed.trouble", timeout=90_000)
        assert DIALECTS[sign] in opened.page.inner_text("#speed")
    else:
        opened.wait_for_lines(1, depth=1)
        position = new_position("kyoto")
        position.push(turning_back())
        assert opened.variation(1) == sorted(position.legal_moves())[:1], "not a move after Black's"


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in BEHAVIOURS if name != "unready"])  # the same minute as in a game
def test_in_the_analysis_of_the_page(name: str, opened: AnalysisPage) -> None:
    expected, page = BEHAVIOURS[name].analysis, opened.page
    opened.new_game("minishogi", player_0="person", player_1="person")
    opened.play(OPENING, 0)
    choose_for_analysis(opened, name)
    opened.analyse()
    if expected == NOTHING:
        page.wait_for_timeout(1000)
        opened.stop()
    elif expected[:1] in "−+≤":
        until(
            lambda: opened.line(1).is_visible() and expected == opened.line(1).locator(".line-score").inner_text(), 30
        )
        opened.stop()
    else:
        page.wait_for_selector("#speed.trouble", timeout=90_000)
        assert expected in page.inner_text("#speed"), page.inner_text("#speed")
    assert page.get_attribute("#analyse", "data-running") == "false" and opened.messages() == []
