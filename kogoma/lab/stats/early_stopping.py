"""The Elo estimate of a match that an SPRT has stopped.

A test stops when the results are extreme, so the ordinary estimate is too far from the middle of the two hypotheses.
The estimate here is median-unbiased: at the estimated Elo, a result at least as extreme as the observed one has the
probability 1/2; at the bounds of the interval it has the probabilities 2.5% and 97.5%. Results are ordered by the bound
that was reached, then by time: the earlier, the more extreme (D. Siegmund, Sequential Analysis, 1985, chapter III.4).

The LLR is modelled as a Brownian motion with variance 1 per unit of time. Its drift is -1/2 under H0 and 1/2 under H1,
and linear in the Elo. A game takes the time (t1 - t0)^2, where t0 and t1 are the t-values of the hypotheses.
"""

from __future__ import annotations

import math

from kogoma.lab.stats.sprt import Counts, Sprt, expected_score
from kogoma.lab.stats.statistics import CONFIDENCE, NORMALISED_ELO

MAX_DRIFT = 500.0  # of either sign, beyond any result of a match
STEPS = 80  # of the bisection


def corrected_elo(test: Sprt, counts: Counts) -> tuple[float, float, float] | None:
    """Return (Elo, lower bound, upper bound), corrected for early stopping, or None if the test has no verdict or tests
    luck-adjusted results. The bounds are those of the 95% interval. The Elo is normalised or logistic, as in the
    test. `counts` are the results at the verdict: 3 counts of games or 5 of pairs."""
    state = test.state(counts)
    if state.verdict is None or test.luck:
        return None
    time = _time(test, counts)
    # The Brownian motion (the model of the LLR) ends at the observed LLR, not at the bound, because the last result
    # took the LLR beyond the bound.
    if state.verdict == "H1":
        lower, upper, sign = state.lower, state.llr, 1
    else:
        lower, upper, sign = -state.upper, -state.llr, -1
    tail = (1 - CONFIDENCE) / 2
    median, low, high = (
        test.elo0 + (0.5 + sign * _drift_at(chance, lower, upper, time)) * (test.elo1 - test.elo0)
        for chance in (0.5, tail, 1 - tail)
    )
    return median, min(low, high), max(low, high)


def corrected_text(test: Sprt, counts: Counts) -> str:
    """Return the corrected Elo with its 95% interval as text. If the test has no verdict, return ""."""
    found = corrected_elo(test, counts)
    if found is None:
        return ""
    unit = "normalised Elo" if test.model == "normalized" else "Elo"
    return f"{unit} corrected for early stopping {found[0]:+.1f} [{found[1]:+.1f}, {found[2]:+.1f}]"


def _time(test: Sprt, counts: Counts) -> float:
    """Return the duration of the test in the time units of the Brownian motion that models its LLR."""
    total, most = float(sum(counts)), len(counts) - 1
    games = total * most / 2
    if test.model == "normalized":
        return games * ((test.elo1 - test.elo0) / NORMALISED_ELO) ** 2
    mean = sum(count * index / most for index, count in enumerate(counts)) / total
    variance = sum(count * (index / most - mean) ** 2 for index, count in enumerate(counts)) / total
    step = expected_score(test.elo1) - expected_score(test.elo0)
    return total * step * step / max(float(variance), 1e-6)


def _drift_at(chance: float, lower: float, upper: float, time: float) -> float:
    """Return the drift with which a Brownian motion has the probability `chance` of reaching `upper` within `time` and
    before `lower`."""
    low, high = -MAX_DRIFT, MAX_DRIFT
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if exit_chance(middle, lower, upper, time) > chance else (middle, high)
    return (low + high) / 2


def exit_chance(drift: float, lower: float, upper: float, time: float) -> float:
    """Return the probability that a Brownian motion from 0, with variance 1 per unit of time, reaches `upper` within
    `time` and before `lower`. It is computed as a sum over the mirror images of `upper` that reflections at the two
    bounds produce (D. R. Cox, H. D. Miller, The Theory of Stochastic Processes, 1965, section 5.7)."""
    width, root, speed = upper - lower, math.sqrt(time), abs(drift)
    images = 2 + math.ceil(5 * root / width)
    total = 0.0
    for index in range(-images, images + 1):
        image = upper + 2 * index * width
        distance = abs(image)
        # Each term is exp(drift * upper - speed * distance) Phi(ahead) + exp(drift * upper + speed * distance)
        # Phi(-behind), in a form that neither overflows nor cancels.
        common = math.exp(max(drift * upper - drift * drift * time / 2 - distance * distance / (2 * time), -700.0))
        ahead, behind = (speed * time - distance) / root, (speed * time + distance) / root
        if ahead < 0:
            first = common * _tail_ratio(-ahead)
        else:
            first = math.exp(drift * upper - speed * distance) * _normal(ahead)
        total += math.copysign(first + common * _tail_ratio(behind), image)
    return min(max(total, 0.0), 1.0)


def _normal(x: float) -> float:
    """Return Phi(x): the probability that a standard normal variable is at most `x`."""
    return math.erfc(-x / math.sqrt(2)) / 2


def _tail_ratio(x: float) -> float:
    """Return (1 - Phi(x)) * exp(x^2 / 2) for x >= 0, where Phi is the normal distribution function. For x >= 10, it is
    computed by the continued fraction of Mills' ratio."""
    if x < 10:
        return _normal(-x) * math.exp(x * x / 2)
    rest = x
    for term in range(20, 0, -1):
        rest = x + term / rest
    return 1 / (rest * math.sqrt(2 * math.pi))
