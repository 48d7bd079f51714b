"""Statistics of a match: results, ratings with intervals, lengths and ends of games, speed and depth.

The two games of a pair start from one opening, so their results depend on each other; the variance of a score is
therefore estimated from pairs. Elo is logistic: a score s is a difference of -400 log10(1/s - 1). Normalised Elo is the
t-value of a game's score, (s - 1/2) / deviation, times 800 / ln 10, with the deviation per game from the pairs:
M. Van den Bergh, https://www.cantate.be/Fishtest/normalized_elo.pdf and .../normalized_elo_practical.pdf.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import NormalDist, median
from typing import Any, NamedTuple

from kogoma.lab.journals.match_journal import GameRecord

Triple = tuple[float, float, float]  # a value and the bounds of its interval

NORMALISED_ELO = 800 / math.log(10)  # normalised Elo per unit of the t-value
CONFIDENCE = 0.95
NO_GAMES = (0, 0, 0)


@dataclass(frozen=True)
class Estimate:
    """A rating difference with its 95% interval, for the first engine. It is infinite if one engine won every game.
    `score` is from 0 to 1; `los` is the likelihood of superiority of the first engine."""

    games: int
    score: float
    score_low: float
    score_high: float
    elo: float
    low: float
    high: float
    los: float
    normalised: float
    normalised_low: float
    normalised_high: float

    def __str__(self) -> str:
        return f"Elo {self.elo:+.1f} [{self.low:+.1f}, {self.high:+.1f}], LOS {self.los:.1%}"


@dataclass
class Results:
    """Games won, drawn and lost by one engine."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """The total points: 1 for each win and 1/2 for each draw."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        """Points per game, from 0 to 1; NaN without games."""
        return self.points / self.games if self.games else math.nan

    def add(self, points: float) -> None:
        """Count one game's points: 0, 0.5 or 1."""
        self.wins += points == 1
        self.draws += points == 0.5
        self.losses += points == 0

    def __str__(self) -> str:
        return f"+{self.wins} ={self.draws} -{self.losses}"


@dataclass
class EngineStats:
    """The statistics of one engine in a match."""

    name: str
    as_black: Results = field(default_factory=Results)
    as_white: Results = field(default_factory=Results)
    faults: Counter[str] = field(default_factory=Counter)
    nodes: int = 0  # of moves with known time and nodes
    milliseconds: float = 0  # of the same moves
    depths: Counter[int] = field(default_factory=Counter)  # number of moves by depth
    latencies: list[float] = field(default_factory=list)  # ms by which measured times exceed reported ones
    scores: list[int] = field(default_factory=list)  # centipawns, from the engine's point of view
    mates: Results = field(default_factory=Results)  # mate scores, for the engine or against it
    estimate: Estimate | None = None

    @property
    def results(self) -> Results:
        """The results with Black and with White together."""
        black, white = self.as_black, self.as_white
        return Results(black.wins + white.wins, black.draws + white.draws, black.losses + white.losses)

    @property
    def nodes_per_second(self) -> float:
        """The mean speed over all moves whose time and nodes are known; NaN if they took no measurable time."""
        return 1000 * self.nodes / self.milliseconds if self.milliseconds else math.nan

    @property
    def depth(self) -> float:
        """The mean search depth over all moves whose depth is known; NaN if there are none."""
        moves = self.depths.total()
        return sum(depth * count for depth, count in self.depths.items()) / moves if moves else math.nan

    @property
    def latency(self) -> float:
        """The median latency of the moves in ms; NaN if no latency is known."""
        return median(self.latencies) if self.latencies else math.nan


@dataclass
class Summary:
    """The statistics of a match."""

    engines: dict[str, EngineStats] = field(default_factory=dict)
    cross_table: dict[tuple[str, str], Results] = field(default_factory=dict)  # by (engine, opponent)
    reasons: Counter[str] = field(default_factory=Counter)
    lengths: list[int] = field(default_factory=list)  # plies, including the opening
    games: int = 0
    black: Results = field(default_factory=Results)  # of all engines
    variants: Counter[str] = field(default_factory=Counter)


def points(record: GameRecord, name: str) -> float:
    """Return the points (0, 0.5 or 1) of the engine `name` in a game that it played."""
    winner = record["winner"]
    return 0.5 if winner is None else float(record["white" if winner else "black"] == name)


