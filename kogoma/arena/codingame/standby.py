"""Who plays while the engine is being compiled: any action of the referee's list, since no arena waits for that."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

from kogoma.arena.codingame.bot import Bot
from kogoma.arena.codingame.turn_reader import RawTurn
from kogoma.arena.codingame.turns import Arena
from kogoma.rules.variants import find
from kogoma.search.library import is_ready

SWITCH = 0.0005  # seconds that a thread may keep the interpreter while others want it: a turn is short


def player(arena: Arena, margin: int, hash_mb: int, chat: bool, complain: Callable[[str], None]) -> Bot | Standby:
    """The bot, or a stand-in until it is compiled; the arguments are Bot's."""
    if is_ready(complain, find(arena.variant)):
        return Bot(arena, margin, hash_mb, chat, complain)
    complain(
        f"the engine is not compiled yet: run `./engine.sh warmup {arena.variant}` before a game. "
        "It is compiled now; until then any legal action is played"
    )
    return Standby(lambda: Bot(arena, margin, hash_mb, chat, complain), complain)


class Standby:
    """Answers turns at once until there is a bot, which then knows the game so far."""

    def __init__(self, make: Callable[[], Bot], complain: Callable[[str], None]) -> None:
        """`make` gives the bot, which may take a minute; `complain` is told what went wrong with that."""
        self._make, self._complain = make, complain
        self._bot: Bot | None = None
        self._answered: list[tuple[RawTurn, str]] = []  # of this game
        self._failed = False
        import llvmlite.binding  # noqa: F401 (all threads would have to wait for it, in the middle of a turn)

        self._usual_switch = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH)
        self._loading = threading.Thread(target=self._load, name="loading", daemon=True)
        self._loading.start()

    def _load(self) -> None:
        try:
            self._bot = self._make()
        except Exception as failure:  # whatever it is, legal actions can be played
            self._failed = True
            why = " ".join(str(failure).split()) or type(failure).__name__
            self._complain(f"{why}: playing any legal action to the end")

    def answer(self, raw: RawTurn, since: float) -> str | None:
        """As the bot's: its answer, or the first action of the list. Where there is no list, the bot is waited for."""
        if raw.once:
            self._answered.clear()
        if not raw.actions:
            self._loading.join()
        bot = self._bot
        if bot is not None:
            sys.setswitchinterval(self._usual_switch)
            for turn, action in self._answered:
                bot.catch_up(turn, action)
            self._answered.clear()
            return bot.answer(raw, since)
        if not raw.actions:
            self._complain("no legal action is known: no answer")
            return None
        self._answered.append((raw, raw.actions[0]))
        return raw.actions[0]

    def leave(self) -> int:
        """At the end of input: the exit code. A process can't end in good order while native code is being loaded."""
        if self._loading.is_alive():
            os._exit(0)
        return int(self._failed)
