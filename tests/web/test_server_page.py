"""The page with the local server and without a server, from `./engine.sh board` to a played game."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kogoma.lab.kifu.formats import write_games
from kogoma.lab.kifu.game import Game
from kogoma.native.cache.folders import trusted_folders
from kogoma.native.object_file import joined_name
from kogoma.rules.variants import MINISHOGI, VARIANTS
from kogoma.search.library import libraries_of, mate_library
from support import lab_records
from support.browsers.board_server import COMMAND, BoardServer, board_server
from support.browsers.chromium import Watched
from support.browsers.played_page import PlayedPage
from support.site import OpenedSite, served
from support.usi_client import ROOT, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

MOST_REQUESTS, FIRST_VISIT = 12, 350_000  # requests and bytes until the first game, from a plain server

# This script starts an endless search by the server's engine. `window.found` counts the search's info messages, and
# `window.result` is its result.
ANALYSE = """async () => {
  const [{ RemoteEngine }, { loadIndex }] = await Promise.all(
    ["remote_engine.js", "loader.js"].map((name) => import(`/client/${name}`)));
  const index = await loadIndex();
  window.engine = new RemoteEngine(index.server, "kogoma", "minishogi", { threads: 1, hashMb: 16 });
  window.notices = [], window.failures = [], window.found = 0, window.result = null;
  engine.onNotice = (text) => notices.push(text);
  engine.onFailure = (text) => failures.push(text);
  engine.search({ start: "", moves: ["3e3d"] }, { infinite: true }, { multipv: 2 }, () => found++).then(
    (end) => { window.result = end; });
}"""
MATCHES = """async () => {
  const [{ readMatch }, { loadIndex }] = await Promise.all(
    ["remote_engine.js", "loader.js"].map((name) => import(`/client/${name}`)));
  const { server } = await loadIndex();
  const missing = await readMatch(server, "none").catch((error) => error.message);
  return [server.matches, await Promise.all(server.matches.map((name) => readMatch(server, name))), missing];
}"""


def wait_for(opened: PlayedPage, what: str) -> None:
    """Wait until a JavaScript expression is true on the page. Playwright's own function for this does not work with the
    page's content security policy."""
    until(lambda: opened.page.evaluate(what))


def played(opened: PlayedPage, *moves: str) -> int:
    """Play these moves as Black against the engine. Return the number of moves that both sides have made in the
    game."""
    for move in moves:
        opened.play(move, 0)
        opened.page.wait_for_selector(f'#moves [data-move="{move}"]')
        assert opened.wait("person", "over")
    return len(opened.moves)


@pytest.mark.long
def test_a_game_survives_its_server(browser: Browser) -> None:
    with board_server() as server:
        opened = PlayedPage(browser, server.address)
        # The page's HTML names all modules that are loaded at first, so that the browser can request them at once.
        links = "(links) => links.map((link) => link.href || link.src)"
        named = opened.page.eval_on_selector_all("link[rel=modulepreload], script[src]", links)
        assert set(named) == {address for address in opened.requests if address.endswith(".js")}
        assert played(opened, "3e3d") == 2 and opened.complaints == []
        opened.page.evaluate(ANALYSE)
        wait_for(opened, "found > 3")
        (engine,) = server.engines()
        server.end(signal.SIGKILL)
    # The search continues once there is a server again. The page's own engine does not need the server.
    wait_for(opened, "notices.length > 0")
    before = opened.page.evaluate("found")
    opened.page.click("#do-hint")
    with board_server(port=server.port) as server:
        opened.new_page().goto(server.address)  # as the command does, with the new token
        wait_for(opened, f"found > {before} + 3 && notices.at(-1) === ''")
        assert server.engines() not in ([], [engine])
        opened.page.evaluate("engine.stop()")
        wait_for(opened, "result !== null")
        assert opened.page.evaluate("[result.best.length > 3, failures]") == [True, []]
        opened.page.reload()
        opened.page.wait_for_selector("html[data-ready=true]", state="attached")
        assert len(opened.moves) == 2 and opened.stands == "person"
        assert [text for text in opened.complaints if "WebSocket" not in text and "ERR_CONN" not in text] == []


