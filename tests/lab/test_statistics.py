"""Elo and the SPRT, compared with published figures, numerical optimisation and simulated matches."""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np
import pytest

from kogoma.lab.journals.match_journal import GameRecord, SprtState, game_record
from kogoma.lab.stats import sprt
from kogoma.lab.stats.statistics import NORMALISED_ELO, PairTally, elo, running, summarise, tally

pytestmark = pytest.mark.slow

SCORES = {3: np.array([0, 0.5, 1]), 5: np.array([0, 0.25, 0.5, 0.75, 1])}
scipy = pytest.importorskip("scipy", reason="scipy is not installed: ./engine.sh test --all installs it")
importlib.import_module("scipy.optimize")
importlib.import_module("scipy.stats")

Z = scipy.stats.norm.ppf(0.975)

# Figures from the tests of fastchess (https://github.com/Disservin/fastchess, app/tests), which have two decimals. Each
# line has the counts, Elo and half of its interval (None: not published), normalised Elo, and the likelihood of
# superiority.
PUBLISHED_ELO = [
    ((89, 123, 76), None, None, -20.76, 0.1553),
    ((96, 111, 136), 40.70, 30.43, 49.77, 0.9960),
    ((356, 0, 34), None, None, -508.44, 0.0),
    ((34, 54, 63, 64, 75), 55.58, 27.65, 57.94, 1.0),
    ((332, 433, 498, 333, 334), -8.64, 10.33, -9.17, 0.0505),
    ((7895, 8757, 5685, 568, 9999), -21.04, 2.95, -19.01, 0.0),
]
PUBLISHED_LLR = [
    ((36027, 68692, 36433), 0, 2, "normalized", 0.92),
    ((10650, 20431, 10871), -1.75, 0.25, "normalized", 2.30),
    ((365, 16618, 36229, 16974, 390), 0, 2, "normalized", 2.25),
    ((127, 4883, 10712, 5150, 104), -1.75, 0.25, "normalized", 3.01),
    ((21184, 40708, 21404), 0.5, 2.5, "logistic", -1.57),
    ((57030, 106593, 57433), 0, 2, "logistic", -2.59),
    ((223, 9863, 21279, 10037, 246), 0.5, 2.5, "logistic", -3.07),
    ((871, 26175, 55983, 26678, 821), 0, 2, "logistic", -4.98),
]
COUNTS = [
    (3, 11, 40, 17, 6),
    (34, 54, 63, 64, 75),
    (10, 40, 100, 40, 9),
    (1, 2, 3, 4, 5),
    (120, 30, 10, 8, 3),
    (20, 35, 31),
    (200, 5, 180),
]


@pytest.mark.parametrize(("counts", "rating", "half", "normalised", "los"), PUBLISHED_ELO)
def test_elo_equals_published_figures(
    counts: tuple[int, ...], rating: float | None, half: float | None, normalised: float, los: float
) -> None:
    found = elo(counts)
    assert found is not None
    assert found.normalised == pytest.approx(normalised, abs=0.006)
    assert found.los == pytest.approx(los, abs=6e-5)
    if rating is not None and half is not None:
        assert found.elo == pytest.approx(rating, abs=0.006)
        assert (found.high - found.low) / 2 == pytest.approx(half, abs=0.006)


@pytest.mark.parametrize("counts", COUNTS)
def test_elo_agrees_with_the_plain_formulas(counts: tuple[int, ...]) -> None:
    """Check that Elo equals the result of a plain computation. The plain computation uses a list of all results and
    scipy's normal distribution."""
    found = elo(counts)
    assert found is not None
    results = np.repeat(SCORES[len(counts)], counts)
    score, error = results.mean(), results.std() / math.sqrt(len(results))
    odds = scipy.special.logit([score, score - Z * error, score + Z * error])
    assert [found.elo, found.low, found.high] == pytest.approx(list(odds * 400 / math.log(10)), abs=1e-6)
    assert found.los == pytest.approx(scipy.stats.norm.cdf((score - 0.5) / error), abs=1e-9)
    games = len(results) * (len(counts) - 1) // 2
    t_value = (score - 0.5) / (error * math.sqrt(games))
    assert found.normalised == pytest.approx(t_value * 800 / math.log(10), abs=1e-6)
    assert found.games == games


