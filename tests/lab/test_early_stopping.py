"""The Elo estimate of a stopped SPRT, compared with simulated tests."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kogoma.lab.stats.early_stopping import corrected_elo, exit_chance
from kogoma.lab.stats.sprt import Sprt, llr_of_many
from kogoma.lab.stats.statistics import NORMALISED_ELO, elo
from support.scope import mostly_long

SCORES = np.linspace(0, 1, 5)
RUNS, PAIRS = 200, 600


def pair_chances(normalised: float) -> np.ndarray:
    """Return the probabilities of the five results of a pair of games if the normalised Elo difference is `normalised`.
    The probabilities are found by shifting a symmetric distribution towards wins or losses."""
    base, low, high = np.array([0.1, 0.2, 0.4, 0.2, 0.1]), -5.0, 5.0
    while high - low > 1e-9:
        tilt = (low + high) / 2
        chances = base * np.exp(tilt * SCORES)
        chances /= chances.sum()
        mean = chances @ SCORES
        t_value = (mean - 0.5) / math.sqrt(2 * (chances @ (SCORES - mean) ** 2))
        low, high = (low, tilt) if t_value * NORMALISED_ELO > normalised else (tilt, high)
    return chances


def stopped_tests(test: Sprt, true_elo: float) -> list[tuple[int, ...]]:
    """Simulate RUNS tests. For each test, return how often each result had occurred when the test stopped. Tests that
    do not stop within PAIRS pairs of games are left out."""
    rng = np.random.default_rng(7)
    found = []
    lower, upper = test.state((0, 0, 1, 0, 0)).lower, test.state((0, 0, 1, 0, 0)).upper
    for _ in range(RUNS):
        results = rng.choice(5, PAIRS, p=pair_chances(true_elo))
        counts = np.cumsum(np.eye(5)[results], axis=0)
        ratios = llr_of_many(counts, test.elo0, test.elo1, test.model)
        (ended,) = np.nonzero((ratios <= lower) | (ratios >= upper))
        if len(ended):
            found.append(tuple(int(count) for count in counts[ended[0]]))
    return found


@pytest.mark.long
@pytest.mark.parametrize("true_elo", mostly_long([0.0, 30.0, 60.0], 30.0))
def test_the_estimate_is_median_unbiased(true_elo: float) -> None:
    test = Sprt(0, 60)
    counts = stopped_tests(test, true_elo)
    assert len(counts) >= 0.99 * RUNS
    found = [corrected_elo(test, each) for each in counts]
    estimates = np.array([each for each in found if each is not None])
    assert len(estimates) == len(counts)
    below = np.mean(estimates[:, 0] < true_elo)
    assert abs(below - 0.5) < 0.09, below
    covered = np.mean((estimates[:, 1] <= true_elo) & (true_elo <= estimates[:, 2]))
    assert 0.92 <= covered <= 0.98, covered
    ordinary = [plain.normalised for each in counts if (plain := elo(each))]
    if true_elo != 30:  # at 30, midway between the hypotheses, both estimates have the same error
        assert abs(np.median(estimates[:, 0]) - true_elo) < abs(np.median(ordinary) - true_elo)


def test_the_logistic_model_agrees() -> None:
    counts = (10, 30, 60, 50, 30)
    found = corrected_elo(Sprt(0, 40, model="logistic"), counts)
    assert found is not None
    plain = elo(counts)
    assert plain is not None
    assert found[1] < found[0] < found[2] and found[0] < plain.elo
    assert corrected_elo(Sprt(0, 40), (1, 2, 3, 2, 1)) is None


def test_exit_chances_against_a_random_walk() -> None:
    """Check that `exit_chance` agrees with simulations of a random walk in 4,000 small steps."""
    rng = np.random.default_rng(3)
    lower, upper, time, steps, walks = -2.0, 1.5, 3.0, 4000, 2000
    for drift in (-1.0, 0.0, 0.7):
        moves = rng.standard_normal((walks, steps), dtype=np.float32) * math.sqrt(time / steps) + drift * time / steps
        paths = np.cumsum(moves, axis=1)
        first_up = np.where((paths >= upper).any(axis=1), (paths >= upper).argmax(axis=1), steps)
        first_down = np.where((paths <= lower).any(axis=1), (paths <= lower).argmax(axis=1), steps)
        assert abs(np.mean(first_up < first_down) - exit_chance(drift, lower, upper, time)) < 0.035
    # After a long time, the exit chance equals the probability in the gambler's ruin problem.
    ruin = (1 - math.exp(-2 * 0.3 * 2)) / (1 - math.exp(-2 * 0.3 * 3.5))
    assert math.isclose(exit_chance(0.3, -2.0, 1.5, 500.0), ruin, rel_tol=1e-9)
