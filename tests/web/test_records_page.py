"""Opening, saving and sharing games on the page."""

from __future__ import annotations

import io
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kogoma.lab.kifu.formats import read_games
from kogoma.lab.kifu.kif import kif as write_kif
from kogoma.rules.position import new_position
from support.browsers.analysis_page import AnalysisPage, pieces_of
from support.browsers.axe import serious_faults
from support.browsers.meter import Meter
from support.browsers.page_records import played
from support.kifu.records import kif
from support.usi_client import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = "<img src=x onerror=alert(1)>"
KIF = f"""# game 3, minishogi
先手：{HOSTILE}
後手：二
開始日時：2026/11/24 10:00
棋戦：第1期
手合割：5五将棋
手数----指手---------消費時間--
   1 ３四角(25)   ( 0:01/00:00:01)
*{HOSTILE}
   2 ２二銀(31)
&しおり
   3 ２四銀(35)   ( 0:03/00:00:04)
   4 投了
まで3手で先手の勝ち

変化：2手
   2 ４二銀(31)
"""
MOVES = ["2e3d", "3a2b", "3e2d"]


@pytest.fixture
def opened(browser: Browser, site_address: str) -> Iterator[AnalysisPage]:
    """Yield the page with a running game of minishogi between two people."""
    page = AnalysisPage(browser, site_address, viewport={"width": 1500, "height": 1000}, accept_downloads=True)
    page.new_game("minishogi", player_0="person", player_1="person")
    page.play("3e3d", 0)
    yield page
    assert page.heard == []
    page.context.close()


def test_a_kif_is_opened_and_saved(opened: AnalysisPage, tmp_path: Path) -> None:
    page = opened.page
    file = tmp_path / "game.kif"
    file.write_bytes(KIF.encode("cp932"))
    opened.records("open")
    page.set_input_files("#record-file", file)
    page.wait_for_selector("dialog", state="detached")
    # The game is shown from its start. Names, times and comments are shown as text.
    assert opened.moves == MOVES and opened.pieces == pieces_of(new_position("minishogi"))
    assert HOSTILE in (page.text_content("#play") or "") and "二" in (page.text_content("#play") or "")
    assert page.inner_text("#tree .comment >> nth=0") == HOSTILE and page.locator("main img, dialog img").count() == 0
    assert [text.split(" ")[0] for text in opened.tree] == ["Start", "1.", "2.", "2.", "3."]
    page.keyboard.press("End")
    assert "White resigned" in page.inner_text("#status")
    # After a reload, the page saves the same game.
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    opened.records("save")
    text = page.input_value("#save-text")
    [game] = read_games(io.BytesIO(KIF.encode()), "kifu")
    assert text == write_kif(game) and "棋戦：第1期\n" in text and "\n&しおり\n" in text
    with page.expect_download() as download:
        page.click("#download")
    assert download.value.suggested_filename.endswith(".kifu")
    assert Path(download.value.path()).read_text("utf-8") == text
    page.select_option("#save-format", "usi")
    assert (
        page.input_value("#save-text") == f"position sfen {new_position('minishogi').sfen()} moves {' '.join(MOVES)}\n"
    )
    page.select_option("#save-format", "sfen")
    position = new_position("minishogi")
    for move in MOVES:
        position.push(move)
    assert page.input_value("#save-text") == f"{position.sfen()}\n"
    opened.close_dialog()
    # The saved text can be opened again.
    opened.open_text(text)
    page.wait_for_selector("dialog", state="detached")
    assert opened.moves == MOVES and page.inner_text("#tree .comment >> nth=0") == HOSTILE


def test_what_was_not_kept_as_it_is_is_told(opened: AnalysisPage) -> None:
    """Check that the page shows one note of each kind, and keeps an unknown end of the game."""
    page = opened.page
    opened.open_text(KIF.replace("   4 投了\nまで3手で先手の勝ち\n", "   4 時計故障\n?\n??\n"))
    page.wait_for_selector("dialog", state="detached")
    for told in (
        "Line 13: unknown end of the game '時計故障', which is kept as text.",
        "Line 14: ignored '?'. And 1 more.",
    ):
        assert page.locator(".message span", has_text=told).count() == 1
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    opened.records("save")
    assert "   4 時計故障\nまで3手で時計故障\n" in page.input_value("#save-text")


