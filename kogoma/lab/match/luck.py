"""The luck of the die rolls in a game, in points.

Before each roll, a short search values all six faces. The luck of the roll is the value of the face that came, minus
the mean of the six values. Its expectation is 0 whatever the search finds, so the result of a game minus its luck has
the same expectation as the result, and a smaller variance.
"""

from __future__ import annotations

from statistics import fmean

from kogoma.lab.journals.match_journal import GameRecord
from kogoma.lab.match.play import rolls
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant
from kogoma.search.searcher import Searcher

DEPTH = 3  # default depth of the searches
HASH_MB = 1


class LuckMeter:
    """Computes the luck of games of one variant. The same game always has the same luck. Winning chances are those of
    the search (`search.dice.curve`)."""

    def __init__(self, variant: Variant, depth: int) -> None:
        """`depth` is that of the searches, in plies."""
        self._variant, self._depth = variant, depth
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
                values = self._searcher.roll_values(position, self._depth)
                gain = values[roll - 1] - fmean(values)
                total += gain if position.turn == 0 else -gain
            if usi:
                position.push(usi)
        return round(total, 4)
