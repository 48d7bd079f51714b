"""Simultaneous perturbation stochastic approximation (SPSA): a climb on a function that only noisy comparisons show.

For every comparison each number goes a step up or down by a coin's toss of its own, and the other side gets the
opposite; then all numbers move by the outcome, each the way that it had gone. Steps shrink with time, and moves faster.
After J. C. Spall: Implementation of the simultaneous perturbation algorithm for stochastic optimization (1998), whose
exponents are used.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

MOVES_FALL, STEPS_FALL = 0.602, 0.101  # exponents
SETTLING = 0.1  # of all comparisons: moves fall as if so many had gone before
RATE = 0.8  # of a step: about how far chance alone carries a number by the end


@dataclass(frozen=True)
class Axis:
    """A number that is looked for, and by how much the sides of a comparison differ from it at the end."""

    name: str
    start: int
    least: int
    most: int
    step: int


@dataclass(frozen=True)
class Ascent:
    """A climb of so many comparisons. Everything random follows from the seed and a comparison's number, from 0."""

    axes: tuple[Axis, ...]
    comparisons: int
    seed: str

    def signs(self, number: int) -> list[int]:
        """+1 or -1 for each axis: which way the first side goes."""
        rng = random.Random(f"{self.seed} signs {number}")
        return [rng.choice((1, -1)) for _ in self.axes]

    def sides(self, values: Sequence[float], number: int) -> tuple[list[int], list[int]]:
        """What both sides of a comparison use: whole numbers, rounded up or down by chance, both the same way."""
        rng = random.Random(f"{self.seed} rounding {number}")
        found: tuple[list[int], list[int]] = [], []
        for axis, value, sign in zip(self.axes, values, self.signs(number)):
            step, chance = sign * axis.step * self._steps(number), rng.random()
            for side, moved in zip(found, (value + step, value - step)):
                side.append(min(max(math.floor(moved + chance), axis.least), axis.most))
        return found

    def moved(self, values: Sequence[float], number: int, outcome: float) -> list[float]:
        """The values after a comparison, whose outcome is from 1 (the first side was far better) to -1."""
        far = self._rate(number) * outcome / self._steps(number)
        moved = (value + axis.step * far * sign for axis, value, sign in zip(self.axes, values, self.signs(number)))
        return [min(max(value, axis.least), axis.most) for axis, value in zip(self.axes, moved)]

    def _steps(self, number: int) -> float:
        return math.pow(self.comparisons / (number + 1), STEPS_FALL)

    def _rate(self, number: int) -> float:
        before = SETTLING * self.comparisons
        fallen = (before + self.comparisons) / (before + number + 1)
        return RATE / math.sqrt(self.comparisons) * math.pow(fallen, MOVES_FALL)