@pytest.mark.long
def test_invalid_records_do_not_change_the_game(opened: AnalysisPage) -> None:
    page = opened.page
    before = (opened.moves, opened.pieces)
    opened.records("open")
    for text, told in (
        (HOSTILE, f"Line 1, column 1: not a KIF record: '{HOSTILE}'."),
        ("rbsgk/4p/5/P4/KGSB b - 1", "Line 1, column 1: SFEN: rank e is 4 squares wide, not 5."),
        (
            KIF.replace("(31)", "(33)", 1),
            "Line 10, column 6: move 2, ２二銀(33): nothing stands on 33, not 銀. Moves read before this line: 1.",
        ),
    ):
        page.fill("#record-text", text)
        page.click("dialog button[type=submit]")
        page.wait_for_function(
            "(told) => document.querySelector('#record-told').textContent.trim() === told", arg=told, timeout=5000
        )
        assert (opened.moves, opened.pieces) == before
    # The moves before the bad line can be opened.
    page.click("#open-part")
    page.wait_for_selector("dialog", state="detached")
    assert opened.moves == MOVES[:1]
    # One of several games can be chosen.
    opened.open_text(KIF + "\n" + KIF.replace("# game 3, minishogi", "# game 4, minishogi"))
    page.wait_for_selector("dialog .found li")
    assert page.locator("dialog .found li").count() == 2
    page.click("dialog .found li:nth-child(2) button")
    page.wait_for_selector("dialog", state="detached")
    assert opened.moves == MOVES


MANY = 8000
# This script measures the longest time in ms in which the page did not react while a file was read.
WATCH = """() => {
  window.longest = 0;
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    window.longest = Math.max(window.longest, now - last);
    last = now;
  }, 5);
}"""


def test_thousands_of_games_are_listed_and_searched(opened: AnalysisPage, tmp_path: Path) -> None:
    page, file = opened.page, tmp_path / "games.kif"
    record = kif(played("minishogi", 0)).replace("# game 0, minishogi\n", "").replace("先手：", "先手：Ann ")
    moves = record[record.index("手数") :]
    with file.open("w", encoding="utf-8") as written:
        for number in range(MANY):
            event, end = f"棋戦：Cup{number % 7}", "まで5手で後手の勝ち\n" if number % 2 else ""
            written.write(
                f"開始日時：{2000 + number % 25}/01/02\n{event}\n先手：Ann{number}\n後手：Ben\n手合割：5五将棋\n"
            )
            written.write(moves if end == "" else f"{moves[: moves.index('   6 ')]}   6 投了\n{end}")
    opened.records("open")
    page.evaluate(WATCH)
    meter = Meter(page)
    before, began = meter.seconds(), time.monotonic()
    page.set_input_files("#record-file", file)
    told = page.locator("dialog [role=status]", has_text=f"{MANY} of {MANY} games")
    told.wait_for(timeout=30_000)
    # Reading takes about 0.4 s, in slices of 40 ms. A busy machine changes neither the processor time nor the longest
    # slice's share of the elapsed time.
    assert meter.seconds() - before < 3
    assert page.evaluate("longest") < (time.monotonic() - began) * 1000 / 2
    # Scrolling reaches every game that a search finds. Players, event, date and result can be searched.
    for words, count in (("ann7999 ben", 1), ("cup3 2003/01", 46), ("2003/01 white wins", 160), ("nobody", 0)):
        page.fill("#record-find", words)
        page.press("#record-find", "Enter")  # the Enter key must not read the text again
        page.locator("dialog [role=status]", has_text=f"{count} of {MANY} games").wait_for()
    page.fill("#record-find", "cup3")
    games = page.locator("#record-games li")
    shown = 0
    while games.count() > shown:
        shown = games.count()
        games.last.scroll_into_view_if_needed()
        page.wait_for_timeout(50)
    assert shown == sum(number % 7 == 3 for number in range(MANY)) and "Cup3" in games.last.inner_text()
    page.fill("#record-find", "ann7997")
    games.first.locator("button").click()
    page.wait_for_selector("dialog", state="detached")
    assert len(opened.moves) == 5 and "Ann7997" in (page.text_content("#play") or "")