def took_part(record: GameRecord, name: str) -> bool:
    """Return whether an engine played in a game."""
    return name in (record["black"], record["white"])


class Copies:
    """Recognises games that repeat an earlier game: the same engines, colours, start, moves, rolls and end. They add
    no information, so they are not counted. Engines with fixed nodes or depth repeat games when openings repeat."""

    def __init__(self) -> None:
        self._seen: set[tuple[Any, ...]] = set()

    def has(self, record: GameRecord) -> bool:
        """Return whether a game repeats the game of an earlier call, and remember it for later calls."""
        played = (*record["book"], "", *record["moves"])
        end = (record["winner"], record["reason"], tuple(record.get("dice", ())))
        key = (record["black"], record["white"], record["variant"], record["start"], played, *end)
        if key in self._seen:
            return True
        self._seen.add(key)
        return False


def without_copies(records: Iterable[GameRecord]) -> list[GameRecord]:
    """Return the games that do not repeat an earlier one, in the order of their numbers."""
    copies = Copies()
    return [record for record in sorted(records, key=lambda record: record["game"]) if not copies.has(record)]


@dataclass
class Moments:
    """A number of values, their sum, and the sum of their squares."""

    number: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, value: float, times: int = 1) -> None:
        """Add a value, or take it away again if `times` is -1."""
        self.number += times
        self.total += times * value
        self.squares += times * value * value

    def squares_around(self, mean: float) -> float:
        """Return the sum of the squared differences from `mean`."""
        return max(self.squares - 2 * mean * self.total + self.number * mean * mean, 0.0)


class Adjusted(NamedTuple):
    """The luck-adjusted score of an engine: the number of games, the mean points, and the variance of the sum of all
    points."""

    games: int
    score: float
    variance: float


class PairTally:
    """Counts the complete pairs of one engine by their points, and the single games whose counterpart is missing. Two
    games are a pair if they have the same pair number, opponent and variant, but different colours."""

    def __init__(self, first: str) -> None:
        """Start with no results. They are counted from the point of view of the engine `first`; games in which it did
        not play are ignored."""
        self.first = first
        self.games = 0
        self._pairs = [0] * 5
        self._singles = [0] * 3
        self._waiting: dict[tuple[Any, ...], list[tuple[float, float]]] = defaultdict(list)
        # Luck-adjusted points: of pairs, and of games whose pair is incomplete.
        self._adjusted_pairs, self._adjusted_singles = Moments(), Moments()
        self._has_luck = False  # whether the luck of a game is known

    def add(self, record: GameRecord) -> None:
        """Count a game. If the other game of its pair was counted before, the two now count as a pair. Otherwise the
        game counts as a single game until the other one is added."""
        if not took_part(record, self.first):
            return
        self.games += 1
        self._has_luck |= "luck" in record
        got, is_black = points(record, self.first), record["black"] == self.first
        adjusted = got - record.get("luck", 0.0) * (1 if is_black else -1)
        key = (record["pair"], record["white" if is_black else "black"], record["variant"])
        if others := self._waiting[(*key, not is_black)]:
            other, other_adjusted = others.pop(0)
            self._singles[round(2 * other)] -= 1
            self._pairs[round(2 * (other + got))] += 1
            self._adjusted_singles.add(other_adjusted, -1)
            self._adjusted_pairs.add(other_adjusted + adjusted)
        else:
            self._waiting[(*key, is_black)].append((got, adjusted))
            self._singles[round(2 * got)] += 1
            self._adjusted_singles.add(adjusted)

    @property
    def pairs(self) -> tuple[int, ...]:
        """The pentanomial: the numbers of complete pairs with 0, 1/2, 1, 3/2 and 2 points."""
        return tuple(self._pairs)

    @property
    def singles(self) -> tuple[int, ...]:
        """The numbers of lost, drawn and won games whose pair is incomplete."""
        return tuple(self._singles)

    def estimate(self) -> Estimate | None:
        """Return the rating difference from the games so far, or None without games."""
        return elo(self.pairs, self.singles)

    def deviation(self) -> float:
        """Return the standard deviation of one game's points, from the pairs; 0 without games."""
        return math.sqrt((_variance(self.pairs) + _variance(self.singles)) / self.games) if self.games else 0.0

    def adjusted(self) -> Adjusted | None:
        """Return the luck-adjusted score, in which a game without known luck has its usual points. Return None if no
        game has known luck, or if there are too few games for a variance."""
        pairs, singles = self._adjusted_pairs, self._adjusted_singles
        if not self._has_luck or pairs.number + singles.number < 2:
            return None
        score = (pairs.total + singles.total) / self.games
        return Adjusted(self.games, score, pairs.squares_around(2 * score) + singles.squares_around(score))

    def adjusted_estimate(self) -> Estimate | None:
        """Return the rating difference from the luck-adjusted score, or None as `adjusted` does."""
        found = self.adjusted()
        if found is None or not found.variance:
            return None
        return _normal_estimate(*found, lambda t_value: math.hypot(1, t_value / math.sqrt(2)))


