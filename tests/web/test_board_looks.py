"""The look of the page's board in Chromium: pieces, marks and words for screen readers, in all variants and themes."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any, Literal

import pytest

from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from kogoma.web.games_folder import moves_of
from support.browsers.axe import serious_faults
from support.browsers.board_page import BoardPage

THEMES = ("light", "dark", "contrast")
SETS = ("two", "one", "western", "moves")
BOARDS = ("wood", "plain", "slate")


def random_game(name: str, plies: int) -> str:
    """Return the moves of a random game. The same arguments always give the same game."""
    chance, position = random.Random(7), new_position(name)
    moves: list[str] = []
    while len(moves) < plies and position.outcome() is None:
        moves.append(chance.choice(sorted(position.legal_moves())))
        position.push(moves[-1])
    return " ".join(moves)


@pytest.mark.long
@pytest.mark.parametrize("name", VARIANTS)
def test_every_piece_looks_different(board: BoardPage, name: str) -> None:
    """Check that, within each piece set, no two pieces of a variant look alike, and that the western set shows the SFEN
    letters. The editor must offer all pieces for both sides."""
    letters = list(VARIANTS[name].letters)
    for chosen in SETS:
        board.edit(name, pieceSet=chosen)
        faces = {
            letter: board.page.locator(f'[data-tool="{letter}"] svg').inner_html().split("scale", 1)[-1]
            for letter in letters
        }
        shapes = [re.sub(r'^[^"]*"', "", face) for face in faces.values()]
        assert len(set(shapes)) == len(letters), chosen
        if chosen == "western":
            assert [re.findall("<text[^>]*>([^<]*)</text>", shape) for shape in shapes] == [[one] for one in letters]
        else:
            assert ("<text" not in "".join(shapes)) is (name == "onitama")
        assert all(board.page.locator(f'[data-tool="{letter.lower()}"]').count() == 1 for letter in letters)
        assert not any(re.search(r"undefined|NaN", shape) for shape in shapes)


MOVES = """async ([name, letter]) =>
  (await import('/kogoma/web/board/pieces.js')).movesOf(name, letter)"""


def test_signs_of_moves_are_those_of_the_rules(board: BoardPage) -> None:
    """Check that the page reads the moves of every piece of every variant as the rules have them."""
    short = replace(
        VARIANTS["minishogi"].pieces[0], letter="D", steps=((-5, 3),), short_slides=((1, -2, 3), (0, 1, 12))
    )
    for variant in (*VARIANTS.values(), replace(VARIANTS["minishogi"], name="own", pieces=(short,))):
        board.page.evaluate("given => told.defineMoves(...given)", [variant.name, moves_of(variant)])
        for piece in variant.pieces:
            read = board.page.evaluate(MOVES, [variant.name, piece.letter])
            assert read == {
                name: [list(vector) for vector in getattr(piece, name)] for name in ("steps", "slides", "short_slides")
            }, (variant.name, piece.letter)


@pytest.mark.long
def test_names_in_both_languages(board: BoardPage) -> None:
    name = """cell => document.querySelector(
        `#board [data-key='${cell}'][role], #board [data-key='${cell}'] [role]`).getAttribute('aria-label')"""
    board.show("minishogi", "4k/5/5/5/KR3 b G2P 1", check=["1a"])
    told = [board.page.evaluate(name, key) for key in ("5e", "4d", "1a", "hand0P")]
    assert told == ["5e, Black's king", "4d, empty", "1a, White's king, in check", "Black's hand: pawn, 2"]
    board.click("5e")
    assert board.page.evaluate(name, "4d") == "4d, empty, possible target"
    board.click("5e")
    board.show("minishogi", "4k/5/5/5/KR3 b G2P 1", language="ja")
    told = [board.page.evaluate(name, key) for key in ("5e", "4d", "1a", "hand0P")]
    assert told == ["5五、先手の玉", "4四、空き", "1一、後手の玉", "先手の持ち駒、歩2枚"]
    coordinates = board.page.locator("#board .coordinate").all_text_contents()
    assert coordinates == [*"54321", *"一二三四五"]
    board.show("onitama", language="en")
    assert board.page.evaluate(name, "card15") == "tiger: 2 forward; 1 back"
    assert board.page.get_by_role("img", name="next card: crab").count() == 1


@pytest.mark.long
def test_a_turned_board(board: BoardPage) -> None:
    board.show("minishogi", flipped=1)
    (x, y), (to_x, to_y) = board.middle("1a"), board.middle("5e")
    assert y > to_y and x < to_x
    rows = board.page.locator("#board [role=row]").all()
    assert rows[0].locator("[role=gridcell]").first.get_attribute("data-key") == "1e"
    board.click("3e", "3d")
    board.drag("3e", "3d")
    board.page.locator('[data-key="4e"]').focus()
    board.press("Enter", "ArrowRight", "ArrowLeft", "ArrowDown", "Enter")
    assert board.moves == ["3e3d", "3e3d", "4e4d"]
    assert board.middle("3e")[1] < board.middle("3d")[1]


def test_marks(board: BoardPage) -> None:
    board.show("minishogi", moves="3e3d", check=["1a"], arrows=[{"usi": "P*3c", "weight": 0.5, "kind": "hint"}])
    for selector, count in (("rect.to", 1), ("rect.from", 1), (".check", 1), (".arrow.hint", 1), (".target", 0)):
        assert board.page.locator(f"#board {selector}").count() == count, selector
    fill = "mark => getComputedStyle(mark).fill"
    colours = {board.page.locator(f"#board rect.{kind}").first.evaluate(fill) for kind in ("to", "from", "square")}
    assert len(colours) == 3
    board.show("minishogi", names=["", ""], coordinates=False)
    assert board.page.locator("#board .coordinate, #board .who").count() == 0


@pytest.mark.long
def test_pieces_move_smoothly_unless_motion_is_reduced(browser: Any, checkout_address: str) -> None:
    running = "document.querySelector('#board .pieces').getAnimations({subtree: true}).length"
    for motion, count in (("no-preference", 1), ("reduce", 0)):
        board = BoardPage(browser, checkout_address, reduced_motion=motion)
        board.show("minishogi")
        assert board.page.evaluate(running) == 0
        board.page.evaluate("document.timeline.currentTime")
        assert (
            board.page.evaluate(
                "given => { told.show(given); return " + running + " }", board.given("minishogi", moves="3e3d")
            )
            == count
        ), motion
        assert board.complaints == []
        board.context.close()


@pytest.mark.long
@pytest.mark.parametrize("theme", THEMES)
def test_the_board_has_no_serious_accessibility_fault(board: BoardPage, theme: str) -> None:
    board.page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    for name in ("shogi", "dice", "onitama"):
        board.show(name, moves=random_game(name, 12), die=2 if name == "dice" else 0)
        assert serious_faults(board.page) == [], (theme, name)
    board.show("minishogi", "4k/1S3/5/5/4K b GP 1")
    board.click("4b", "4a")
    assert len(board.answers()) == 2 and serious_faults(board.page) == [], theme
    board.press("Escape")


@pytest.mark.long
def test_the_editor_has_no_serious_accessibility_fault(board: BoardPage) -> None:
    for name in ("kyoto", "onitama"):
        board.edit(name)
        assert serious_faults(board.page) == [], name


@pytest.mark.long
def test_a_move_is_drawn_at_once(board: BoardPage) -> None:
    """Check that the page draws at least half of the moves of a game of shogi within 50 ms each. Even a slow machine is
    fast enough for this limit. At the end, the page must show all 40 pieces."""
    moves = random_game("shogi", 60).split()
    board.show("shogi")
    took = [board.show("shogi", moves=" ".join(moves[:ply]), legal=[]) for ply in range(1, len(moves) + 1)]
    assert sorted(took)[len(took) // 2] < 50, took
    assert (
        len(board.page.locator("#board [data-square]").all())
        + sum(int(str(held.get_attribute("data-count"))) for held in board.page.locator("#board [data-held]").all())
        == 40
    )


# This script returns the contrast of each pair of colours that a player has to tell apart, and the least that WCAG 2
# (1.4.3, 1.4.11) demands: 4.5 for letters, 3 for lines and marks. A colour with an opacity is mixed with the one below.
CONTRASTS = """() => {
  const all = (selector) => [...document.querySelectorAll("#board " + selector)];
  const rgb = (text) => {
    const [r, g, b, a = 1] = (text.match(/[\\d.]+/g) ?? [NaN]).map(Number);
    return {c: [r, g, b], a};
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const opacity = (one) => {
    let product = 1;
    for (let at = one; at && at.tagName !== "svg"; at = at.parentElement) {
      product *= Number(getComputedStyle(at).opacity);
    }
    return product;
  };
  const ratio = (one, kind, below) => {
    const top = rgb(getComputedStyle(one)[kind]), a = top.a * opacity(one);
    const [x, y] = [top.c.map((v, index) => a * v + (1 - a) * below[index]), below].map(light).sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const fill = (one) => rgb(getComputedStyle(one).fill).c;
  const found = [];
  const pair = (what, one, kinds, below, least) =>
    found.push([what, Math.max(...kinds.map((kind) => ratio(one, kind, below))), least]);
  for (const koma of all(".koma")) {
    const wood = fill(koma.querySelector(".wood"));
    for (const face of koma.querySelectorAll(".face")) pair("letter on a piece", face, ["fill"], wood, 4.5);
    for (const dot of koma.querySelectorAll(".step-dot, .tip")) pair("step on a piece", dot, ["fill"], wood, 3);
    for (const line of koma.querySelectorAll(".slide, .jump")) pair("slide on a piece", line, ["stroke"], wood, 3);
  }
  const plate = fill(all(".plate")[0]);
  for (const one of all(".coordinate")) pair("coordinate", one, ["fill"], plate, 4.5);
  const beside = (one, selector) => fill(one.parentElement.querySelector(selector));
  for (const one of all(".many")) pair("number", one, ["fill"], beside(one, ".badge"), 4.5);
  for (const one of all(".tag-text")) pair("label of an arrow", one, ["fill"], beside(one, ".tag"), 4.5);
  for (const one of all(".card-name")) pair("name of a card", one, ["fill"], beside(one, ".paper"), 4.5);
  for (const one of all(".card .step")) pair("step on a card", one, ["fill", "stroke"], beside(one, ".paper"), 3);
  const root = getComputedStyle(document.documentElement).getPropertyValue("--board-focus");
  const focus = document.body.appendChild(document.createElement("i"));
  focus.style.color = root;
  for (const name of ["square", "to", "from"]) {
    for (const square of all("rect." + name).slice(0, 1)) {
      const below = fill(square);
      const under = (what, selector, kinds) =>
        all(selector).forEach((one) => pair(`${what} on ${name}`, one, kinds, below, 3));
      under("line", "rect." + name, ["stroke"]);
      under("frame", ".frame", ["stroke"]);
      under("star point", ".point", ["fill"]);
      under("edge of a piece", ".pieces .wood", ["stroke"]);
      under("figure", ".pieces .figure .ink", ["fill", "stroke"]);
      under("target", ".target:not(.taken) .dot", ["fill"]);
      under("capture", ".target.taken .ring", ["stroke"]);
      under("arrow", ".arrow > path", ["fill"]);
      under("circle", ".arrow > circle", ["stroke"]);
      pair(`focus on ${name}`, focus, ["color"], below, 3);
    }
  }
  focus.remove();
  return found;
}"""


@pytest.mark.long
@pytest.mark.parametrize("chosen", BOARDS)
def test_contrast_of_every_board_with_every_piece_set(board: BoardPage, chosen: str) -> None:
    """Check the contrast of letters, lines and marks in all themes, also those that the system chooses. The positions
    show pieces of both sides, promoted pieces, hands, targets of both kinds, and arrows of all kinds."""
    arrows = [
        {"usi": usi, "weight": 1, "label": "1", "kind": kind}
        for usi, kind in (("5i5h", "line"), ("S*4f", "hint"), ("1i1h", "threat"))
    ]
    sfen = "lnsgkgsnl/1r7/ppppp2pp/5+p3/4S2+B1/2P6/PP1P1PPPP/1B5R1/LNSGKG1NL b 2P 1"
    themes: list[tuple[str, Literal["light", "dark"], Literal["more", "no-preference"]]]
    themes = [(name, "light", "no-preference") for name in THEMES]
    themes += [("", "dark", "no-preference"), ("", "light", "more")]
    seen = set[str]()
    for theme, scheme, more in themes:
        board.page.emulate_media(color_scheme=scheme, contrast=more)
        board.page.evaluate(
            """([theme, board]) => {
              const { dataset } = document.documentElement;
              dataset.board = board;
              if (theme) dataset.theme = theme; else delete dataset.theme;
            }""",
            [theme, chosen],
        )
        for pieces in SETS:
            for name, start, moves, piece in (
                ("shogi", sfen, "5e5d 5c5d", "2e"), ("onitama", None, random_game("onitama", 6), "c1")
            ):  # fmt: skip
                board.show(name, start, moves, pieceSet=pieces, arrows=arrows if name == "shogi" else [])
                board.click(piece)
                found = board.page.evaluate(CONTRASTS)
                low = {(what, round(ratio, 2)) for what, ratio, least in found if not ratio >= least}
                assert not low, (theme, scheme, more, pieces, name, low)
                seen |= {what for what, *_ in found}
                board.press("Escape")
    assert len({what.split(" on ")[0] for what in seen}) == 17, sorted(seen)


FAINT_SCORES = """async (scores) => {
  const { drawGraph } = await import('/kogoma/web/board/graph.js');
  const game = {all: scores, said: (index) => scores[index]};
  const drawing = drawGraph(game, 0, () => {}, 300, 'scores');
  const dots = (name) => {
    const path = drawing.querySelector("." + name).getAttribute("d");
    return [...path.matchAll(/M([\\d.]+) [\\d.]+h0/g)].map(([, x]) => +x);
  };
  const [line, shallow] = ['line', 'shallow'].map(dots), places = [...line, ...shallow].sort((a, b) => a - b);
  return shallow.map((x) => places.indexOf(x));
}"""


@pytest.mark.long
def test_scores_of_shallow_searches_are_faint(board: BoardPage) -> None:
    """Check which points of a graph are faint: scores with less than 0.6 of the usual depth, but no mates, and not all
    other scores if one search was very deep."""
    cases: tuple[tuple[list[int], list[int]], ...] = (
        ([10, 10, 10, 10], []), ([10, 5, 10, 6, 10], [1]), ([10, 10, 10, 10, 10, 10, 10, 50], []),
        ([1, 2, 1, 2], [0, 2]),
    )  # fmt: skip
    for depths, faint in cases:
        assert board.page.evaluate(FAINT_SCORES, [["cp", 100, depth] for depth in depths]) == faint, depths
    scores = [["cp", 30, 8], ["mate", 3, 2], ["cp", -20, 3], ["mate", -5, 60], ["cp", 40, 8]]
    assert board.page.evaluate(FAINT_SCORES, scores) == [2]
    assert board.page.evaluate(FAINT_SCORES, [["cp", 30], ["cp", -20]]) == []
