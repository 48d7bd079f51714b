"""Which games a match has, numbered from 0. A game follows from its number and the settings alone, so that it can be
played in any order, on any machine, and again."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

from kogoma.lab.match.openings import Opening
from kogoma.lab.match.play import GameJob
from kogoma.lab.match.settings import Settings


class Schedule:
    """The games of a match.

    A round is `games` games of every encounter. They come slot by slot: in each slot every encounter plays one opening,
    with both colours if it is repeated. All games of a slot share the opening and the seed, thus the throws of the
    die; the games of one encounter in it are a pair.
    """

    def __init__(self, settings: Settings, openings: Sequence[Opening]) -> None:
        self._settings = settings
        self.encounters = encounters(len(settings.engines), settings.tournament)
        self._slots = -(-settings.games // settings.repeat)  # in a round; the last one may hold half a pair
        order = list(openings)
        if settings.openings.order == "random":
            random.Random(f"order {settings.seed}").shuffle(order)
        first = (settings.openings.start - 1) % len(order)
        self.openings = order[first:] + order[:first]

    def __len__(self) -> int:
        return self._settings.rounds * self._settings.games * len(self.encounters)

    @property
    def slots(self) -> int:
        """How many openings are played; with fewer in the file they come again."""
        return self._settings.rounds * self._slots

    def job(self, number: int) -> GameJob:
        """The game of that number; IndexError if there is none."""
        settings, meetings = self._settings, len(self.encounters)
        if not 0 <= number < len(self):
            raise IndexError(number)
        round_number, rest = divmod(number, settings.games * meetings)
        slot = rest // (meetings * settings.repeat)
        # The last slot has one game for each encounter where the number of games is odd.
        size = min(settings.repeat, settings.games - slot * settings.repeat)
        encounter, second = divmod(rest - slot * meetings * settings.repeat, size)
        slot += round_number * self._slots
        black, white = self.encounters[encounter]
        if (second if settings.repeat == 2 else slot) % 2:
            black, white = white, black
        opening = self.openings[slot % len(self.openings)]
        return GameJob(
            number,
            pair=slot * meetings + encounter,
            variant=settings.variant.name,
            black=settings.engines[black],
            white=settings.engines[white],
            start=opening.start,
            book=opening.book,
            seed=random.Random(f"game {settings.seed} {slot}").getrandbits(31),
            adjudication=settings.adjudication,
        )


def encounters(engines: int, tournament: str) -> list[tuple[int, int]]:
    """Who meets whom, by index; the first of a gauntlet meets all others, which do not meet each other."""
    pairs = list(combinations(range(engines), 2))
    return [pair for pair in pairs if pair[0] == 0] if tournament == "gauntlet" else pairs
