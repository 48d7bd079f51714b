"""The web page in Chromium, with methods that play on it: they fill in dialogs and click squares."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from support.site import OpenedSite
from support.usi_client import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

# This script makes the random numbers of dice, cards and the engine's limited strength the same in every run.
SEEDED = """(() => {
  let state = %d;
  crypto.getRandomValues = (words) => {
    for (let index = 0; index < words.length; index++) {
      state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
      words[index] = state;
    }
    return words;
  };
})()"""


class PlayedPage(OpenedSite):
    """The web page, opened and ready."""

    def __init__(self, browser: Browser, address: str, seed: int = 0, **context: Any) -> None:
        """Open the page, at its view for playing unless the address names another. A `seed` other than 0 makes random
        numbers repeatable; `context` has options for the browser."""
        self.seed = seed
        super().__init__(
            browser,
            address if "#" in address else f"{address}#play",
            **{"service_workers": "block", "reduced_motion": "reduce", **context},
        )

    def new_page(self) -> Page:
        """Open and return another page of the same profile. The new page's complaints and requests are recorded,
        too."""
        page = super().new_page()
        if self.seed:
            page.add_init_script(SEEDED % self.seed)
        return page

    @property
    def heard(self) -> list[str]:
        """Return the page's complaints, except the one caused by the blocked service worker."""
        return [text for text in self.complaints if "Service Worker registration blocked" not in text]

    def view(self, name: str) -> None:
        """Show one of the page's views: home, play or analyse."""
        self.page.click(f"#to-{name}")
        if name == "analyse":
            self.page.wait_for_selector("#panel-records > *", state="attached")

    def new_game(self, variant: str, **choices: str) -> None:
        """Begin a game with the dialog. `choices` has the values of the dialog's fields. For example, `player_0` stands
        for the field with the id `ask-player-0`."""
        self.page.click("#new-game")
        self.page.select_option("#ask-game", variant)
        for name, value in choices.items():
            field = self.page.locator(f"#ask-{name.replace('_', '-')}")
            if field.evaluate("(field) => field.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)
        self.page.click("dialog button[type=submit]")
        self.page.wait_for_selector("dialog", state="detached")

    @property
    def stands(self) -> str:
        """Return the state of the game: `person` or `engine` if such a player is to move, `roll` if the die has to be
        rolled, `over`, `paused`, or `aside` if the page shows another position than the game's current one."""
        return self.page.get_attribute("#status", "data-stands") or ""

    def wait(self, *states: str) -> str:
        """Wait until the game is in one of these states, and return the state."""
        wanted = ", ".join(f"#status[data-stands={state}]" for state in states)
        self.page.wait_for_selector(wanted, timeout=30_000)
        return self.stands

    @property
    def moves(self) -> list[str]:
        """Return the moves that the page lists, in USI notation."""
        found: list[str] = self.page.eval_on_selector_all(
            "#moves [data-move]", "(all) => all.map((one) => one.dataset.move)"
        )
        return found

    @property
    def roll(self) -> int:
        """Return the roll that the page shows, or 0 if it shows none."""
        found = re.search("[1-6]", self.page.inner_text("#dice") if self.page.is_visible("#dice") else "")
        return int(found[0]) if found else 0

    def item(self, key: str) -> Locator:
        """Return the element for this key: a square (`5e`), a piece in hand (`hand0P`) or a card (`card7`)."""
        return self.page.locator(f'#board [data-key="{key}"]')

    def play(self, usi: str, side: int) -> None:
        """Make a move with clicks, and choose the promotion or card if the page asks."""
        card, _, plain = usi.rpartition(":")
        if plain == "pass":
            self.item(f"card{card}").click()
            return
        dropped = re.fullmatch(r"\+?([A-Z])\*(..)", plain)
        origin, target = (f"hand{side}{dropped[1]}", dropped[2]) if dropped else (plain[:2], plain[2:4])
        self.item(origin).click()
        self.item(target).click()
        answer = self.page.locator(f'.chooser [data-answer="{usi}"]')
        if answer.count():
            answer.click()


def begin_own_game(opened: PlayedPage, seconds: str) -> None:
    """Let the page's engine begin a minishogi game against itself, with `seconds` for each move."""
    opened.new_game("minishogi", player_0="engine:", player_1="engine:", time="move", move_seconds=seconds)


def plies_in_time(opened: PlayedPage, most: int) -> int:
    """Wait until `most` plies are played or the game is over. Return the number of plies if a side has lost on time,
    otherwise `most`."""
    shown = opened.page.locator("#moves [data-move]")
    until(lambda: shown.count() >= most or opened.stands == "over", 180)
    return min(shown.count(), most) if "no time" in opened.page.inner_text("#status") else most
