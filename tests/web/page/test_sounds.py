"""The sounds of a game, with an AudioContext that only notes what is started."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.browsers.played_page import PlayedPage

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The frequencies at which the tones of each sound begin.
MOVE, CAPTURE, CHECK, END, TIME = [320], [320, 220], [320, 880], [523, 392], [740, 740]

STUB = """(() => {
  window.tones = []; window.contexts = [];
  const node = () => ({
    connect: (next) => next, start() {}, stop() {},
    gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} },
    frequency: { setValueAtTime: (value) => tones.push(value), exponentialRampToValueAtTime() {} },
  });
  window.AudioContext = class {
    constructor() { contexts.push(navigator.userActivation.hasBeenActive); this.currentTime = 0; }
    resume() { return Promise.resolve(); }
    createOscillator() { return node(); }
    createGain() { return node(); }
  };
})()"""
# Black takes a pawn with check, and then the king cannot escape.
START = "4k/4p/4G/5/K4 b G 1"


class HeardPage(PlayedPage):
    """The page, with the started tones."""

    def __init__(self, browser: Browser, address: str, sound: float) -> None:
        super().__init__(browser, address)
        self.page.add_init_script(STUB)
        self.page.evaluate("(sound) => localStorage.setItem('kogoma/settings', JSON.stringify({ sound }))", sound)
        self.page.reload()
        self.page.wait_for_selector("html[data-ready]", state="attached")

    def tones(self) -> list[int]:
        """Return the tones since the last call."""
        found: list[int] = self.page.evaluate("tones.splice(0)")
        return found

    def loads_sounds(self) -> bool:
        return any("sounds" in address for address in self.requests)


def test_each_event_has_its_sound(browser: Browser, site_address: str) -> None:
    opened = HeardPage(browser, site_address, 0.7)
    page = opened.page
    assert opened.loads_sounds()
    opened.new_game("minishogi", player_0="person", player_1="person", start="typed", sfen=START)
    # The AudioContext is made after the first action: before it, browsers complain.
    assert opened.tones() == [] and page.evaluate("contexts") == [True]
    opened.play("1c1b", 0)
    assert opened.tones() == CHECK
    opened.play("1a1b", 1)
    assert opened.tones() == CAPTURE
    opened.play("5e4d", 0)
    assert opened.tones() == MOVE
    page.keyboard.press("f")
    page.click("#back")
    assert opened.tones() == []
    page.click("#forward")
    assert opened.tones() == MOVE
    page.click("#do-resign")
    assert opened.tones() == END
    # A move in a variation sounds, too, and another game does not.
    opened.view("analyse")
    page.click("#to-start")
    opened.play("1c1b", 0)
    assert opened.tones() == CHECK
    clock = {"time": "clock", "main_minutes": "0", "byoyomi_seconds": "11"}
    opened.new_game("minishogi", player_0="person", player_1="person", **clock)
    page.wait_for_function("() => tones.length > 0")
    assert opened.tones() == TIME and opened.heard == []


def test_no_sound_when_off(browser: Browser, site_address: str) -> None:
    opened = HeardPage(browser, site_address, 0)
    page = opened.page
    opened.new_game("minishogi", player_0="person", player_1="person")
    opened.play("5d5c", 0)
    assert opened.tones() == [] and page.evaluate("contexts") == [] and not opened.loads_sounds()
    # The setting is heard at once, and works without a reload.
    page.click("#settings")
    page.select_option("#set-sound", "0.2")
    page.wait_for_function("() => tones.length > 0")
    assert opened.tones() == MOVE
    page.select_option("#set-sound", "0")
    page.click("dialog .close")
    opened.play("1b1c", 1)
    assert opened.tones() == [] and opened.heard == []


@pytest.mark.long
def test_sounds_with_the_browser_s_audio(browser: Browser, site_address: str) -> None:
    """Check that the browser itself plays the tones without a complaint."""
    opened = PlayedPage(browser, site_address)
    opened.page.evaluate("localStorage.setItem('kogoma/settings', JSON.stringify({ sound: 0.7 }))")
    opened.page.reload()
    opened.page.wait_for_selector("html[data-ready]", state="attached")
    opened.new_game("minishogi", player_0="person", player_1="engine:", level_1="340")
    opened.play("5d5c", 0)
    opened.page.wait_for_selector("#moves li:nth-child(3)")
    opened.page.wait_for_timeout(300)  # the longest sound of a move
    assert opened.heard == []