def test_the_page_opens_from_the_commands_file_and_from_links(browser: Browser, tmp_path: Path) -> None:
    """Check that the command opens the page through a file that contains the token, and that a reload and links on
    other sites then open the page without the token."""
    script, url, links = tmp_path / "browser", tmp_path / "url", tmp_path / "links"
    script.write_text(f'#!/bin/sh\nprintf %s "$1" >{url}.new\nmv {url}.new {url}\n')
    script.chmod(0o755)
    links.mkdir()
    with board_server(opens=True, env={"BROWSER": f"{script} %s"}) as server, served(links) as foreign:
        until(url.exists)
        shared = f"{server.origin}/#game=micro"
        link = f'<link rel="icon" href="data:,"><a href="{shared}">a game</a>'
        (links / "index.html").write_text(f"<!DOCTYPE html><title>links</title>{link}")
        opened = PlayedPage(browser, url.read_text())
        assert opened.page.url == f"{server.origin}/"
        opened.page.reload()
        opened.page.wait_for_selector("html[data-ready=true]", state="attached")
        page = opened.new_page()
        page.goto(foreign.replace("127.0.0.1", "localhost"))  # another site
        page.click("a")
        page.wait_for_selector("html[data-ready=true]", state="attached")
        page.wait_for_selector("#variant:has-text('Micro')", timeout=400_000)  # the server may have to compile it first
        assert opened.complaints == []
        # A browser that does not know the token shows what to do.
        other = Watched(browser)
        other.page.goto(shared)
        assert "Open the whole address" in other.page.inner_text("body")


@pytest.mark.long
def test_an_engine_of_the_server_plays_and_fails(browser: Browser) -> None:
    with board_server() as server:
        opened = PlayedPage(browser, server.address)
        opened.page.evaluate(ANALYSE)
        wait_for(opened, "found > 3")
        (engine,) = server.engines()
        subprocess.run(["kill", "-9", str(engine)], check=True)
        wait_for(opened, "failures.length === 1")
        again = """engine.search({ start: "", moves: [] }, { nodes: 2000 }, {}, () => {}).then((end) => end.best)"""
        assert len(opened.page.evaluate(again)) > 3
        wrong = """engine.search({ start: "", moves: ["1a1b"] }, { nodes: 5 }, {}, () => {}).catch(
            (error) => error.message)"""
        assert "illegal move" in opened.page.evaluate(wrong)
        # A new search ends the last one, which still returns a result.
        both = """Promise.all([{ infinite: true }, { infinite: true }, { nodes: 100 }].map(
            (limits) => engine.search({ start: "", moves: [] }, limits, {}, () => {}))).then(
            (all) => all.map((end) => end.best.length))"""
        assert min(opened.page.evaluate(both)) > 3
        opened.page.evaluate("engine.close()")
        # Two engines of the server play each other.
        page = opened.page
        page.click("#new-game")
        for side in (0, 1):
            page.select_option(f"#ask-player-{side}", "engine:kogoma")
        page.locator("dialog input[type=number]:visible").first.fill("0.2")  # seconds per move
        page.click("dialog button[type=submit]")
        wait_for(opened, "document.querySelectorAll('#moves [data-move]').length > 3")
        assert len(server.engines()) == 2
        # The script ANALYSE does not handle the error of the search that the signal ended, so this error is left out.
        assert [text for text in opened.complaints if "SIGKILL" not in text] == []


@pytest.fixture(scope="module")
def custom_variants(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoardServer]:
    """Yield a server with three custom variants, after the server has built them."""
    plain = tmp_path_factory.mktemp("variants") / "plain.toml"
    plain.write_text(
        'name = "plain"\nlike = "minishogi"\n[[piece]]\nletter = "S"\nsteps = ["sideways"]\n', encoding="utf-8"
    )
    files = [f"docs/custom-variants/{name}.toml" for name in ("checkshogi", "tori")]
    with board_server(*[word for file in (*files, str(plain)) for word in ("--variants", file)]) as server:
        # A game can start only after its variant is built.
        until(lambda: not json.loads(server.get("/games/index.json").body)["server"].get("compiling"), 300)
        yield server


@pytest.mark.long
def test_a_custom_variant_is_played(browser: Browser, custom_variants: BoardServer) -> None:
    opened = PlayedPage(browser, custom_variants.address)
    opened.new_game("checkshogi")
    assert opened.page.locator("#board [data-key]").count() >= 81
    assert played(opened, "7g7f") == 2
    # The first check wins.
    start = "4k4/9/9/9/9/9/9/9/K8 b G 1"
    opened.new_game("checkshogi", start="typed", sfen=start, player_0="person", player_1="person")
    opened.play("G*5b", 0)
    assert opened.wait("over") and opened.page.inner_text("#status strong") == "Black wins: the first check wins here."
    assert opened.complaints == []


