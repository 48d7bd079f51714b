"""The luck of the die rolls in a game, in points.

Before each roll, a search values all six faces. The luck of the roll is the value of the face that came, minus the mean
of the six values. Its expectation is 0 whatever the search finds, so the result of a game minus its luck has the same
expectation as the result, and a smaller variance.
"""

from __future__ import annotations

from statistics import fmean

from kogoma.lab.journals.match_journal import GameRecord
from kogoma.lab.match.play import rolls
from kogoma.lab.stats.chances import chance
from kogoma.rules.base_position import BasePosition
from kogoma.rules.dice.die import allowed_codes
from kogoma.rules.position import new_position
from kogoma.rules.variants import FACES, Variant
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher

DEPTH = 3  # default depth of the searches
HASH_MB = 1


class LuckMeter:
    """Computes the luck of games of one variant. The same game always has the same luck."""

    def __init__(self, variant: Variant, depth: int) -> None:
        """`depth` is that of the searches, in plies."""
        self._limits = [Limits(depth=depth, dice=face) for face in range(1, FACES + 1)]
        self._variant = variant
        self._searcher = Searcher(HASH_MB, 1, variant)

    def luck(self, record: GameRecord) -> float:
        """Return the part of Black's points in a game that came from the rolls. If the rules have not ended the game,
        the roll after the last move counts too: because of it, an engine may have resigned or lost on time."""
        self._searcher.new_game()
        position = new_position(self._variant, record["start"])
        for usi in record["book"]:
            position.push(usi)
        total = 0.0
        for usi, roll in zip([*record["moves"], ""], rolls(record["seed"])):
            if usi or position.outcome() is None:
                values = self._values(position)
                gain = values[roll - 1] - fmean(values)
                total += gain if position.turn == 0 else -gain
            if usi:
                position.push(usi)
        return round(total, 4)

    def _values(self, position: BasePosition) -> list[float]:
        """Return the winning chance of the side to move for each roll. Rolls that allow the same moves have the same
        value; if all do, it is not searched."""
        allowed = [frozenset(allowed_codes(position, limits.dice)) for limits in self._limits]
        free = allowed[-1]  # the last face allows every move
        values: dict[frozenset[int], float] = {}
        for moves, limits in zip(allowed, self._limits):
            if moves != free and moves not in values:
                values[moves] = self._value(position, limits)
        if not values:
            return [0.5] * FACES
        all_named = frozenset[int]().union(*values) == free
        values[free] = max(values.values()) if all_named else self._value(position, self._limits[-1])
        return [values[moves] for moves in allowed]

    def _value(self, position: BasePosition, limits: Limits) -> float:
        found = self._searcher.search(position, limits)
        return chance(found.score_kind, found.score, self._variant.name)
