"""The generalised sequential probability ratio test (GSPRT) on pairs of games.

Results are counted by points: `(losses, draws, wins)` of single games, or pairs of games with 0, 1/2, 1, 3/2 and 2
points (the pentanomial). H0 and H1 each fix one parameter of the distribution of results. The statistic (LLR) is the
log ratio of the likelihoods of the most likely distributions under H1 and H0.

The fixed parameter is the expected score in the `logistic` model, and the t-value in the `normalized` model: the
score's distance from 1/2 in standard deviations of one game. Normalised Elo is the t-value times 800 / ln 10; with it,
the length of a test does not depend on the draw rate or the openings. After M. Van den Bergh's notes, as used by
fishtest: https://www.cantate.be/Fishtest/normalized_elo_practical.pdf (section 4.1),
https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf (proposition 1.1) and
http://hardy.uhasselt.be/Fishtest/GSPRT_approximation.pdf; the bounds are A. Wald's, Sequential Analysis (1947).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kogoma.lab.journals.match_journal import GameRecord, SprtState
from kogoma.lab.stats.statistics import NORMALISED_ELO, Copies, PairTally

Array = np.ndarray[Any, np.dtype[np.float64]]
Counts = Sequence[int] | Sequence[float] | Array

MODELS = ("normalized", "logistic")
PSEUDO_COUNT = 1e-3  # for results that have not occurred yet, as in fishtest, so that no likelihood is zero
MAX_ELO = 200.0  # normalised; beyond it, the fixed-point iteration may not converge
MIN_GAMES = 40  # before a verdict on luck-adjusted results: the variance of fewer is too uncertain
MAX_ITERATIONS = 100  # of either iteration; a dozen is usual
SETTLED = 1e-10  # change of a probability below which the iteration has converged


def expected_score(elo: float) -> float:
    """Return the expected score, from 0 to 1, at a logistic rating difference of `elo`."""
    return 1 / (1 + 10 ** (-elo / 400))


def bounds(alpha: float, beta: float) -> tuple[float, float]:
    """Return the LLRs at which H0 and H1 are accepted. `alpha` is the probability of accepting H1 if H0 is true, and
    `beta` is the probability of accepting H0 if H1 is true. Raises ValueError for impossible error rates."""
    if not (0 < alpha < 1 and 0 < beta < 1 and alpha + beta < 1):
        raise ValueError(f"sprt: alpha, beta and their sum must lie between 0 and 1; alpha is {alpha}, beta is {beta}")
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


def llr(counts: Counts, elo0: float, elo1: float, model: str = "normalized") -> float:
    """Return the log-likelihood ratio of H1 (Elo is `elo1`) to H0 (Elo is `elo0`) for 3 counts of games or 5 of pairs.
    It is 0 if all counts are 0."""
    return float(llr_of_many(np.asarray(counts, float)[None], elo0, elo1, model)[0])


def llr_of_many(counts: Array, elo0: float, elo1: float, model: str = "normalized") -> Array:
    """Return the log-likelihood ratio, as `llr` does, for each row of `counts`, which has shape (n, 3) or (n, 5)."""
    if model not in MODELS:
        raise ValueError(f"sprt: unknown model {model!r}; known: {', '.join(MODELS)}")
    if counts.ndim != 2 or counts.shape[1] not in (3, 5) or np.any(counts < 0):
        raise ValueError("sprt: expected 3 or 5 counts that are not negative")
    filled = np.where(counts > 0, counts, PSEUDO_COUNT)
    observed = filled / filled.sum(axis=1, keepdims=True)
    under0, under1 = (most_likely(observed, elo, model) for elo in (elo0, elo1))
    ratios: Array = (filled * np.log(under1 / under0)).sum(axis=1)
    return np.where(counts.sum(axis=1) > 0, ratios, 0.0)


def most_likely(observed: Array, elo: float, model: str = "normalized") -> Array:
    """Return the maximum-likelihood estimate of the probabilities of the results, under the condition that their rating
    difference in the model is `elo`. `observed` has shape (n, 3) or (n, 5); each row sums to 1 and has no 0."""
    size = observed.shape[1]
    scores = np.linspace(0, 1, size)  # points of a game, or the mean of a pair's two games
    if model == "logistic":
        return _reweighted(observed, np.broadcast_to(scores - expected_score(elo), observed.shape))
    if abs(elo) > MAX_ELO:
        raise ValueError(f"sprt: the normalised Elo of a hypothesis must lie within {MAX_ELO:g} of 0, not {elo}")
    t_value = elo / NORMALISED_ELO * math.sqrt((size - 1) / 2)  # a pair's mean score varies less
    # The gradient of the constraint depends on the mean and deviation of the solution, so the solution is found by
    # iteration.
    found = np.full_like(observed, 1 / size)
    moving = np.arange(len(observed))
    for _ in range(MAX_ITERATIONS):
        now = found[moving]
        mean = (now @ scores)[:, None]
        deviation = np.sqrt((now * (scores - mean) ** 2).sum(axis=1, keepdims=True))
        gradient = scores - 0.5 - t_value * deviation * (1 + ((scores - mean) / deviation) ** 2) / 2
        found[moving] = _reweighted(observed[moving], gradient)
        moving = moving[np.abs(found[moving] - now).max(axis=1) > SETTLED]
        if not len(moving):
            break
    return found


def _reweighted(observed: Array, values: Array) -> Array:
    """Return p = observed / (1 + x * values), with x such that the expectation of `values` under p is 0. The
    expectation decreases in x, so the root is found by Newton's method, safeguarded by bisection."""
    least, most = -1 / values.max(axis=1), -1 / values.min(axis=1)  # the poles of p
    low, high = least, most
    x = np.zeros(len(observed))
    for _ in range(MAX_ITERATIONS):
        terms = values / (1 + x[:, None] * values)
        height = (observed * terms).sum(axis=1)
        low, high = np.where(height > 0, x, low), np.where(height > 0, high, x)
        newton = x + height / (observed * terms**2).sum(axis=1)
        between = (newton >= low) & (newton <= high) & (newton > least) & (newton < most)
        step = np.where(between, newton, (low + high) / 2)
        moved, x = np.abs(step - x), step
        if np.all(moved <= 1e-10 * np.minimum(x - least, most - x)):  # the next step would change nothing
            break
    probabilities: Array = observed / (1 + x[:, None] * values)
    return probabilities


