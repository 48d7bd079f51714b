"""The review of a game on the page: search, marks, figures, better lines, questions, and the files of `analyse`."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from kogoma.lab.analysis.examine import Settings, examine
from kogoma.lab.analysis.judge import Judgement, Known, Moves, judge, summary
from kogoma.lab.analysis.review_file import problems_text, review_text
from kogoma.lab.kifu.formats import games_as_bytes
from kogoma.lab.kifu.game import Game
from kogoma.rules.position import new_position
from support.browsers.analysis_page import AnalysisPage, minishogi_page, pieces_of
from support.browsers.axe import serious_faults

if TYPE_CHECKING:
    from playwright.sync_api import Browser

START = "rbsgk/4p/5/P4/KGSBR b - 1"
MOVES = "2e3d 4a5b 1e2e 5b4a 2e1e 4a5b".split()
# The beginning of a game with a blunder: the 15th move.
GAME = Moves(
    "minishogi", START, tuple("2e4c 4a3b 4c3b 2a3b 3e3d B*2b B*4d 2b4d 4e4d B*2b B*3c 2b3c 3d3c 5a4a 4d4e".split())
)

# This script replaces the short time limits of searches by numbers of nodes, so that results do not depend on the
# machine.
FEW_NODES = """() => {
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...more) {
    const { movetime, ...limits } = message.limits ?? {};
    if (movetime && movetime < 10000) message = { ...message, limits: { ...limits, nodes: 10 * movetime } };
    return post.call(this, message, ...more);
  };
}"""


@pytest.fixture
def opened(browser: Browser, site_address: str) -> Iterator[AnalysisPage]:
    """Yield the page with a new game of minishogi between two people."""
    with minishogi_page(browser, site_address, FEW_NODES) as page:
        yield page


def known_lines(game: Moves) -> Known:
    known = Known()
    examine(game, Settings(movetime=0, nodes=5000, multipv=3, hash_mb=4), known, lambda ply, lines: None)
    return known


def open_file(page: AnalysisPage, text: str) -> None:
    page.open_text(text)
    page.page.wait_for_selector("dialog", state="detached")
    page.tab("review")


# This script returns the key of the focused item, and the centres of it and of another item.
PLACES = """(wanted) => {
  const centre = (item) => {
    const { x, y, width, height } = (item.querySelector(".ring") ?? item).getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  };
  const focused = document.activeElement.closest("#board [data-key]");
  const item = document.querySelector(`#board [data-key="${wanted}"]`);
  return focused && [focused.dataset.key, centre(focused), centre(item)];
}"""


def walk_to(page: AnalysisPage, key: str) -> None:
    """Move the focus, which must be on the board, to an item with the arrow keys."""
    for _ in range(40):
        place = page.page.evaluate(PLACES, key)
        assert place is not None, "the focus is not on the board"
        focused, (x, y), (to_x, to_y) = place
        if focused == key:
            return
        if abs(to_y - y) > 5:
            page.page.keyboard.press("ArrowDown" if to_y > y else "ArrowUp")
        else:
            page.page.keyboard.press("ArrowRight" if to_x > x else "ArrowLeft")
    raise AssertionError(f"the arrow keys do not reach {key}")


def play_by_keys(page: AnalysisPage, usi: str, side: int) -> None:
    """Make a move with the keyboard alone, from the item that has the focus."""
    origin = f"hand{side}{usi[0]}" if "*" in usi else usi[:2]
    for key in (origin, usi[2:4]):
        walk_to(page, key)
        page.page.keyboard.press("Enter")
    answer = page.page.locator(f'.chooser [data-answer="{usi}"]')
    if answer.count():
        answer.focus()
        page.page.keyboard.press("Enter")


def wait_told(page: AnalysisPage, words: str) -> None:
    page.page.wait_for_function(
        "(words) => document.querySelector('#learn-told').textContent.includes(words)", arg=words
    )


def test_a_game_is_reviewed(opened: AnalysisPage) -> None:
    page = opened.page
    open_file(opened, f"position startpos moves {' '.join(MOVES)}")
    page.click("#review-game")
    page.wait_for_function("() => document.querySelector('#review-status').textContent === 'The review is complete.'")
    assert page.locator("#moves small:not(:empty)").count() == len(MOVES)
    paths = page.eval_on_selector_all(".graph path", "(all) => all.map((one) => one.getAttribute('d')).join('')")
    assert paths.count("L") == len(MOVES) - 1

    def check_marks() -> None:
        """Check that tree, graph and list have the same number of mistakes."""
        count = page.locator("#tree .mark").count()
        assert count == page.locator(".graph .dots circle").count() == page.locator("#mistakes li").count()

    check_marks()
    # A review can be stopped, and ends when another game is opened.
    page.select_option("#review-time", "10000")
    page.click("#review-game")
    page.wait_for_selector("#panel-review progress:not([hidden])")
    page.click("#review-game")
    page.wait_for_selector("#panel-review progress", state="hidden")
    page.click("#review-game")
    page.wait_for_selector("#panel-review progress:not([hidden])")
    opened.new_game("onitama", player_0="person", player_1="person")
    page.wait_for_selector("#panel-review progress", state="hidden")
    assert page.inner_text("#review-status") == "" and page.locator("#mistakes").is_hidden()
    # The review is saved with the game, and a click on the graph shows the move at that place.
    page.click("#games")
    page.locator("dialog .kept li", has_text="Minishogi").first.locator("button", has_text="Open").click()
    page.wait_for_selector("dialog", state="detached")
    opened.view("analyse")
    opened.tab("review")
    assert page.inner_text("#review-figures").startswith("\tBlack\tWhite")
    check_marks()
    opened.tab("graph")
    page.wait_for_selector(".graph svg")
    box = page.locator(".graph svg").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.98, box["y"] + box["height"] / 2)
    assert page.get_attribute("#moves [aria-current=step]", "data-move") == MOVES[-1]


@pytest.mark.long
@pytest.mark.parametrize("name", ["dice", "onitama"])
def test_other_variants_are_reviewed(opened: AnalysisPage, name: str) -> None:
    page = opened.page
    rng, position = random.Random(name), new_position(name)
    for _ in range(6):
        position.push(rng.choice(sorted(position.legal_moves())))
    record = Game.played(name, position.moves)
    for step in record.main.steps[:-1] if name == "dice" else ():
        step.dice = 6
    open_file(opened, b"".join(games_as_bytes([record], "kifu")).decode())
    page.click("#review-game")
    page.wait_for_function("() => document.querySelector('#review-status').textContent === 'The review is complete.'")
    # The roll of the last move in dice shogi is unknown: the move has a score, but is not judged.
    assert page.locator("#moves small:not(:empty)").count() == 6
    told = "Moves without a judgement: 1 (not searched, or with an unknown die roll)."
    assert (told in page.inner_text("#review-figures")) is (name == "dice")


@pytest.mark.parametrize("width", [1500, 600])
def test_a_reviewed_file_is_shown_and_its_mistakes_are_learnt(opened: AnalysisPage, width: int) -> None:
    """Check the review and its questions with hands beside the board, and above and below it."""
    opened.page.set_viewport_size({"width": width, "height": 1000})
    page, known = opened.page, known_lines(GAME)
    judged = judge(GAME, known)
    record = Game.played(GAME.variant, GAME.moves, GAME.start)
    open_file(opened, review_text([(record, GAME, known)]))
    assert opened.moves == list(GAME.moves)
    shares = [summary(judged, side, len(GAME.moves)).accuracy for side in (0, 1)]
    row = page.locator("#review-figures tr", has_text="Accuracy").inner_text().split()
    assert row[1:] == [f"{share:.1f}%" for share in shares]
    mistakes = [one for one in judged if one.name]
    assert page.locator("#mistakes li").count() == len(mistakes) > 0
    assert [text.split(".")[0] for text in opened.tree if "?" in text] == [str(one.ply + 1) for one in mistakes]
    assert all(one.name in page.inner_text("#tree") for one in mistakes)
    assert "Black: 0–2%" in str(page.get_attribute(".histogram", "aria-label"))
    # A mistake is shown with the better line.
    worst = max(mistakes, key=lambda one: one.severity)
    page.click(f'#mistakes [data-ply="{worst.ply + 1}"]')
    assert opened.pieces == pieces_of(position_before(worst))
    assert page.locator("#board .arrow.hint").count() == page.locator("#board .arrow.threat").count() == 1
    first = page.locator("#better-lines button").first
    assert first.get_attribute("data-usi") == worst.best.moves[0]
    first.focus()  # a preview
    after = position_before(worst)
    after.push(worst.best.moves[0])
    assert opened.pieces == pieces_of(after)
    learn(opened, judged, known)
    page.emulate_media(color_scheme="dark")
    assert serious_faults(page, "#panel-review") == []


def position_before(one: Judgement) -> Any:
    position = new_position(GAME.variant, GAME.start)
    for move in GAME.moves[: one.ply]:
        position.push(move)
    return position


def learn(opened: AnalysisPage, judged: list[Judgement], known: Known) -> None:
    """Answer all questions with the keyboard alone: first a wrong move, then one that the review did not search, a drop
    if there is one, then the best one."""
    page, tree, seen = opened.page, opened.page.inner_text("#tree"), set[str]()
    questions = [one for one in judged if one.name in ("mistake", "blunder")]
    page.focus("#learn-start")
    page.keyboard.press("Enter")
    for number, one in enumerate(questions, 1):
        wait_told(opened, f"Question {number} of {len(questions)}")
        assert page.evaluate("() => document.querySelector('#board').contains(document.activeElement)")
        play_by_keys(opened, one.move, one.side)
        wait_told(opened, "is not good enough")
        assert page.evaluate("document.activeElement.id") == "learn-again"
        page.keyboard.press("Enter")
        searched = {line.moves[0] for line in known[one.ply]}
        others = [move for move in position_before(one).legal_moves() if move not in searched]
        other = min(others, key=lambda move: ("*" not in move, "+" not in move, move))
        seen.add(other[1])
        play_by_keys(opened, other, one.side)
        page.wait_for_function("() => ['learn-again', 'learn-next'].includes(document.activeElement.id)")
        if page.evaluate("document.activeElement.id") == "learn-again":
            page.keyboard.press("Enter")
            play_by_keys(opened, one.best.moves[0], one.side)
        wait_told(opened, "is right")
        assert serious_faults(page, "#panel-review") == []
        page.keyboard.press("Enter")
    assert "*" in seen
    wait_told(opened, f"Solved: {len(questions)} of {len(questions)}.")
    assert page.inner_text("#tree") == tree and opened.moves == list(GAME.moves)
    # The solution is shown as an arrow, and another move of the game ends the questions.
    page.click("#learn-start")
    page.click("#learn-solution")
    wait_told(opened, "Best line: ")
    assert page.locator("#board .arrow.hint").count() == 1
    page.click("#to-start")
    wait_told(opened, "Solved: 0 of")
    opened.play("2e3d", 0)  # a variation again
    assert page.inner_text("#tree") != tree


def test_files_of_problems(opened: AnalysisPage) -> None:
    page, known = opened.page, known_lines(GAME)
    record = Game.played(GAME.variant, GAME.moves, GAME.start)
    text = problems_text([(record, GAME, known)], {})
    file = json.loads(text)
    opened.open_text(text)
    count = len(file["problems"])
    if count > 1:
        page.wait_for_selector("dialog .found li")
        assert page.locator("dialog .found li").count() == count
        page.locator("dialog .found button").first.click()
    page.wait_for_selector("dialog", state="detached")
    first = file["problems"][0]
    assert opened.moves == [first["previousMove"]["usi"], first["actualMove"]["usi"]]
    assert page.locator("#mistakes li").count() == 1 and page.locator("#learn-start").is_enabled()
    shogi: dict[str, Any] = {
        "sfen": "4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
        "candidates": [{"usi": "G*5b", "mate": 1, "accepted": True}, {"usi": "3i3h", "score": 1}],
        "actualMove": {"usi": "5i5h", "score": 300},
    }

    def written(**changes: Any) -> str:
        return json.dumps({"format": "shogihome-next-move", "version": 1, "problems": [shogi | changes]})

    bad = {
        written(): "problems[0].candidates[1]",
        written(candidates=[]): "problems[0].candidates",
        written(sfen="4k4 b G 1"): "SFEN",
        written(sfen=7): "problems[0].sfen",
        written(candidates=shogi["candidates"][:1], actualMove={"usi": "5i5h"}): "problems[0].actualMove",
        written(candidates=shogi["candidates"][:1], actualMove={"usi": "5i1a", "score": 0}): "illegal",
        written(previousMove={"usi": "5a4a", "sfen": "3k5/9/4P4/9/9/9/9/9/4K4 w G 1"}): "",
        '{"format":"shogihome-next-move","version":2,"problems":[]}': "version 2",
        '{"format":"kogoma-review","version":1,"games":{}}': "games",
        '{"format":"kogoma-review","version":1,"games":[null]}': "games[0]",
        '{"format":"kogoma-review","version":1,"games":[{"variant":"x"}]}': "unknown variant",
        review_text([(record, GAME, known)]).replace('"cp"', '"xy"', 1): "games[0].lines[",
        written()[:-9]: "JSON",
    }
    opened.tab("records")
    page.click("#open-record")
    for given, told in bad.items():
        page.fill("#record-text", "")
        page.fill("#record-text", given)
        page.click("dialog button[type=submit]")
        page.wait_for_function("() => document.querySelector('#record-told').textContent")
        shown = page.inner_text("#record-told")
        assert told in shown and "\n" not in shown.strip() and len(shown) < 300, (given, shown)
    page.fill("#record-text", written(candidates=shogi["candidates"][:1]))
    page.click("dialog button[type=submit]")
    page.wait_for_selector("dialog", state="detached")
    assert page.locator("#mistakes li").inner_text().startswith("1. Black")