@pytest.mark.long
def test_an_address_is_shared(browser: Browser, opened: AnalysisPage) -> None:
    page = opened.page
    opened.open_text(KIF)
    page.wait_for_selector("dialog", state="detached")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    opened.records("share")
    game, position = page.input_value("#share-game"), page.input_value("#share-position")
    opened.close_dialog()
    shown = opened.pieces
    # In another browser, the address opens the same game at the same move. A reload does not open the game again.
    other = AnalysisPage(browser, game)
    other.page.wait_for_function("() => document.querySelectorAll('#moves [data-move]').length === 3")
    assert (other.moves, other.pieces) == (MOVES, shown) and other.page.url.endswith("/#analyse")
    assert other.page.get_attribute("#moves [aria-current=step]", "data-move") == MOVES[1]
    other.page.evaluate("(address) => { location.href = address; }", position)
    other.page.wait_for_function("() => document.querySelectorAll('#moves [data-move]').length === 0")
    assert other.pieces == shown
    # An invalid address is refused, and the game stays.
    address = page.url
    for hash_, told in (
        ("#game=%3Cb%3E", "invalid game in the address: unknown game “%3Cb%3E”"),
        ("#game=minishogi&moves=!!", "invalid game in the address: unreadable moves"),
        ("#game=minishogi&start=x", "invalid game in the address: SFEN: 5 ranks expected, not 1"),
    ):
        other.page.evaluate("(hash) => { location.hash = hash; }", hash_)
        other.page.wait_for_function(
            "(told) => [...document.querySelectorAll('.message span')].some((one) => one.textContent === told)",
            arg=told,
        )
        assert other.pieces == shown
    assert other.heard == [] and address.endswith("/#analyse")
    other.context.close()


