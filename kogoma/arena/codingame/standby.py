"""A player that answers with any listed action while the engine compiles, since no arena waits that long."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections import deque
from collections.abc import Callable

from kogoma.arena.codingame.bot import Bot
from kogoma.arena.codingame.engine import InstalledEngine
from kogoma.arena.codingame.settings import Settings
from kogoma.arena.codingame.turn_reader import Arena, RawTurn
from kogoma.rules.variants import find
from kogoma.search.library import is_ready

SWITCH = 0.0005  # seconds between thread switches during compilation: a turn needs a quick answer


def create_player(arena: Arena, settings: Settings, complain: Callable[[str], None]) -> Bot | Standby:
    """Return a Bot if the engine is compiled. Otherwise return a Standby, which compiles the engine and plays any legal
    actions until the compilation is finished."""

    def make() -> Bot:
        return Bot(arena, settings, InstalledEngine(arena.variant, settings.hash_mb, complain), complain)

    if is_ready(complain, find(arena.variant)):
        return make()
    complain(
        f"the engine is not compiled yet: run `./engine.sh warmup {arena.variant}` before a game. "
        "Compilation starts now; until it is finished, the bot plays any legal action"
    )
    return Standby(make, complain)


class Standby:
    """A player that answers at once with listed actions until a thread has made the bot, and then hands over to it."""

    def __init__(self, make: Callable[[], Bot], complain: Callable[[str], None]) -> None:
        """Start a thread that calls `make`, which returns the bot and may take a minute. If `make` fails, `complain` is
        called with the reason."""
        self._make, self._complain = make, complain
        self._bot: Bot | None = None
        self._answered: deque[tuple[RawTurn, str]] = deque()  # turns unknown to the bot, and the actions played
        self._failed = False
        with contextlib.suppress(ImportError):
            import llvmlite.binding  # noqa: F401 (its import would block all threads in the middle of a turn)

        self._usual_switch = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH)
        self._loading = threading.Thread(target=self._load, name="loading", daemon=True)
        self._loading.start()

    def _load(self) -> None:
        try:
            bot = self._make()
            self._catch_up(bot)  # in this thread: replaying a long game can take longer than one turn
            self._bot = bot
        except Exception as failure:  # legal actions can still be played
            self._failed = True
            why = " ".join(str(failure).split()) or type(failure).__name__
            self._complain(f"{why}: playing any legal action to the end")

    def _catch_up(self, bot: Bot) -> None:
        while self._answered:
            bot.catch_up(*self._answered.popleft())

    def answer(self, raw: RawTurn, since: float) -> str | None:
        """Return the bot's answer. Before the bot exists, return the first listed action; if no action is listed, wait
        for the bot."""
        if not raw.actions:
            self._loading.join()
        bot = self._bot
        if bot is not None:
            sys.setswitchinterval(self._usual_switch)
            self._catch_up(bot)  # the turn, if any, that was answered while the thread ended
            return bot.answer(raw, since)
        if not raw.actions:
            self._complain("no legal action is known: no answer")
            return None
        self._answered.append((raw, raw.actions[0]))
        return raw.actions[0]

    def leave(self) -> int:
        """Return the exit status at the end of input: 1 if the bot could not be made, otherwise 0. If the bot is still
        being made, exit the process at once with status 0."""
        if self._loading.is_alive():
            os._exit(0)
        return int(self._failed)
