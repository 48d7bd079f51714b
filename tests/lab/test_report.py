"""In a real browser, the report has no errors, and shows the same positions and scores as the engine."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kogoma.__main__ import main
from kogoma.lab.journals.match_journal import GameRecord, read_records
from kogoma.lab.report.page import render_page
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from support import lab_records
from support.browsers.report import Opened
from support.usi_client import until

GAMES = 104  # eight per variant
COMPARED = 26  # the number of games of which all positions are compared: two per variant

# This function returns the pieces on the board, the pieces in hand and the cards that the page draws.
DRAWN = """() => {
  const all = (name) => [...document.querySelectorAll(`#board [data-${name}]`)].map(piece => piece.dataset);
  return {
    board: Object.fromEntries(all('square').map(piece => [piece.square, piece.piece])),
    held: Object.fromEntries(all('held').map(piece => [piece.held, +piece.count])),
    cards: all('card').map(card => +card.card).sort((a, b) => a - b),
    die: all('die').map(die => +die.die),
  };
}"""

COLOURS = """(names) => names.map(name => getComputedStyle(document.documentElement).getPropertyValue(name).trim())"""

# This function steps through the first games, and returns the SFENs of all their positions.
ALL_SFENS = """(most) => [...document.querySelectorAll('#games button')].slice(0, most).map(button => {
  button.click();
  const sfens = [], slider = document.getElementById('slider');
  for (let ply = 0; ply <= +slider.max; ply++) {
    sfens.push(document.getElementById('sfen').value);
    document.getElementById('forward').click();
  }
  return sfens;
})"""


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "match.jsonl"
    lab_records.write(path, GAMES, list(VARIANTS.values()))
    return path


@pytest.fixture(scope="module")
def page(records: Path) -> Path:
    path = records.with_name("page.html")
    words = [sys.executable, "-m", "kogoma", "report", str(records), "-o", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{path}: {GAMES} games, ") and not done.stderr
    return path


def positions(record: GameRecord) -> Iterator[Any]:
    """Yield the engine's position at the start of a game and after each move."""
    position = new_position(record["variant"], record["start"])
    yield position
    for move in (*record["book"], *record["moves"]):
        position.push(move)
        yield position


def drawn_as(sfen: str, variant: str) -> tuple[dict[str, str], dict[str, int], list[int]]:
    """Parse an SFEN without the page's code. Return the piece on each square, the pieces in hand and the cards."""
    board, _, third, _ = sfen.split()
    files, cards = VARIANTS[variant].files, VARIANTS[variant].cards
    rows = board.split("/")
    squares: dict[str, str] = {}
    for row, text in enumerate(rows):
        column = 0
        for cell in re.findall(r"\d|\+?[A-Za-z]", text):
            if cell.isdigit():
                column += int(cell)
                continue
            name = f"{'abcde'[column]}{len(rows) - row}" if cards else f"{files - column}{'abcdefghi'[row]}"
            squares[name] = cell
            column += 1
    if cards:
        return squares, {}, sorted(map(int, re.findall(r"\d+", third)))
    return squares, {letter: int(count or 1) for count, letter in re.findall(r"(\d*)([A-Za-z])", third)}, []


def without_captured_kings(sfen: str, variant: str) -> str:
    """Return an SFEN without the captured kings among the pieces in hand. The page does not show captured kings."""
    royal = next(piece.letter for piece in VARIANTS[variant].pieces if piece.royal)
    words = sfen.split()
    if VARIANTS[variant].king_capture and not VARIANTS[variant].cards:
        words[2] = re.sub(f"[{royal}{royal.lower()}]", "", words[2]) or "-"
    return " ".join(words)


def test_page_needs_no_other_files(page: Path) -> None:
    text = page.read_text("utf-8")
    assert page.stat().st_size < 200_000
    for address in re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^"'>)\s]+)""", text):
        assert address.startswith(("#", "data:")), address
    assert "$" not in re.sub(r"<script.*?</script>", "", text, flags=re.S), "a placeholder was not replaced"


def test_page_has_no_errors_and_sends_no_requests(browser: Any, page: Path) -> None:
    opened = Opened(browser, page)
    assert opened.page.title().startswith("kogoma – old <b>kogoma</b>")
    assert opened.page.locator("b", has_text="kogoma").count() == 0, "an engine's name became markup"
    assert opened.page.locator("#faults details").count() == 2
    opened.page.locator("#faults summary").first.click()
    assert "<script>alert(1)</script>" in opened.page.locator("#faults pre").first.inner_text()
    assert opened.page.locator("h2").all_inner_texts() == [
        *("Elo", "Results", "Engines", "Games", "Distributions", "Faults", "Settings")
    ]
    assert opened.complaints == []
    assert len(opened.requests) == 1