@pytest.mark.long
def test_the_address_of_a_whole_game_opens_it_in_another_browser(browser: Browser, opened: AnalysisPage) -> None:
    page = opened.page
    opened.open_text(KIF)
    page.wait_for_selector("dialog", state="detached")
    page.locator("#tree [role=treeitem]").nth(3).click()  # the variation
    tree, comments, shown = opened.tree, page.locator("#tree .comment").all_inner_texts(), opened.pieces
    page.fill("#comment", "of the variation")
    opened.records("share")
    address = page.input_value("#share-whole")
    told = page.inner_text("dialog")
    assert f"({len(address)} characters)" in told and "Some programs" not in told
    assert serious_faults(page, "dialog") == []
    opened.close_dialog()
    other = AnalysisPage(browser, address)
    other.page.wait_for_selector("#tree .comment >> text=of the variation")
    assert other.tree == tree
    assert other.page.locator("#tree .comment").count() == len(comments) + 1 and other.pieces == shown
    assert other.page.text_content("#play") and HOSTILE in (other.page.text_content("#play") or "")
    # A damaged address has one clear error, and the game stays.
    for damaged in (address[: len(address) // 2], address.replace("record=", "record=A")):
        other.page.evaluate("(address) => { location.href = address; }", damaged)
        told = "invalid game in the address: it is damaged or incomplete"
        other.page.wait_for_selector(f".message.problem >> text={told}")
        assert other.page.locator(".message.problem").count() == 1 and other.pieces == shown
        other.page.click(".message .close")
    # The page warns of a long address, and offers a file instead of one that would be too long.
    rng = random.Random(1)
    for size, told in ((6_000, "Some programs cut addresses"), (200_000, "too long for an address. Save a file")):
        opened.open_text(KIF.replace(HOSTILE, rng.randbytes(size).hex()))
        page.wait_for_selector("dialog", state="detached")
        opened.records("share")
        assert told in page.inner_text("dialog .trouble") and page.is_visible("#share-game")
        assert page.locator("#share-whole").count() == (size == 6_000)
        opened.close_dialog()
    assert other.heard == []
    other.context.close()


def headers_of(opened: AnalysisPage) -> list[str]:
    """Return the names and values of the headers that the panel of game records shows."""
    return opened.page.locator("#headers > *").all_inner_texts()


def test_headers_are_shown(opened: AnalysisPage) -> None:
    page = opened.page
    assert headers_of(opened) == [] and page.is_hidden("#headers")
    opened.open_text(KIF.replace("棋戦：", f"{HOSTILE}：x\n備考：\n棋戦："))
    page.wait_for_selector("dialog", state="detached")
    shown = ["Began", "2026/11/24 10:00", HOSTILE, "x", "Event", "第1期"]
    assert headers_of(opened) == shown and page.locator("#headers img").count() == 0
    page.click("#settings")
    page.select_option("dialog select >> nth=0", "ja")
    page.wait_for_selector("html[lang=ja]")
    opened.close_dialog()
    assert headers_of(opened) == ["開始日時", "2026/11/24 10:00", HOSTILE, "x", "棋戦", "第1期"]
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    until(lambda: len(headers_of(opened)) == len(shown))
    opened.open_text("4k/5/5/5/K4 b - 1")
    page.wait_for_selector("dialog", state="detached")
    assert headers_of(opened) == [] and page.is_hidden("#headers")


DROP = """([target, files, text]) => {
  const data = new DataTransfer();
  for (const [name, content] of files) data.items.add(new File([Uint8Array.from(content)], name));
  if (text) data.setData("text/plain", text);
  const told = ["dragover", "drop"].map((type) => {
    const event = new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true });
    document.querySelector(target).dispatchEvent(event);
    return event.defaultPrevented;
  });
  return told;
}"""


def drop(opened: AnalysisPage, files: dict[str, bytes], text: str = "", target: str = "main") -> bool:
    """Drop files or a text on an element of the page. Return whether the page handles the drop itself."""
    over, dropped = opened.page.evaluate(DROP, [target, [[name, list(data)] for name, data in files.items()], text])
    assert over == dropped
    return bool(dropped)


def test_a_file_is_dropped_on_the_page(opened: AnalysisPage) -> None:
    page = opened.page
    before = opened.moves
    # A drop of anything else than one file changes nothing, and says what is wrong.
    for files, text, told in (
        ({}, "4k/5/5/5/K4 b - 1", "Drop a file with a game record."),
        ({"one.kif": b"", "two.kif": b""}, "", "Drop one file at a time."),
    ):
        assert drop(opened, files, text) and told in opened.messages() and opened.moves == before
    assert drop(opened, {"picture.png": b"\x89PNG\r\n\x1a\n\x81\xff"})
    page.wait_for_selector("#record-told:has-text('neither UTF-8 nor Shift_JIS nor EUC-JP')")
    # The next file is read into the open dialog, and the browser itself puts a text into the text field.
    assert not drop(opened, {}, "a text", "#record-text")
    assert drop(opened, {"bad.sfen": b"nonsense"}, target="#record-text")
    page.wait_for_selector("#record-told:has-text('Line 1, column 1: not a KIF record')")
    assert page.locator("dialog").count() == 1 and opened.moves == before
    assert drop(opened, {"game.kif": KIF.encode("cp932")}, target="dialog")
    page.wait_for_selector("dialog", state="detached")
    assert opened.moves == MOVES
    # Without a dialog, a file is opened in the same way.
    assert drop(opened, {"problem.sfen": "sfen 4k/5/4P/5/K4 b G 1 # 詰将棋\r\n".encode("utf-16")})
    page.wait_for_selector("dialog", state="detached")
    page.wait_for_function("document.querySelectorAll('#board [data-square][data-piece]').length === 3")
    assert opened.moves == []
