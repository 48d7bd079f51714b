"""The schedule of a match: its games, numbered from 0.

A game depends only on its number and the settings, so games can be played in any order, on any machine, and again.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

from kogoma.lab.engines.base import EngineSpec
from kogoma.lab.match.openings import Opening
from kogoma.lab.match.play import GameJob
from kogoma.lab.match.settings import Settings


class Schedule:
    """The games of a match. A round has `games` games of each encounter (two engines), and is divided into slots. In a
    slot, each encounter plays the same opening, with both colours if `repeat` is 2: a pair of games. All games of a
    slot share the opening and the seed, and thereby the die rolls."""

    def __init__(self, settings: Settings, openings: Sequence[Opening]) -> None:
        self._settings = settings
        self.encounters = encounters(len(settings.engines), settings.tournament, settings.seeds)
        self._slots = -(-settings.games // settings.repeat)  # per round; in the last one, a pair may have one game
        order = list(openings)
        if settings.openings.order == "random":
            random.Random(f"order {settings.seed}").shuffle(order)
        first = (settings.openings.start - 1) % len(order)
        self.openings = order[first:] + order[:first]

    def __len__(self) -> int:
        return self._settings.rounds * self._settings.games * len(self.encounters)

    @property
    def engines(self) -> tuple[EngineSpec, ...]:
        """The engines that play."""
        return self._settings.engines

    @property
    def variant(self) -> str:
        """The name of the variant of all games."""
        return self._settings.variant.name

    @property
    def slots(self) -> int:
        """The number of slots in all rounds. Each slot consists of the games from one opening; if there are fewer
        openings than slots, openings repeat."""
        return self._settings.rounds * self._slots

    def job(self, number: int) -> GameJob:
        """Return the game `number` of the schedule. Raises IndexError if there is no such game."""
        settings, meetings = self._settings, len(self.encounters)
        if not 0 <= number < len(self):
            raise IndexError(number)
        round_number, rest = divmod(number, settings.games * meetings)
        slot = rest // (meetings * settings.repeat)
        # A slot is the games with one opening. If `repeat` is 2 and the number of games is odd, the last slot has only
        # one game per encounter.
        size = min(settings.repeat, settings.games - slot * settings.repeat)
        encounter, second = divmod(rest - slot * meetings * settings.repeat, size)
        slot += round_number * self._slots
        black, white = self.encounters[encounter]
        if (second if settings.repeat == 2 else slot) % 2 and not settings.noswap:
            black, white = white, black
        opening = self.openings[slot % len(self.openings)]
        return GameJob(
            number,
            pair=slot * meetings + encounter,
            variant=self.variant,
            black=settings.engines[black],
            white=settings.engines[white],
            start=opening.start,
            book=opening.book,
            seed=random.Random(f"game {settings.seed} {slot}").getrandbits(31),
            adjudication=settings.adjudication,
            with_pv=settings.with_pv,
            luck_depth=settings.luck_depth,
            wait_ms=settings.wait_ms,
        )


def encounters(engines: int, tournament: str, seeds: int = 1) -> list[tuple[int, int]]:
    """Return the pairs of engines that meet, as indices. In a gauntlet, each of the first `seeds` engines meets all
    others."""
    pairs = list(combinations(range(engines), 2))
    return [(one, other) for one, other in pairs if one < seeds <= other] if tournament == "gauntlet" else pairs