@pytest.mark.long
def test_plot_shows_the_rating_over_the_games(browser: Any, page: Path, records: Path) -> None:
    opened = Opened(browser, page)
    plot: Any = opened.page.locator("svg.plot")
    assert plot.count() == 1 and "Elo over the games played" in plot.get_attribute("aria-label")
    assert len(plot.locator("polyline").get_attribute("points").split()) > 60
    assert len(plot.locator("polygon").get_attribute("points").split()) > 120
    box = plot.bounding_box()
    assert box["width"] > 300 and box["height"] > 150
    opened.page.mouse.move(box["x"] + 0.99 * box["width"], box["y"] + box["height"] / 2)
    readout = plot.locator(".readout").text_content()
    points = json.loads(plot.get_attribute("data-points"))
    assert readout == "after {}: {} [{}, {}]".format(*points[-1][:4])
    assert points[-1][0] == GAMES
    tiles = opened.page.locator(".tiles").inner_text()
    assert all(word in tiles for word in ("Score", "Elo", "Normalised Elo", "LOS", "Pairs", "LLR"))
    wins = sum(
        r["winner"] is not None and (r["white"] if r["winner"] else r["black"]) == "kogoma" for r in games_of(records)
    )
    assert f"{wins} wins" in tiles
    assert opened.complaints == []


def games_of(records: Path) -> list[GameRecord]:
    return read_records(records).games


@pytest.mark.long
def test_every_position_equals_the_engines(browser: Any, page: Path, records: Path) -> None:
    opened = Opened(browser, page)
    assert opened.page.locator("#games button").count() == GAMES
    shown = opened.page.evaluate(ALL_SFENS, COMPARED)
    assert len(shown) == COMPARED == 2 * len({record["variant"] for record in games_of(records)[:COMPARED]})
    for record, sfens in zip(games_of(records), shown):
        expected = [without_captured_kings(position.sfen(), record["variant"]) for position in positions(record)]
        assert sfens == expected, record["game"]
    assert opened.complaints == []


@pytest.mark.long
@pytest.mark.parametrize("name", VARIANTS)
def test_drawn_pieces_equal_the_engines(browser: Any, page: Path, records: Path, name: str) -> None:
    """Check that the page draws the same pieces as in the engine's positions. The test steps through a game of the
    variant with the right arrow key."""
    played = [record for record in games_of(records) if record["variant"] == name]
    record = min(played, key=lambda record: abs(len(record["moves"]) - 24))
    opened = Opened(browser, page, f"#game={record['game'] + 1}")
    board = opened.page.locator("#board svg")
    moves, dice = [*record["book"], *record["moves"]], record.get("dice", [])
    for ply, position in enumerate(positions(record)):
        if ply % 4 and ply < len(moves):  # drawings are compared every 4 plies; another test compares SFENs
            opened.page.keyboard.press("ArrowRight")
            continue
        drawn = opened.page.evaluate(DRAWN)
        squares, held, cards = drawn_as(without_captured_kings(position.sfen(), name), name)
        assert (drawn["board"], drawn["held"], drawn["cards"]) == (squares, held, cards), f"after {ply} plies"
        assert f"SFEN {position.sfen()}".split()[1] in opened.page.locator("#sfen").input_value()
        assert len(board.locator("rect.square, rect.to, rect.from").all()) == VARIANTS[name].squares
        if ply:
            assert moves[ply - 1] in opened.page.locator("#status").inner_text()
            assert board.locator("rect.to").count() == (0 if moves[ply - 1].endswith("pass") else 1)
        rolled = dice[ply - len(record["book"])] if dice and len(record["book"]) <= ply < len(moves) else None
        assert drawn["die"] == ([rolled] if rolled else [])
        opened.page.keyboard.press("ArrowRight")
    assert opened.page.locator("#slider").input_value() == str(len(moves))
    assert opened.complaints == []


