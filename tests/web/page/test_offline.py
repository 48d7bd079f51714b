"""The page without a network after its first visit, and the update to a new version."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kogoma.web.site import with_list
from support.browsers.played_page import PlayedPage
from support.site import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow


@pytest.fixture
def own_site(site_folder: Path, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the folder and the address of a copy of the site. The copy is served without special headers, and a test
    may change it."""
    folder = tmp_path / "site"
    shutil.copytree(site_folder, folder)
    with served(folder, isolated=False) as address:
        yield folder, address


def publish(folder: Path, changed: str, old: str, new: str) -> None:
    """Publish another version of the site. In this version, the text `old` in the file `changed` is replaced by
    `new`."""
    path = folder / changed
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    files = {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}
    del files["files.json"]
    worker = files["service_worker.js"].decode()
    files["service_worker.js"] = worker[: worker.rindex("self.version")].encode()
    for name, content in with_list(files).items():
        (folder / name).write_bytes(content)


def test_offline_and_a_new_version(browser: Browser, own_site: tuple[Path, str]) -> None:
    folder, address = own_site
    opened = PlayedPage(browser, address, service_workers="allow")
    page = opened.page
    page.wait_for_selector("html[data-offline=all]", state="attached", timeout=60_000)
    opened.context.set_offline(True)
    page.reload()
    page.wait_for_selector("html[data-ready=true]", state="attached")
    assert page.evaluate("crossOriginIsolated")  # the service worker adds headers that the host does not send
    for variant in ("minishogi", "onitama", "shogi"):
        opened.new_game(variant, player_0="person", player_1="engine:", level_1="340")
        moves = {"minishogi": "5d5c", "onitama": "15:a1a3", "shogi": "7g7f"}
        opened.play(moves[variant], 0)
        assert opened.wait("person") and len(opened.moves) == 2
    opened.view("analyse")
    page.click("#find-mate")
    page.wait_for_selector("#mate-status:not(:empty)")
    assert page.inner_text("#mate-status") == "No mate by continuous checks."
    opened.context.set_offline(False)
    # The old version runs on until the user asks for the new one.
    publish(folder, "bundle/main.js", "New game", "Another game")
    page.reload()
    page.wait_for_selector("html[data-ready=true]", state="attached")
    assert page.inner_text("#new-game") == "New game"
    page.wait_for_selector(".message:has-text('A new version is available.')", timeout=30_000)
    page.locator(".message button", has_text="Reload").click()
    page.wait_for_selector("#new-game:has-text('Another game')")
    page.wait_for_selector("html[data-ready=true]", state="attached")
    assert len(opened.moves) == 2  # the game continues
    assert page.evaluate("caches.keys().then((all) => all.length)") == 1
    opened.context.set_offline(True)
    page.reload()
    page.wait_for_selector("html[data-ready=true]", state="attached")
    assert page.inner_text("#new-game") == "Another game" and opened.heard == []


# This script updates the service worker, and returns the state of the one that waits to take over, if there is one.
UPDATED = """async () => {
  const registration = await navigator.serviceWorker.getRegistration();
  await registration.update().catch(() => {});
  const coming = registration.installing;
  if (coming) await new Promise((done) => coming.addEventListener("statechange", done));
  return registration.waiting && registration.waiting.state;
}"""


@pytest.mark.long
def test_an_incomplete_version_is_not_used(browser: Browser, own_site: tuple[Path, str]) -> None:
    folder, address = own_site
    opened = PlayedPage(browser, address, service_workers="allow")
    page = opened.page
    page.wait_for_selector("html[data-offline]", state="attached", timeout=60_000)
    publish(folder, "bundle/main.js", "New game", "Another game")
    (folder / "bundle" / "formats.js").write_text("// not what the list says\n")
    page.reload()
    page.wait_for_selector("html[data-ready=true]", state="attached")
    assert page.evaluate(UPDATED) is None
    page.reload()
    page.wait_for_selector("html[data-ready=true]", state="attached")
    assert page.inner_text("#new-game") == "New game" and page.locator(".message").count() == 0