@pytest.mark.long
def test_pieces_of_a_custom_variant_have_its_names_and_faces(browser: Browser, custom_variants: BoardServer) -> None:
    opened = PlayedPage(browser, custom_variants.address)
    page = opened.page
    opened.new_game("tori")
    faces = page.locator("#board .koma .face").all_text_contents()
    assert {face: faces.count(face) for face in faces} == {"燕": 16, "鶴": 4, "雉": 4, "鶉": 4, "鷹": 2, "鵬": 2}
    opened.view("analyse")
    page.click("#set-position")
    page.wait_for_selector(".palette button")
    words = page.locator(".palette button").evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label'))")
    birds = ["swallow", "crane", "pheasant", "left quail", "right quail", "falcon", "phoenix", "goose", "eagle"]
    assert [text.removeprefix("Black's ") for text in words if text.startswith("Black's ")] == birds
    page.keyboard.press("Escape")
    # The silver moves differently, so it is shown as a letter. The other pieces are those of shogi.
    opened.new_game("plain")
    faces = page.locator("#board .koma .face").all_text_contents()
    assert sorted(set(faces)) == sorted({"飛", "角", "金", "王", "玉", "歩", "S"})
    assert opened.complaints == []


@pytest.mark.long
def test_matches_are_read(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    records = lab_records.write(path, 6, list(VARIANTS.values()))
    with board_server("--match", str(path)) as server:
        opened = OpenedSite(browser, server.address)
        names, [match], missing = opened.page.evaluate(MATCHES)
        assert (names, match["of"], missing) == (["match.jsonl"], 6, "no match is called none")
        for game, record in zip(match["games"], records):
            assert game["moves"][game["book"] :] == record["moves"] and game["winner"] == record["winner"]
            assert game["dice"] == record.get("dice", [])
        path.write_text("damaged\n")
        wrong = MATCHES.replace("readMatch(server, name)", "readMatch(server, name).catch((error) => error.message)")
        assert "contains no records" in opened.page.evaluate(wrong)[1][0] and opened.complaints == []


def test_a_game_without_names_is_shown(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "converted.jsonl"
    write_games(path, [Game.played("minishogi", ["3e3d"])], "jsonl")
    with board_server("--match", str(path)) as server:
        (game,) = json.loads(server.get("/matches/0").body)["games"]
        opened = PlayedPage(browser, server.address)
        opened.view("analyse")
        opened.page.click("#tab-records")
        opened.page.click("#open-match")
        found = opened.page.locator("#match-games li")
        found.wait_for()
        assert found.inner_text().startswith("1. Black – White · ")
    assert (game["black"], game["white"], game["moves"]) == ("", "", ["3e3d"])


@contextmanager
def http_server(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Serve a folder with Python's http.server, and yield its address and its process."""
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        port = process.stdout.readline().split("port ")[1].split()[0]
        try:
            yield f"http://127.0.0.1:{port}/", process
        finally:
            process.kill()


def export(folder: Path) -> subprocess.CompletedProcess[str]:
    """Export the page into a folder with `./engine.sh board --export`, and return the ended process."""
    return subprocess.run([*COMMAND, "--export", str(folder)], cwd=ROOT, capture_output=True, text=True, timeout=600)


def check_from_disk(browser: Browser, folder: Path) -> None:
    """Check that the page, opened from a disk, says at once what to do, in both languages."""
    opened = Watched(browser)
    opened.page.goto((folder / "index.html").as_uri())
    for told in ("Browsers do not run this page from a disk.", "ディスクから直接開いたページは動きません。"):
        assert opened.page.locator("#loading", has_text=told).is_visible()
    shown = opened.page.locator("#loading code:visible").all_inner_texts()
    assert shown == ["python3 -m http.server 8000", "http://localhost:8000/"] * 2
    assert (
        not opened.page.locator("#loading [data-text=loading], #loading progress")
        .or_(opened.page.locator("#menu"))
        .filter(visible=True)
        .count()
    )
    opened.context.close()


def check_first_visit(browser: Browser, folder: Path, address: str) -> None:
    """Check how much the page loads from a server without compression until a game has begun and a move is answered,
    and that it works below a host's root."""
    opened = PlayedPage(browser, address)
    assert opened.page.locator(".late:visible").count() == 0
    assert played(opened, "3e3d") == 2
    sizes = {}
    for requested in opened.requests:
        path = requested.removeprefix(address).split("?")[0] or "index.html"
        sizes[path] = (folder / path).stat().st_size
    assert len(opened.requests) <= MOST_REQUESTS and sum(sizes.values()) < FIRST_VISIT, sizes
    assert opened.heard == []
    opened.context.close()


def test_an_exported_folder_plays_without_a_network(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "site"
    assert export(folder).returncode == 0
    check_from_disk(browser, folder)
    with http_server(tmp_path) as (address, _):
        check_first_visit(browser, folder, f"{address}deep/site/")
    listed = json.loads((folder / "files.json").read_text())
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert there == {*listed["files"], "files.json", "service_worker.js"}
    with http_server(folder) as (address, process):
        opened = PlayedPage(browser, address, service_workers="allow")
        assert played(opened, "3e3d") == 2
        opened.page.wait_for_selector("html[data-offline=all]", state="attached", timeout=60_000)
        process.kill()
        process.wait()
        opened.context.set_offline(True)
        opened.page.reload()
        opened.page.wait_for_selector("html[data-ready=true]", state="attached")
        assert len(opened.moves) == 2 and opened.page.evaluate("crossOriginIsolated")
        assert played(opened, "2e1d") == 4 or opened.moves[2] == "2e1d"
        opened.new_game("dobutsu")
        assert played(opened, "2c2b") == 2
        assert opened.complaints == []


@pytest.mark.long
def test_an_export_replaces_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    refused = export(folder)
    assert refused.returncode == 2 and "not from an export" in refused.stderr and len(list(folder.iterdir())) == 1
    (folder / "thesis.txt").unlink()
    assert export(folder).returncode == 0  # an empty folder is accepted
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert export(folder).returncode == 0  # so is a folder with an earlier export
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    (folder / "bundle" / "mine.js").write_text("// changed by hand")
    assert export(folder).returncode == 2
    (tmp_path / "file").write_text("")
    for impossible, code in ((tmp_path / "file", 2), (tmp_path / "file" / "site", 1)):
        failed = export(impossible)
        assert failed.returncode == code and len(failed.stderr.splitlines()) == 1 and "Traceback" not in failed.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "site"]


@pytest.mark.long
def test_on_the_first_visit_the_page_waits_for_the_compilation(browser: Browser, tmp_path: Path) -> None:
    """Check what the page shows while its games are compiled to WebAssembly. The native libraries are there already."""
    cache = tmp_path / "kogoma"
    cache.mkdir()
    for library in (*libraries_of(MINISHOGI), mate_library("64")):
        library.build(print)
        for name in (library.file_name, joined_name(library.file_name)):
            shutil.copy(trusted_folders(print)[0] / name, cache)
    with board_server(env={"XDG_CACHE_HOME": str(tmp_path), "KOGOMA_CACHE": ""}) as server:
        opened = PlayedPage(browser, server.address, ready="")
        shown = opened.page.locator("#loading", has_text=re.compile(r"being compiled.* in about \d+ s"))
        shown.wait_for(timeout=10_000)
        assert not opened.page.is_visible("#play") and not opened.page.is_visible("#moves-panel")
        first = shown.locator("progress").evaluate("(bar) => bar.position")
        until(lambda: shown.locator("progress").evaluate("(bar) => bar.position") > first, 60)
        opened.page.wait_for_selector("html[data-ready=true]", state="attached", timeout=400_000)
        assert not opened.page.is_visible("#loading")
        assert played(opened, "3e3d") == 2 and opened.complaints == []
        told: Any = json.loads(server.get("/games/index.json").body)
        assert told["games"][0]["name"] == "minishogi" and told["server"]["compiling"]
        assert server.end() == 0
    shutil.rmtree(tmp_path)


def test_a_failed_build_is_reported(browser: Browser) -> None:
    with board_server(env={"KOGOMA_PARAMETERS": "parameters.json"}) as server:
        opened = PlayedPage(browser, server.address, ready="html[data-ready=failed]")
        told = opened.page.inner_text(".message.problem span")
        assert "the variants cannot be built: cannot read parameters.json: No such file" in told
        assert not opened.page.is_visible("#loading")