def test_controls(browser: Any, page: Path, records: Path) -> None:
    record = next(r for r in games_of(records) if r["variant"] == "minishogi")
    opened = Opened(browser, page, f"#game={record['game'] + 1}")
    view, end = opened.page, len(record["book"]) + len(record["moves"])
    slider, sfen = view.locator("#slider"), view.locator("#sfen")
    first = sfen.input_value()
    view.keyboard.press("End")
    assert slider.input_value() == str(end)
    result = {0: "1–0", 1: "0–1", None: "½–½"}[record["winner"]]
    assert view.locator("#game-title").inner_text().endswith(result) and result in view.locator("#status").inner_text()
    view.get_by_role("button", name="To the start").click()
    assert sfen.input_value() == first
    view.get_by_role("button", name="One move forward").click()
    view.keyboard.press("ArrowRight")
    assert slider.input_value() == "2"
    slider.fill("5")
    assert view.locator("#moves [aria-current=step]").inner_text().startswith("5. ")
    view.locator("#moves button").nth(10).click()
    assert slider.input_value() == "10" and "ply=10" in view.url
    lowest = "(name) => document.querySelector(`#board [data-piece='${name}']`).getBoundingClientRect().y"
    black, white = view.evaluate(lowest, "K"), view.evaluate(lowest, "k")
    view.get_by_role("button", name="Flip the board").click()
    turned = view.evaluate(lowest, "K"), view.evaluate(lowest, "k")
    assert (black > white) is (turned[0] < turned[1]) and black != white
    letters = view.get_by_role("button", name="Letters instead of kanji")
    before = letters.get_attribute("aria-pressed")
    letters.click()
    assert letters.get_attribute("aria-pressed") != before
    faces = "".join(view.locator("#board .face").all_text_contents())
    assert faces.isascii() is (before == "false")
    view.locator("#find").fill(typed := {0: "1-0", 1: "0-1", None: "1/2-1/2"}[record["winner"]])
    shown = view.locator("#games li:visible").all_inner_texts()
    same = [other for other in games_of(records) if other["winner"] == record["winner"]]
    assert len(shown) == len(same) and all(result in text for text in shown), typed
    view.locator("#find").fill("onitama")
    count = sum(other["variant"] == "onitama" for other in games_of(records))
    until(lambda: view.locator("#found").inner_text() == f"{count} games")
    assert view.locator("#games li:visible").count() == count
    view.locator("#games li:visible button").first.click()
    assert view.locator("#board [data-card]").count() == 5
    view.locator("#faults a").first.click()
    view.locator("#game-title", has_text="Game 8:").wait_for(timeout=5000)
    view.keyboard.press("End")
    assert "crash" in view.locator("#status").inner_text()
    view.get_by_role("button", name="Play").click()
    view.locator("#slider[aria-valuetext^='1. ']").wait_for(timeout=5000)
    assert opened.complaints == []


@pytest.mark.long
def test_numbers_and_scores_have_one_convention(browser: Any, page: Path, records: Path) -> None:
    """Check that the page numbers moves from 1 and shows all scores from Black's point of view, and that the key Home
    scrolls to the start of the list of moves."""
    record = next(r for r in games_of(records) if r["variant"] == "minishogi" and len(r["moves"]) > 50)
    opened = Opened(browser, page, f"#game={record['game'] + 1}")
    view, moves = opened.page, opened.page.locator("#moves")
    numbers = [int(text.split(".")[0]) for text in moves.locator("button").all_inner_texts()[1:]]
    plies = len(record["book"]) + len(record["moves"])
    assert numbers == list(range(1, plies + 1))
    assert f" {plies} plies" in view.locator("#games button[aria-current]").inner_text()
    for ply in range(1, plies + 1):
        score = record["scores"][ply - 1 - len(record["book"])] if ply > len(record["book"]) else None
        if score and score[0] == "cp" and score[1]:
            text = moves.locator("button").nth(ply).inner_text()
            assert ("+" in text.rsplit(" d", 1)[0].split()[-1]) is ((score[1] > 0) is (ply % 2 == 1)), (
                ply,
                text,
                score,
            )
    view.keyboard.press("End")
    assert moves.evaluate("list => list.scrollTop") > 0
    view.keyboard.press("Home")
    assert moves.evaluate("list => list.scrollTop") == 0
    assert view.locator("#status").inner_text() == "Start"
    assert "as Black sees them" in view.locator(".side").inner_text()
    scale = view.locator("#graph text").all_text_contents()
    assert {"+10", "0", "−10", "10"} <= set(scale)
    tiles = view.locator(".tiles").inner_text()
    assert re.search(r"Pairs won\s+\d+ of 52\s+\d+ with 2, [^\n]* points", tiles), tiles
    assert opened.complaints == []