def tally(records: Iterable[GameRecord], first: str) -> PairTally:
    """Return the results of the engine `first` in all its games."""
    counted = PairTally(first)
    for record in records:
        counted.add(record)
    return counted


def elo_of_score(score: float) -> float:
    """Return the rating difference at which `score` (0 to 1) is expected; infinite at 0 and 1."""
    if not 0 < score < 1:
        return -math.inf if score <= 0 else math.inf
    return 0.0 - 400 * math.log10(1 / score - 1)


def elo(counts: Sequence[int], singles: Sequence[int] = NO_GAMES) -> Estimate | None:
    """Return the rating difference from counts of pairs (5) or of games (3), or None without games. `singles` are
    counts of games whose pair is incomplete. In the score they count like other games; their variance is estimated
    separately."""
    if len(counts) not in (3, 5):
        raise ValueError(f"expected 3 or 5 counts, not {len(counts)}")
    pairs = counts if len(counts) == 5 else (0, 0, 0, 0, 0)
    games = singles if len(counts) == 5 else [a + b for a, b in zip(counts, singles)]
    number = 2 * sum(pairs) + sum(games)
    if not number:
        return None
    score = (sum(i / 2 * n for i, n in enumerate(pairs)) + sum(i / 2 * n for i, n in enumerate(games))) / number
    # `variance` is that of the sum of all points.
    variance = _variance(pairs) + _variance(games)
    if variance <= 0:
        even = pairs[len(pairs) // 2] + games[len(games) // 2]
        return _estimate_of_equal_results(score, number, sum(pairs) + sum(games), even)
    return _normal_estimate(number, score, variance, partial(_t_value_deviation, pairs if sum(pairs) else games))


def _normal_estimate(number: int, score: float, variance: float, spread: Callable[[float], float]) -> Estimate:
    """Return the estimate for the mean score of `number` games, as a normal variable. `variance` is that of the sum of
    all points, and `spread(t-value)` the standard deviation of the t-value of one game."""
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    deviation = math.sqrt(variance / number)  # of one game's points, computed as if games were independent
    error = z * deviation / math.sqrt(number)
    low, high = max(score - error, 0.0), min(score + error, 1.0)
    t_value = (score - 0.5) / deviation
    t_error = z * spread(t_value) / math.sqrt(number)
    normalised = [NORMALISED_ELO * (t_value + sign * t_error) for sign in (0, -1, 1)]
    los = NormalDist().cdf((score - 0.5) * math.sqrt(number) / deviation)
    return _estimate(number, (score, low, high), los, (normalised[0], normalised[1], normalised[2]))


def _estimate(games: int, scores: Triple, los: float, normalised: Triple) -> Estimate:
    """Return an Estimate. `scores` and `normalised` each consist of a value and the bounds of its interval; the Elo and
    its bounds are computed from `scores`."""
    ratings = elo_of_score(scores[0]), elo_of_score(scores[1]), elo_of_score(scores[2])
    return Estimate(games, *scores, *ratings, los, *normalised)


def _variance(counts: Sequence[int]) -> float:
    """Return the variance of the sum of all points. Result i is worth i / 2 points and occurred `counts[i]` times."""
    number = sum(counts)
    if not number:
        return 0.0
    mean = sum(i / 2 * n for i, n in enumerate(counts)) / number
    return sum(n * (i / 2 - mean) ** 2 for i, n in enumerate(counts))


def _t_value_deviation(counts: Sequence[int], t_value: float) -> float:
    """Return the standard deviation of the t-value per game, by the delta method. Its square is 1 - t skewness + t^2
    (kurtosis - 1) / 4; skewness and kurtosis are those of the counts. If the counts are of pairs, t is the t-value of a
    pair: the t-value of a game times the square root of 2."""
    number, size = sum(counts), (len(counts) - 1) // 2
    mean = sum(i * n for i, n in enumerate(counts)) / number
    moments = [sum(n * (i - mean) ** power for i, n in enumerate(counts)) / number for power in (2, 3, 4)]
    if not moments[0]:
        return 1.0
    skewness, kurtosis = moments[1] / moments[0] ** 1.5, moments[2] / moments[0] ** 2
    t = t_value * math.sqrt(size)
    return math.sqrt(max(1 - t * skewness + t * t * (kurtosis - 1) / 4, 0.0))


def _estimate_of_equal_results(score: float, games: int, trials: int, even: int) -> Estimate:
    """Return the estimate for a match in which all pairs had the same result, so that their variance is unknown. The
    interval is exact (Clopper-Pearson): if other results had the probability `other`, a match of `trials` equal results
    would have the probability (1 - CONFIDENCE) / 2. The `even` drawn trials have no influence on the LOS."""
    other = 1 - ((1 - CONFIDENCE) / 2) ** (1 / trials)
    low, high = score * (1 - other), score + other * (1 - score)
    doubt = 0.5 ** (trials - even + 1)
    los = 0.5 if score == 0.5 else doubt if score < 0.5 else 1 - doubt
    end = math.copysign(math.inf, score - 0.5) if score != 0.5 and not even else 0.0
    return _estimate(games, (score, low, high), los, (end, -math.inf, math.inf))


def running(records: Sequence[GameRecord], first: str, most: int = 400) -> list[tuple[int, Estimate]]:
    """Return how the estimate for the engine `first` changed during a match, as a list of (number of its games so far,
    estimate). Games count in the order of `records`. The list has at most about `most` entries, and the last one covers
    all games."""
    counted, found = PairTally(first), list[tuple[int, Estimate]]()
    games = [record for record in records if took_part(record, first)]
    every = max(1, math.ceil(len(games) / most))
    for record in games:
        counted.add(record)
        if (counted.games % every == 0 or counted.games == len(games)) and (now := counted.estimate()):
            found.append((counted.games, now))
    return found


def summarise(records: Sequence[GameRecord]) -> Summary:
    """Return the statistics of a match over all its games."""
    summary = Summary()
    for record in records:
        count(summary, record)
    for name, engine in summary.engines.items():
        engine.estimate = tally(records, name).estimate()
    return summary


def count(summary: Summary, record: GameRecord) -> None:
    """Add a game to the counts of a summary. The engines' rating estimates are not updated."""
    names = (record["black"], record["white"])
    for side, name in enumerate(names):
        engine = summary.engines.setdefault(name, EngineStats(name))
        got = points(record, name)
        (engine.as_white if side else engine.as_black).add(got)
        summary.cross_table.setdefault((name, names[1 - side]), Results()).add(got)
    summary.games += 1
    summary.black.add(points(record, names[0]))
    summary.reasons[record["reason"]] += 1
    summary.variants[record["variant"]] += 1
    summary.lengths.append(len(record["book"]) + len(record["moves"]))
    if fault := record["fault"]:
        summary.engines.setdefault(fault["engine"], EngineStats(fault["engine"])).faults[fault["kind"]] += 1
    _count_moves(record, [summary.engines[name] for name in names])


def first_mover(record: GameRecord) -> int:
    """Return which side made the first move after the book moves of a game: 0 for Black, 1 for White."""
    words = record["start"].split()
    return ((len(words) > 1 and words[1] == "w") + len(record["book"])) % 2


def _count_moves(record: GameRecord, engines: list[EngineStats]) -> None:
    start = first_mover(record)
    times = record["time_ms"]
    for ply, latency in enumerate(record.get("latency_ms", [])):
        if latency is not None:
            engines[(start + ply) % 2].latencies.append(latency)
    for ply, score in enumerate(record["scores"]):
        engine = engines[(start + ply) % 2]
        if score is None:
            continue
        if score.depth:
            engine.depths[score.depth] += 1
        if score.nodes and ply < len(times) and times[ply]:
            engine.nodes += score.nodes
            engine.milliseconds += times[ply]
        if score.kind == "cp":
            engine.scores.append(score.value)
        elif score.kind == "mate":
            engine.mates.add(float(score.value > 0))