@pytest.mark.parametrize("counts", COUNTS)
def test_interval_of_normalised_elo_agrees_with_numerical_derivatives(counts: tuple[int, ...]) -> None:
    found, total, scores = elo(counts), sum(counts), SCORES[len(counts)]
    assert found is not None
    share = np.array(counts) / total
    per_game = math.sqrt(2 / (len(counts) - 1))

    def normalised(weights: Any) -> float:
        p = weights / weights.sum()
        mean = p @ scores
        return float((mean - 0.5) / math.sqrt(p @ (scores - mean) ** 2) * per_game * 800 / math.log(10))

    slope = scipy.optimize.approx_fprime(share, normalised, 1e-7)
    deviation = math.sqrt((share @ slope**2 - (share @ slope) ** 2) / total)
    assert (found.normalised_high - found.normalised_low) / 2 == pytest.approx(Z * deviation, rel=1e-4)


@pytest.mark.parametrize(("counts", "elo0", "elo1", "model", "published"), PUBLISHED_LLR)
def test_llr_equals_published_figures(
    counts: tuple[int, ...], elo0: float, elo1: float, model: str, published: float
) -> None:
    assert sprt.llr(counts, elo0, elo1, model) == pytest.approx(published, abs=0.006)


def likeliest(counts: tuple[int, ...], rating: float, model: str) -> float:
    """Return the maximum log-likelihood of the counts on condition that Elo is `rating`. The maximum is computed with
    scipy."""
    scores, total = SCORES[len(counts)], sum(counts)
    seen = np.array(counts) / total

    def probabilities(x: Any) -> Any:
        return scipy.special.softmax(np.append(x, 0.0))

    def constraint(x: Any) -> float:
        p = probabilities(x)
        mean = p @ scores
        if model == "logistic":
            return float(mean - scipy.special.expit(rating * math.log(10) / 400))
        spread = math.sqrt(p @ (scores - mean) ** 2 * (len(counts) - 1) / 2)
        return float((mean - 0.5) - rating * math.log(10) / 800 * spread)

    # Start from two points, because the optimisation from one point may fail if the rating is far from the counts.
    reached = []
    for start in (np.log(seen[:-1] / seen[-1]), np.zeros(len(counts) - 1)):
        found = scipy.optimize.minimize(
            lambda x: -float(seen @ np.log(probabilities(x))),
            start,
            constraints={"type": "eq", "fun": constraint},
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 500},
        )
        if abs(constraint(found.x)) < 1e-9:
            reached.append(-total * float(found.fun))
    return max(reached)


@pytest.mark.parametrize("model", sprt.MODELS)
@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize(("elo0", "elo1"), [(0, 5), (-10, 3), (0, 50), (-80, 120)])
def test_llr_agrees_with_constrained_optimisation(
    counts: tuple[int, ...], elo0: float, elo1: float, model: str
) -> None:
    expected = likeliest(counts, elo1, model) - likeliest(counts, elo0, model)
    assert sprt.llr(counts, elo0, elo1, model) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("size", [3, 5])
@pytest.mark.parametrize("model", sprt.MODELS)
def test_most_likely_results_have_the_required_rating(size: int, model: str) -> None:
    """Check that the most likely distribution of results has the required rating, even if only one kind of result has
    occurred."""
    chance = np.random.default_rng(7)
    counts = chance.integers(0, 2, (60, size)) * 10.0 ** chance.integers(0, 4, (60, size))
    counts = np.concatenate([counts, chance.integers(1, 60, (40, size))])
    filled = np.where(counts > 0, counts, sprt.PSEUDO_COUNT)
    observed = filled / filled.sum(axis=1, keepdims=True)
    for rating in (-200, -30, 0, 4, 200):
        p = sprt.most_likely(observed, rating, model)
        mean = p @ SCORES[size]
        assert p.min() > 0
        assert np.allclose(p.sum(axis=1), 1, atol=1e-7)
        if model == "logistic":
            assert np.allclose(mean, sprt.expected_score(rating), atol=1e-7)
        else:
            spread = np.sqrt((p * (SCORES[size] - mean[:, None]) ** 2).sum(axis=1) * (size - 1) / 2)
            assert np.allclose((mean - 0.5) / spread * NORMALISED_ELO, rating, atol=1e-4)


