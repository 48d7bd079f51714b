"""Pictures of the shown position as SVG and PNG."""

from __future__ import annotations

import base64
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from kogoma.rules.dice.die import allowed
from kogoma.rules.onitama.position import OnitamaPosition
from kogoma.rules.position import Position, new_position
from kogoma.rules.variants import VARIANTS
from support.browsers.analysis_page import AnalysisPage, pieces_of
from support.browsers.axe import serious_faults
from support.browsers.chromium import Watched
from support.browsers.page_records import played
from support.kifu.records import sfen_line

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SVG = "{http://www.w3.org/2000/svg}"
# The elements and attributes of a picture; none of them can refer to another file.
ELEMENTS = {"svg", "g", "rect", "path", "circle", "text"}
ATTRIBUTES = {
    "viewBox", "width", "height", "role", "aria-label", "x", "y", "cx", "cy", "r", "rx", "d", "transform", "opacity",
    "fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-linejoin", "stroke-linecap",
    "text-anchor", "font-family", "font-size", "font-weight", "data-variant", "data-square", "data-piece", "data-held",
    "data-count", "data-card", "data-die",
}  # fmt: skip

# This script draws images with the same size, and returns for each the part of its pixels that have another colour than
# its first pixel, and then the mean difference of the first two.
DRAWN = """async (addresses) => {
  const drawn = [];
  for (const address of addresses) {
    const image = new Image();
    image.src = address;
    await image.decode();
    const brush = document.createElement("canvas").getContext("2d");
    Object.assign(brush.canvas, { width: 1200, height: Math.round(1200 * image.naturalHeight / image.naturalWidth) });
    brush.drawImage(image, 0, 0, brush.canvas.width, brush.canvas.height);
    drawn.push(brush.getImageData(0, 0, brush.canvas.width, brush.canvas.height).data);
  }
  const parts = drawn.map((data) => {
    let others = 0;
    for (let at = 0; at < data.length; at += 4) others += data[at] !== data[0] || data[at + 1] !== data[1];
    return 4 * others / data.length;
  });
  let sum = 0;
  drawn[0].forEach((value, at) => { sum += Math.abs(value - drawn[1][at]); });
  return [...parts, sum / drawn[0].length];
}"""


def save(opened: AnalysisPage, form: str, folder: Path) -> bytes:
    """Save the shown position as a file with the dialog, and return the content of the file."""
    opened.records("save")
    opened.page.select_option("#save-format", form)
    opened.page.wait_for_function("() => document.querySelector('#save-picture').naturalWidth > 100")
    with opened.page.expect_download() as download:
        opened.page.click("#download")
    assert download.value.suggested_filename.endswith(f".{form}")
    path = folder / f"picture.{form}"
    download.value.save_as(path)
    opened.close_dialog()
    return path.read_bytes()


def found_in(root: ElementTree.Element, *names: str) -> list[tuple[str, ...]]:
    """Return the values of these attributes, of all elements that have all of them."""
    return [
        tuple(one.get(name, "") for name in names)
        for one in root.iter()
        if all(one.get(name) is not None for name in names)
    ]


def hands_of(position: Position) -> set[tuple[str, str]]:
    """Return the pieces in hand, each with its number."""
    letters = [piece.letter for piece in position.variant.pieces]
    return {
        (letters[kind - 1].lower() if side else letters[kind - 1], str(count))
        for side, hand in enumerate(position.setup().hands)
        for kind, count in enumerate(hand)
        if kind and count
    }


@pytest.mark.long
@pytest.mark.parametrize("name", VARIANTS)
def test_a_picture_shows_the_position_and_stands_alone(
    browser: Browser, site_address: str, tmp_path: Path, name: str
) -> None:
    dark = name in {"shogi", "onitama"}
    more: dict[str, Any] = {"color_scheme": "dark", "locale": "ja-JP"} if dark else {}
    opened = AnalysisPage(browser, site_address, accept_downloads=True, **more)
    page, record = opened.page, played(name, 0)
    opened.view("analyse")
    opened.open_text(sfen_line(record))
    page.wait_for_selector("dialog", state="detached")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    position = new_position(name, record["start"])
    for move in [*record["book"], *record["moves"]][:-1]:
        position.push(move)
    if VARIANTS[name].die:
        roll = next(roll for roll in range(1, 7) if allowed(position, roll))
        page.click(f"#dice button >> nth={roll - 1}")
    text, png = save(opened, "svg", tmp_path), save(opened, "png", tmp_path)
    root = ElementTree.fromstring(text)
    assert {one.tag for one in root.iter()} <= {SVG + tag for tag in ELEMENTS}
    assert {name for one in root.iter() for name in one.attrib} <= ATTRIBUTES and b"url(" not in text
    if isinstance(position, OnitamaPosition):
        _, _, cards, *_ = position.sfen().split()
        shown = {card for (card,) in found_in(root, "data-card")}
        assert shown == set(cards.replace("/", ",").split(","))
        row = position.sfen().split()[0]
        assert len(found_in(root, "data-piece")) == sum(one.isalpha() for one in row)
    else:
        assert isinstance(position, Position)
        assert set(found_in(root, "data-square", "data-piece")) == set(pieces_of(position).items())
        assert set(found_in(root, "data-held", "data-count")) == hands_of(position)
    texts = ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]
    turn = ["の番" in one if dark else "to move" in one for one in texts]
    assert sum(turn) == 1 and len(texts) >= VARIANTS[name].files + VARIANTS[name].ranks + 2
    assert (found_in(root, "data-die") == [(str(roll),)]) if VARIANTS[name].die else not found_in(root, "data-die")
    # A browser that has nothing of the page draws it, and the PNG is the same picture.
    wide, high = struct.unpack(">II", png[16:24])
    assert wide >= 1000 and abs(high / wide - float(root.get("height", 0)) / float(root.get("width", 1))) < 0.01
    alone = Watched(browser)
    addresses = [
        f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
        for kind, data in (("svg+xml", text), ("png", png))
    ]
    *parts, difference = alone.page.evaluate(DRAWN, addresses)
    assert min(parts) > 0.4 and difference < 1, (parts, difference)
    assert not [url for url in alone.requests if not url.startswith("data:")]
    assert opened.heard == alone.complaints == []


def test_names_of_any_characters_give_valid_xml(browser: Browser, site_address: str, tmp_path: Path) -> None:
    opened = AnalysisPage(browser, site_address, accept_downloads=True)
    opened.new_game("minishogi", player_0="person", player_1="person")
    opened.open_text(
        "先手：<b>&amp;]]>\\x0b\\ufffe\\U0001f600\n後手：\"'\n手合割：5五将棋\n手数----指手---\n   1 ３四角(25)\n"
    )
    opened.page.wait_for_selector("dialog", state="detached")
    root = ElementTree.fromstring(save(opened, "svg", tmp_path))
    assert any("<b>&amp;]]>" in "".join(one.itertext()) for one in root.iter(f"{SVG}text"))
    opened.records("save")
    opened.page.select_option("#save-format", "png")
    assert serious_faults(opened.page, "dialog") == [] and opened.page.get_attribute("#save-picture", "alt")
    assert opened.page.is_hidden("#save-text") and opened.heard == []