@pytest.mark.long
def test_a_start_within_the_game_says_so(browser: Any, tmp_path: Path, records: Path) -> None:
    record = next(r for r in games_of(records) if r["variant"] == "minishogi")
    later = new_position("minishogi", record["start"])
    for move in record["book"]:
        later.push(move)
    path = tmp_path / "later.html"
    games: list[GameRecord] = [record | {"start": later.sfen(), "book": []}]
    path.write_text(render_page(games, {"recover": False, "resign": {"twosided": True}}), encoding="utf-8")
    opened = Opened(browser, path)
    assert opened.page.locator("#status").inner_text() == "Start, 2 plies into the game"
    assert opened.page.locator("#moves button").nth(1).inner_text().startswith("1. ")
    settings = opened.page.locator("section", has_text="Settings of the match").inner_text()
    assert "recover\toff" in settings and "resign.twosided\ton" in settings
    assert opened.complaints == []


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_show_the_colour(browser: Any, page: Path, scheme: Any) -> None:
    """Check that Black's mark is dark and White's mark is light in both colour schemes, and that a click changes the
    Play button to a pause button."""
    opened = Opened(browser, page, "#game=1", color_scheme=scheme)
    fill = "mark => getComputedStyle(mark).fill"
    black, white = (opened.page.locator(name).evaluate(fill) for name in (".mark:not(.white)", ".mark.white"))
    assert max(map(int, re.findall(r"\d+", black))) < 40 and min(map(int, re.findall(r"\d+", white))) > 220
    shown = opened.page.locator("#play path:visible")
    assert shown.count() == 1 and shown.get_attribute("class") == "go"
    opened.page.locator("#play").click()
    assert shown.count() == 1 and shown.get_attribute("class") == "pause"
    assert opened.complaints == []


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone(browser: Any, page: Path, scheme: Any) -> None:
    """Check that, on a phone, the page is not wider than the screen, buttons are large enough for a finger, and text
    contrasts with its background."""
    viewport = {"width": 360, "height": 740}
    opened = Opened(browser, page, "#game=1", viewport=viewport, color_scheme=scheme, has_touch=True, is_mobile=True)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 360
    top = "part => part.getBoundingClientRect().top"
    assert opened.page.locator("#board").evaluate(top) < opened.page.locator("#games").evaluate(top)
    rows = {control.evaluate(top) for control in opened.page.locator(".controls button").all()}
    assert len(rows) == 1, "a button stands alone"
    for control in opened.page.locator(".controls button").all():
        box: Any = control.bounding_box()
        assert min(box["width"], box["height"]) >= 40
        assert control.get_attribute("aria-label")
    label = opened.page.locator("#board svg").get_attribute("aria-label")
    assert label and label.startswith("Black: pawn 9g, pawn 8g, ")
    names = ["--text", "--soft", "--accent", "--card", "--ink", "--promoted", "--piece"]
    text, soft, accent, card, ink, promoted, piece = opened.page.evaluate(COLOURS, names)
    for front, ground in ((text, card), (soft, card), (accent, card), (ink, piece), (promoted, piece)):
        assert contrast(front, ground) >= 4.5, (front, ground)
    assert opened.complaints == []


def contrast(front: str, ground: str) -> float:
    """Return the contrast ratio of two colours in the form #rrggbb, as WCAG 2 defines it."""

    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(front), light(ground)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.long
def test_a_tournament_has_a_plot_for_each(browser: Any, tmp_path: Path, records: Path) -> None:
    games: list[GameRecord] = []
    for number, record in enumerate(games_of(records)[:60]):
        names = [("a", "b"), ("b", "c"), ("c", "a")][number // 2 % 3][:: 1 if number % 2 else -1]
        games.append(record | {"black": names[0], "white": names[1], "fault": None})
    path = tmp_path / "tournament.html"
    path.write_text(render_page(games, {}), encoding="utf-8")
    opened = Opened(browser, path)
    assert opened.page.locator("svg.plot").count() == 3 and opened.page.locator(".tiles").count() == 0
    assert (
        opened.page.locator("section", has_text="Cross-table").locator("table").first.locator("tbody tr").count() == 3
    )
    assert "None: no illegal move" in opened.page.locator("main").inner_text()
    assert opened.complaints == []


@pytest.mark.long
def test_a_match_without_games(browser: Any, tmp_path: Path) -> None:
    begun = tmp_path / "begun.jsonl"
    begun.write_text('{"kogoma_match": 1, "settings": {}}\n')
    assert main(["report", str(begun)]) == 0
    opened = Opened(browser, begun.with_suffix(".html"))
    assert opened.page.locator("h1").inner_text() == "No games yet" and opened.complaints == []