@dataclass(frozen=True)
class Sprt:
    """A sequential test of H0 (Elo is `elo0`) against H1 (Elo is `elo1`). If `luck` is set, it tests luck-adjusted
    results.

    >>> Sprt(0, 10).state((20, 40, 90, 80, 50)).verdict
    'H1'
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "normalized"
    luck: bool = False

    def __post_init__(self) -> None:
        bounds(self.alpha, self.beta)
        if self.model not in MODELS:
            raise ValueError(f"sprt: unknown model {self.model!r}; known: {', '.join(MODELS)}")
        if not -MAX_ELO <= self.elo0 < self.elo1 <= MAX_ELO:
            raise ValueError(
                f"sprt: elo0 must be below elo1, both within {MAX_ELO:g} of 0; they are {self.elo0:g} and {self.elo1:g}"
            )

    def state(self, counts: Counts) -> SprtState:
        """Return the state of the test for these results: 3 counts of games or 5 of pairs."""
        return self._state(llr(counts, self.elo0, self.elo1, self.model))

    def luck_adjusted_state(self, tally: PairTally) -> SprtState:
        """Return the state of the test for luck-adjusted results. The hypotheses are the same as without luck: in the
        `normalized` model, an Elo is in units of the deviation of the games' results. The mean of the adjusted points
        counts as a normal variable, and there is no verdict before MIN_GAMES."""
        adjusted = tally.adjusted()
        if adjusted is None or adjusted.games < MIN_GAMES or not adjusted.variance:
            return self._state(0.0)
        if self.model == "logistic":
            score0, score1 = expected_score(self.elo0), expected_score(self.elo1)
        else:
            deviation = tally.deviation()
            score0, score1 = (0.5 + elo / NORMALISED_ELO * deviation for elo in (self.elo0, self.elo1))
        weight = adjusted.games**2 / adjusted.variance
        return self._state(weight * (score1 - score0) * (adjusted.score - (score0 + score1) / 2))

    def _state(self, ratio: float) -> SprtState:
        lower, upper = bounds(self.alpha, self.beta)
        return SprtState(ratio, lower, upper, "H0" if ratio <= lower else "H1" if ratio >= upper else None)

    def __str__(self) -> str:
        luck = "luck-adjusted, " * self.luck
        return f"SPRT [{self.elo0:g}, {self.elo1:g}] {self.model}, {luck}alpha {self.alpha:g}, beta {self.beta:g}"


MIN_COPIES = 6  # repeated games in a row before a match ends; random players repeat a game now and then


class Stopping:
    """Decides when a match stops: when its SPRT has a verdict, or when the games of all openings only repeat earlier
    games. The SPRT is evaluated after every pair of games, or after every game if `repeat` is 1. Games are counted in
    the order of their numbers. If they were counted as they end, short games would come first, and the stopping point
    would depend on timing."""

    def __init__(self, test: Sprt | None, first: str, repeat: int, cycle: int = 0) -> None:
        """`first` is the engine whose results are tested. `cycle` is the number of games in one pass through all
        openings; if it is 0, repeated games do not stop the match."""
        self.test, self._repeat, self._cycle = test, repeat, cycle
        self._tally, self._copies = PairTally(first), Copies()
        self._waiting: dict[int, GameRecord] = {}
        self._next = 0  # number of the first game not counted yet
        self._copies_in_a_row = 0
        self.state: SprtState | None = None if test is None else test.state(self.counts())

    def add(self, record: GameRecord) -> None:
        """Take a finished game. It is counted when all games with lower numbers have been counted."""
        if self.is_decided():
            return
        self._waiting[record["game"]] = record
        while self._next in self._waiting and not self.is_decided():
            self._count(self._waiting.pop(self._next))

    def _count(self, record: GameRecord) -> None:
        self._next += 1
        if self._copies.has(record):
            self._copies_in_a_row += 1
        else:
            self._copies_in_a_row = 0
            self._tally.add(record)
        if self.test is not None and self._next % self._repeat == 0:
            self.state = (
                self.test.luck_adjusted_state(self._tally) if self.test.luck else self.test.state(self.counts())
            )

    def is_exhausted(self) -> bool:
        """Return whether the last N games all repeated earlier ones, where N is the number of games in one pass through
        all openings, but at least MIN_COPIES."""
        return self._cycle > 0 and self._copies_in_a_row >= max(self._cycle, MIN_COPIES)

    def is_decided(self) -> bool:
        """Return whether the test has a verdict."""
        return self.state is not None and self.state.verdict is not None

    def counts(self) -> tuple[int, ...]:
        """Return the results that the test sees so far: 5 counts of pairs, or 3 counts of games if `repeat` is 1."""
        return self._tally.pairs if self._repeat == 2 else self._tally.singles
