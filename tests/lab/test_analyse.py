"""The command `analyse`: it finds a blunder and a missed mate, continues after a kill, and writes a page for the
browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kogoma.lab.analysis.judge import chance
from support.browsers.report import Opened
from support.lab_runs import finish, kill_when, lines, start
from support.usi_client import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

# A game of self-play with 30,000 nodes per move, in which two moves were replaced. The 38th move misses a mate in five,
# and the 43rd move loses an equal game.
MOVES = """
2e4c 4a3b 4c3b 2a3b 3e3d B*2b B*4d 2b4d 4e4d B*2b B*3c 2b3c 3d3c 5a4a 1e4e 4a4d 3c4d G*3d R*3e 3d4d 4e4d B*2b B*5c S*4b
G*3d 4b5c 5d5c 3a4b 5e5d B*1c 3e4e 2b4d 3d4d R*2d 5d5e 1c2b B*5a 2d2e 4e2e 2b4d 5e4e 4d2b R*3d 4b5a 2e2b 3b2b B*4d R*2e
S*3e 5a4b 4d2b 2e2b+ 3e2d G*4c G*4d 4c3d 4d3d 4b5c G*3e 2b4b
""".split()
MISSED, BLUNDER = 38, 43  # counted from 1
GAME = f"sfen rbsgk/4p/5/P4/KGSBR b - 1 moves {' '.join(MOVES)}\n"


def analyse(folder: Path, *words: str, code: int = 0) -> str:
    return finish(folder, *words, code=code, command="analyse")


@pytest.fixture(scope="module")
def examined(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a folder with an analysed game, and the output of the command that analysed it."""
    folder = tmp_path_factory.mktemp("analyse")
    (folder / "game.sfen").write_text(GAME)
    return folder, analyse(folder, "game.sfen", "--nodes", "30000")


@pytest.mark.long
def test_the_blunder_and_the_missed_mate_are_named_first(examined: tuple[Path, str]) -> None:
    folder, told = examined
    assert len(MOVES) == 60
    first = [int(number) for number in re.findall(r"^  (\d+)\. ", told, re.MULTILINE)][:2]
    assert sorted(first) == [MISSED, BLUNDER]
    assert re.search(rf"^  {MISSED}\. 2d2e: missed mate in 5: −mate 5 before", told, re.MULTILINE)
    assert re.search(rf"^  {BLUNDER}\. R\*3d: blunder: .* better was ", told, re.MULTILINE)
    shares = [float(share) for share in re.findall(r"accuracy ([\d.]+)%", told)]
    assert len(shares) == 2 and all(50 < share < 100 for share in shares)
    record = (folder / "game.analysed.kifu").read_text(encoding="utf-8")
    assert "missed mate in 5" in record and record.count("変化：") >= 2
    assert not list(folder.glob("*.part"))
    again = finish(folder, "game.analysed.kifu", "-", "--to", "usi", command="convert")
    assert " ".join(MOVES) in again


@pytest.mark.long
def test_a_killed_analysis_continues(examined: tuple[Path, str], tmp_path: Path) -> None:
    words = ["game.sfen", "--nodes", "30000"]
    (tmp_path / "game.sfen").write_text(GAME)
    part = tmp_path / "game.analysed.kifu.1.part"
    process = start(tmp_path, *words, command="analyse")
    kill_when(process, lambda: lines(part) >= 8)
    there = part.read_bytes()
    plies = [json.loads(line)["ply"] for line in there.splitlines()[1:]]
    assert plies == list(range(60, 60 - len(plies), -1))
    part.write_bytes(there + b'{"ply": 1')
    told = analyse(tmp_path, *words)
    first = [int(number) for number in re.findall(r"^  (\d+)\. ", told, re.MULTILINE)][:2]
    assert sorted(first) == [MISSED, BLUNDER]


@pytest.mark.long
def test_several_games_and_bad_input(tmp_path: Path) -> None:
    cut = GAME.replace("3e3d", "3e9z", 1)
    (tmp_path / "two.sfen").write_text("sfen rbsgk/4p/5/P4/KGSBR b - 1 moves 2e3d 4a3b\n" + cut)
    told = analyse(tmp_path, "two.sfen", "--nodes", "500", "-o", "out.kif", "--page", "page.html")
    assert "the moves before that are analysed" in told and "game 2, White" in told
    assert "out-001.kif to out-002.kif, page.html" in told
    for name in ("out-001.kif", "out-002.kif"):
        assert (tmp_path / name).read_bytes().decode("cp932").count("手数----指手") == 1
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "2 games examined" in page and ">1. Black<" in page
    assert "cannot store comments" in analyse(tmp_path, "two.sfen", "-o", "out.usi", code=2)
    assert "No such file" in analyse(tmp_path, "none.kif", code=1)
    assert "unknown extension" in analyse(tmp_path, "two.txt", code=2)
    (tmp_path / "empty.sfen").write_text("")
    assert "contains no game" in analyse(tmp_path, "empty.sfen", code=1)


def test_the_page(browser: Browser, examined: tuple[Path, str]) -> None:
    folder, _ = examined
    opened = Opened(browser, folder / "game.analysed.html", viewport={"width": 360, "height": 800})
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    worst = page.locator("table.left tbody tr")
    assert worst.count() >= 2
    page.locator(f'a[href="#game=1&ply={MISSED}"]').click()
    until(lambda: "missed mate in 5" in page.locator("#status").inner_text())
    assert page.locator("#moves [aria-current]").inner_text().startswith(f"{MISSED}. 2d2e??")
    paths = page.eval_on_selector_all("#graph path", "(all) => all.map((one) => one.getAttribute('d')).join('')")
    assert paths.count("L") > 50
    assert opened.complaints == []


def test_players_without_names(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "one.usi").write_text("sfen rbsgk/4p/5/P4/KGSBR b - 1 moves 3e3d 3a3b\n")
    assert "illegal" not in analyse(tmp_path, "one.usi", "--nodes", "500", "--page", "page.html")
    opened = Opened(browser, tmp_path / "page.html")
    assert opened.page.locator("h1").inner_text() == "Black – White"
    assert opened.page.locator("#game-title").inner_text().startswith("Game 1: Black – White")


def test_winning_chances() -> None:
    # The more decisive the games of a variant are, the higher is the winning chance at the same score.
    assert chance("cp", 300, "micro") > chance("cp", 300, "minishogi") > chance("cp", 300, "shogi") > 0.5
    assert chance("cp", 0, "minishogi") == 0.5 and chance("mate", -3, "kyoto") == 0 and chance("mate", 7, "shogi") == 1
    assert chance("cp", 300, "dice") + chance("cp", -300, "dice") == pytest.approx(1)
    assert 0 < chance("cp", -(10**9), "custom") < 1e-9
