"""Random actions of two people on the web page, compared with a model of the page: the game, its variations and end,
undo, clocks, analysis, review, and the state after a reload.

The model shares no code with the page. It has nodes with their moves, the shown node, and the game's current node and
result.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kogoma.rules.position import new_position
from support.browsers.played_page import PlayedPage
from support.usi_client import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NOTE_SECONDS = 8.0  # for this time, the page offers to undo an action
RESIGNED = "resigned"


@dataclass(eq=False)
class Node:
    """A move, or the start of the game."""

    move: str = ""
    parent: Node | None = None
    next: list[Node] = field(default_factory=list)
    end: str = ""  # the reason if the game ends here; later moves are variations

    def path(self) -> list[Node]:
        """Return the nodes from the first move to this one."""
        return [] if self.parent is None else [*self.parent.path(), self]

    def rest(self) -> list[Node]:
        """Return the main line after this node."""
        return [self.next[0], *self.next[0].rest()] if self.next and not self.end else []

    def plain(self) -> Any:
        """Return the moves after this node in the form in which the page stores them."""
        return [{"move": node.move, "next": node.plain()} for node in self.next]


class Model:
    """The state that the page should show."""

    def __init__(self, clocks: bool) -> None:
        self.clocks, self.analyses = clocks, False
        self.undo: Callable[[], None] | None = None
        self.undo_until = 0.0
        self.rematch()

    def rematch(self) -> None:
        self.root = self.shown = self.live = Node()
        self.paused = False
        self.undo = None
        self.saved = False  # a game is saved once it has a move or an end

    @property
    def over(self) -> str:
        return self.live.end

    @over.setter
    def over(self, end: str) -> None:
        self.live.end = end

    def position(self, node: Node) -> Any:
        position = new_position("minishogi")
        for one in node.path():
            position.push(one.move)
        return position

    def reason(self, node: Node) -> str:
        outcome = self.position(node).outcome()
        return "" if outcome is None else str(outcome.reason)

    @property
    def stands(self) -> str:
        if self.shown is not self.live:
            return "aside"
        return "over" if self.over else "paused" if self.paused else "person"

    @property
    def line(self) -> list[str]:
        return [node.move for node in (*self.shown.path(), *self.shown.rest())]

    def legal(self) -> list[str]:
        if self.stands in ("over", "paused") or self.reason(self.shown):
            return []
        return sorted(self.position(self.shown).legal_moves())

    def play(self, move: str) -> None:
        parent, is_game = self.shown, self.stands == "person"
        node = next((one for one in parent.next if one.move == move), None)
        if node is None:
            node = Node(move, parent)
            parent.next.append(node)
        self.shown = node
        if is_game:
            parent.next.sort(key=lambda one: one is not node)
            self.live = node
            self.over = self.reason(node)

    def play_from(self, node: Node, paused: bool = False) -> None:
        self.live = self.shown = node
        self.paused = paused
        self.over = "" if paused else self.reason(node)

    def offer(self, undo: Callable[[], None]) -> None:
        self.undo, self.undo_until = undo, time.monotonic() + NOTE_SECONDS

    def remember(self) -> Callable[[], None]:
        live, over, paused = self.live, self.over, self.paused

        def restore() -> None:
            self.live = self.shown = live
            self.over, self.paused = over, paused

        return restore

    def resign(self) -> None:
        self.offer(self.remember())
        self.over = RESIGNED

    def take_back(self) -> None:
        self.undo = None
        node, parent = self.live, self.live.parent
        assert parent is not None
        parent.next.remove(node)
        self.play_from(parent)

    def delete(self) -> None:
        node, parent = self.shown, self.shown.parent
        assert parent is not None
        of_game, restore, place = node in self.live.path(), self.remember(), parent.next.index(node)
        if of_game:
            self.play_from(parent, paused=bool(self.over))
        parent.next.remove(node)
        self.shown = parent

        def undo() -> None:
            parent.next.insert(place, node)
            if of_game:
                restore()
            self.shown = node

        self.offer(undo)

    def promote(self) -> None:
        for node in reversed(self.shown.path()):
            assert node.parent is not None
            if node.parent.next[0] is not node:
                node.parent.next.remove(node)
                node.parent.next.insert(0, node)
                return

    def reload(self) -> None:
        """Change the model in the same way as a reload changes the page. The same move is shown. A game with clocks
        is paused, unless it is over or has no moves yet."""
        self.undo, self.analyses = None, False
        self.paused = self.clocks and not self.over and self.live is not self.root

    @property
    def running(self) -> list[str]:
        """Return the ids of the clocks that are running."""
        if not self.clocks or self.over or self.paused:
            return []
        return [f"clock-{self.position(self.live).turn}"]

    def step(self, plies: int) -> None:
        line = [self.root, *self.shown.path(), *self.shown.rest()]
        at = len(self.shown.path())
        self.shown = line[max(0, min(len(line) - 1, at + plies))]


class Player:
    """A test player that performs each action both on the page and in the model."""

    def __init__(self, opened: PlayedPage, rng: random.Random, clocks: bool) -> None:
        self.opened, self.page, self.rng, self.model = opened, opened.page, rng, Model(clocks)
        self._load_analysis()

    def _load_analysis(self) -> None:
        """Show the view for analysis once, which loads the tree of moves."""
        self.opened.view("analyse")
        self.opened.view("play")

    def click(self, selector: str) -> None:
        self.page.locator(selector).evaluate("(button) => button.click()")

    def possible(self) -> list[str]:
        """Return the actions that are possible in the model. Actions that should be chosen more often occur several
        times."""
        model = self.model
        found = ["back", "forward", "to-start", "to-end", "promote", "analyse", "review"]
        found += ["reload"] * (model.saved and self.rng.random() < 0.3)
        found += ["pause"] * (model.clocks and not model.over and not model.paused)
        found += ["play"] * 8 * bool(model.legal())
        found += ["resign"] * (not model.over)
        found += ["rematch"] * bool(model.over)
        found += ["go-on"] * 3 * (model.paused and not model.over)
        found += ["take-back"] * (model.live.parent is not None)
        found += ["delete"] * 2 * (model.shown.parent is not None)
        if model.stands == "aside":
            found += ["to-the-game"] * 2 + ["play-from-here"] * (not model.reason(model.shown))
        return found + ["undo"] * 4 * (model.undo is not None)

    def act(self, action: str) -> None:
        model, page = self.model, self.page
        if action == "play":
            move = self.rng.choice(model.legal())
            self.opened.play(move, model.position(model.shown).turn)
            model.play(move)
        elif action in ("back", "forward", "to-start", "to-end"):
            model.step({"back": -1, "forward": 1, "to-start": -999, "to-end": 999}[action])
            self.click(f"#{action}")
        elif action == "reload":
            page.reload()
            page.wait_for_selector("html[data-ready]", state="attached")
            model.reload()
            self._load_analysis()
        elif action == "analyse":
            self.opened.view("analyse")
            self.click("#analyse")
            self.opened.view("play")
            model.analyses = not model.analyses
        elif action == "review":
            self._review()
        elif action in ("resign", "rematch", "take-back", "go-on", "pause"):
            self.click(f"#do-{action}")
            if action == "go-on":
                model.paused, model.over = False, model.reason(model.live)
            elif action == "pause":
                model.paused = True
            else:
                {"resign": model.resign, "rematch": model.rematch, "take-back": model.take_back}[action]()
        elif action in ("to-the-game", "play-from-here"):
            self.click("#status button >> nth=" + "01"[action == "play-from-here"])
            if action == "to-the-game":
                model.shown = model.live
            else:
                model.play_from(model.shown)
        elif action == "undo":
            button = page.locator(".message button:has-text('Undo')")
            if button.count():
                button.evaluate("(button) => button.click()")
                assert model.undo is not None
                model.undo()
            else:
                assert time.monotonic() > model.undo_until - 1, "the page does not offer to undo"
            model.undo = None
        else:
            item = page.locator("#tree [role=treeitem][aria-selected=true]")
            if item.count():
                self.opened.view("analyse")
                item.press({"delete": "Delete", "promote": "p"}[action])
                model.delete() if action == "delete" else model.promote()
                self.opened.view("play")

    def _review(self) -> None:
        """Review some positions of the game, and give up the first question if there is one. That shows another
        position, so go to the start then."""
        self.opened.view("analyse")
        self.click("#tab-review")
        page = self.page
        if page.is_enabled("#review-game"):
            page.select_option("#review-time", "100")
            self.click("#review-game")
            page.wait_for_timeout(self.rng.choice([0, 300, 1500]))
            if page.get_attribute("#review-game", "data-text") == "review.stop":
                self.click("#review-game")
                page.wait_for_selector('#review-game[data-text="review.start"]')
        if page.is_visible("#learn-start") and page.is_enabled("#learn-start"):
            for button in ("learn-start", "learn-solution", "learn-end", "to-start"):
                self.click(f"#{button}")
            self.model.step(-999)
        self.click("#tab-lines")
        self.opened.view("play")

    def compare(self) -> None:
        """Assert that the page shows the state of the model."""
        model = self.model
        model.saved |= bool(model.root.next or model.over)
        until(lambda: self.opened.stands == model.stands, 10)  # a new game takes time to load
        assert self.opened.moves == model.line
        assert self.page.locator("#tree [role=treeitem]").count() == 1 + count(model.root), "nodes of the tree"
        if model.undo is None:
            assert self.page.locator(".message button:has-text('Undo')").count() == 0, "undo of an old action"
        assert self.page.locator("#messages .message").count() <= 3
        assert self.page.get_attribute("#analyse", "data-running") == str(model.analyses).lower(), "analysis button"
        running = ".player.running time"
        assert [one.get_attribute("id") for one in self.page.locator(running).all()] == model.running, "running clocks"


def count(node: Node) -> int:
    return sum(1 + count(one) for one in node.next)


def act_at_random(browser: Browser, address: str, seed: int, actions: int) -> None:
    """Do random actions on the page, and assert after each one that the page shows the state of the model, and at the
    end that it did not complain. Games have clocks if the seed is odd."""
    opened = PlayedPage(browser, address, viewport={"width": 1400, "height": 1000})
    clocks, time_control = seed % 2 == 1, {"time": "clock", "main_minutes": "600"}
    opened.new_game("minishogi", player_0="person", player_1="person", **(time_control if clocks else {}))
    player, done = Player(opened, random.Random(seed), clocks), list[str]()
    for _ in range(actions):
        done.append(player.rng.choice(player.possible()))
        player.act(done[-1])
        try:
            player.compare()
        except (AssertionError, TimeoutError) as error:
            seen = f"page: {opened.stands}, {opened.moves}; model: {player.model.stands}, {player.model.line}"
            raise AssertionError(f"after {done[-6:]}: {error}; {seen}") from None
    assert opened.heard == []
    opened.context.close()