def tilted(rating: float) -> Any:
    """Return probabilities of the five possible results of a pair of games. The normalised Elo of these probabilities
    is `rating`."""
    base, scores = np.array([0.09, 0.2, 0.41, 0.2, 0.1]), SCORES[5]

    def at(slope: float) -> Any:
        weights = base * np.exp(slope * scores)
        return weights / weights.sum()

    def error(slope: float) -> float:
        p = at(slope)
        mean = p @ scores
        return float((mean - 0.5) / math.sqrt(2 * (p @ (scores - mean) ** 2)) * 800 / math.log(10) - rating)

    return at(scipy.optimize.brentq(error, -5, 5))


def verdicts(test: sprt.Sprt, rating: float, matches: int, seed: int) -> tuple[int, int]:
    """Simulate matches between two engines whose normalised Elo differs by `rating`. Return the numbers of matches that
    accept H0 and H1."""
    chance = np.random.default_rng(seed)
    lower, upper = sprt.bounds(test.alpha, test.beta)
    probabilities = tilted(rating)
    going, accepted = np.zeros((matches, 5)), [0, 0]
    while len(going):
        going[np.arange(len(going)), chance.choice(5, len(going), p=probabilities)] += 1
        ratios = sprt.llr_of_many(going, test.elo0, test.elo1, test.model)
        accepted[0] += int((ratios <= lower).sum())
        accepted[1] += int((ratios >= upper).sum())
        going = going[(ratios > lower) & (ratios < upper)]
    return accepted[0], accepted[1]


@pytest.mark.parametrize("truth", [0, 1])
def test_error_rates_are_within_their_bounds(truth: int) -> None:
    """Simulate 2,000 matches in which one of the two hypotheses is true. Check that the SPRT does not reject this
    hypothesis significantly more often than its error bound allows. (Simulations of 6,000 matches gave error rates of
    4.95% and 9.2%.)"""
    test = sprt.Sprt(0, 60, alpha=0.05, beta=0.1)
    accepted = verdicts(test, (test.elo0, test.elo1)[truth], 2000, seed=20 + truth)
    assert sum(accepted) == 2000
    bound = (test.alpha, test.beta)[truth]
    assert scipy.stats.binomtest(accepted[1 - truth], 2000, bound, alternative="greater").pvalue > 0.02


def test_bounds_and_verdicts() -> None:
    assert sprt.bounds(0.05, 0.05) == pytest.approx((-2.944439, 2.944439), abs=1e-6)
    assert sprt.bounds(0.05, 0.1) == pytest.approx((math.log(0.1 / 0.95), math.log(0.9 / 0.05)), abs=1e-12)
    test = sprt.Sprt(0, 10)
    assert test.state((0, 0, 0, 0, 0)) == SprtState(0.0, *sprt.bounds(0.05, 0.05), None)
    assert test.state((20, 40, 90, 80, 50)).verdict == "H1"
    assert test.state((250, 350, 400, 200, 100)).verdict == "H0"
    assert str(test.state((250, 350, 400, 200, 100))).endswith("(-2.94, 2.94), H0 accepted")


@pytest.mark.parametrize(
    "wrong",
    [
        {"elo0": 5, "elo1": 0},
        {"elo0": 0, "elo1": 900},
        {"elo0": 0, "elo1": 5, "alpha": 0.0},
        {"elo0": 0, "elo1": 5, "alpha": 0.6, "beta": 0.5},
        {"elo0": 0, "elo1": 5, "model": "bayesian"},
    ],
)
def test_impossible_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="sprt: "):
        sprt.Sprt(**wrong)


def test_extreme_matches_have_an_interval() -> None:
    """Check that the confidence interval of Elo has some width even if all games are won, all games are drawn, or there
    is only one game. If all games are won, the lower bound must equal the exact bound from scipy."""
    won, drawn, one = elo((0, 0, 0, 0, 10)), elo((0, 0, 30, 0, 0)), elo((0, 0, 1))
    assert won is not None and drawn is not None and one is not None
    exact = scipy.stats.binomtest(10, 10).proportion_ci(0.95, method="exact")
    assert won.score_low == pytest.approx(exact.low, abs=1e-9)
    assert won.elo == won.high == math.inf
    assert drawn.elo == 0 and drawn.low == pytest.approx(-drawn.high) and 10 < drawn.high < 80
    assert drawn.los == 0.5 and 0.5 < one.los < 1 and one.low < 0
    assert elo((0, 0, 0, 0, 0)) is None
    # Nine drawn pairs and one won game say as little about the stronger engine as the won game alone.
    odd = elo((0, 0, 9, 0, 0), (0, 0, 1))
    assert odd is not None and odd.los == one.los and odd.low < 0 < odd.high


def record(game: int, black: str, white: str, winner: int | None, **more: Any) -> GameRecord:
    plain: dict[str, Any] = {
        "start": "rbsgk/4p/5/P4/KGSBR b - 1",
        "book": [],
        "moves": [],
        "time_ms": [],
        "scores": [],
        "fault": None,
    }
    fixed = {"game": game, "pair": game // 2, "variant": "minishogi", "reason": "checkmate"}
    return game_record(plain | fixed | {"black": black, "white": white, "winner": winner} | more)


def test_pairs_are_found_whatever_the_order() -> None:
    games = [
        record(0, "a", "b", 0),  # pair 0: a wins and draws
        record(3, "b", "a", 0),  # pair 1: its other game was not finished
        record(4, "a", "b", 1),  # pair 2: a loses both
        record(1, "b", "a", None),
        record(5, "b", "a", 0),
        record(6, "a", "c", 0),  # pair 3: two games of different opponents are no pair
        record(7, "b", "c", 0, pair=3),
    ]
    counted = tally(games, "a")
    assert counted.pairs == (1, 0, 0, 1, 0)
    assert counted.singles == (1, 0, 1)
    assert tally(reversed(games), "a").pairs == counted.pairs
    assert tally(games, "b").pairs == (0, 1, 0, 0, 1)
    estimate = counted.estimate()
    assert estimate is not None and estimate.games == 6 and estimate.score == pytest.approx(2.5 / 6)


def test_games_without_pairs_count_as_games() -> None:
    """Check that, if no games are paired, the estimate is the trinomial estimate. If a few single games are added to
    pairs and most of these games are won, the estimate must rise."""
    alone, plain = elo((0, 0, 0, 0, 0), (20, 35, 31)), elo((20, 35, 31))
    assert alone == plain
    both = elo((10, 40, 100, 40, 9), (1, 1, 3))
    pairs = elo((10, 40, 100, 40, 9))
    assert both is not None and pairs is not None
    assert both.games == pairs.games + 5
    assert pairs.elo < both.elo and both.high - both.low == pytest.approx(pairs.high - pairs.low, rel=0.02)


def test_running_estimates_end_with_the_final_one() -> None:
    games = [record(n, "ab"[n % 2], "ba"[n % 2], (0, 1, None, 1, 1)[n % 5]) for n in range(101)]
    line = running(games, "a", most=20)
    assert line[-1] == (101, tally(games, "a").estimate())
    assert len(line) <= 21 and [number for number, _ in line] == sorted(number for number, _ in line)
    counted = PairTally("a")
    for game in games[: line[3][0]]:
        counted.add(game)
    assert line[3][1] == counted.estimate()


def test_summary_counts_every_game() -> None:
    fault = {"engine": "b", "kind": "crash", "detail": "exit code 1", "log": []}
    second = {"book": ["2e2d"], "moves": ["x", "y", "z"], "time_ms": [0, 5, 2], "fault": fault, "reason": "crash"}
    games = [
        record(
            0,
            "a",
            "b",
            0,
            moves=["x", "y", "z"],
            time_ms=[10, 20, 30],
            scores=[["cp", 30, 5, 1000], None, ["mate", 3, 9, 2000]],
        ),
        record(1, "b", "a", 1, **second, scores=[["cp", 7, 4, 400], ["cp", -9, 3, 100], ["mate", -2, 2, None]]),
    ]
    summary = summarise(games)
    a, b = summary.engines["a"], summary.engines["b"]
    assert (a.results.wins, a.as_black.wins, a.as_white.wins, b.results.losses) == (2, 1, 1, 2)
    assert summary.cross_table["a", "b"].points == 2 and summary.cross_table["b", "a"].points == 0
    assert summary.reasons == {"checkmate": 1, "crash": 1} and b.faults == {"crash": 1} and not a.faults
    assert summary.lengths == [3, 4] and summary.black.points == 1
    # In game 0, a makes the first and the third move. In game 1, b has made the opening's move, so a moves first.
    assert a.nodes_per_second == pytest.approx(1000 * 3000 / 40) and b.nodes_per_second == pytest.approx(1000 * 100 / 5)
    assert a.depth == pytest.approx((5 + 9 + 4 + 2) / 4) and b.depth == 3
    assert a.scores == [30, 7] and (a.mates.wins, a.mates.losses) == (1, 1)
    empty = summarise([])
    assert empty.games == 0 and not empty.engines
