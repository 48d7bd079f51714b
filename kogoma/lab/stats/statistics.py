"""Statistics of a match's games: results, ratings with intervals, lengths, ends, speed and depth.

The two games of
a pair start from one opening with colours changed, so their results depend on each other; the spread of a score is
therefore taken from pairs. Elo is logistic: a score s is a difference of -400 log10(1/s - 1). Normalised Elo is the
t-value of a game's score, (s - 1/2) / deviation, times 800 / ln 10, with the deviation of a game that the pairs imply:
M. Van den Bergh, https://www.cantate.be/Fishtest/normalized_elo.pdf and .../normalized_elo_practical.pdf.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

from kogoma.lab.journals.match_journal import GameRecord

Triple = tuple[float, float, float]  # a value, and the ends of its interval

NORMALISED_ELO = 800 / math.log(10)  # normalised Elo of a t-value of 1
CONFIDENCE = 0.95
NO_GAMES = (0, 0, 0)


@dataclass(frozen=True)
class Estimate:
    """A rating difference with its interval of 95%, from the first engine's side; infinite where every game was won
    or lost. `score` is from 0 to 1, `los` the likelihood of superiority: that the first engine is the stronger one."""

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
        """How many games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A point a win, half a point a draw."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        """Points a game, 0 to 1; NaN without games."""
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
    """One engine's part in a match."""

    name: str
    as_black: Results = field(default_factory=Results)
    as_white: Results = field(default_factory=Results)
    faults: Counter[str] = field(default_factory=Counter)
    moves: int = 0
    nodes: int = 0  # of moves whose time and nodes are both known
    milliseconds: float = 0  # of the same moves
    depths: Counter[int] = field(default_factory=Counter)  # depth -> moves
    scores: list[int] = field(default_factory=list)  # centipawns, from the engine's side
    mates: Results = field(default_factory=Results)  # mate scores: announced as wins, or as losses
    estimate: Estimate | None = None

    @property
    def results(self) -> Results:
        """Both colours together."""
        black, white = self.as_black, self.as_white
        return Results(black.wins + white.wins, black.draws + white.draws, black.losses + white.losses)

    @property
    def nodes_per_second(self) -> float:
        """Over all moves that tell their nodes; NaN if none took measurable time."""
        return 1000 * self.nodes / self.milliseconds if self.milliseconds else math.nan

    @property
    def depth(self) -> float:
        """The mean over all moves that tell their depth; NaN without any."""
        moves = self.depths.total()
        return sum(depth * count for depth, count in self.depths.items()) / moves if moves else math.nan


@dataclass
class Summary:
    """A whole match."""

    engines: dict[str, EngineStats] = field(default_factory=dict)
    cross_table: dict[tuple[str, str], Results] = field(default_factory=dict)  # (engine, opponent) -> the engine's
    reasons: Counter[str] = field(default_factory=Counter)
    lengths: list[int] = field(default_factory=list)  # plies from the start position, the opening's included
    games: int = 0
    black: Results = field(default_factory=Results)  # of all engines
    variants: Counter[str] = field(default_factory=Counter)


def points(record: GameRecord, name: str) -> float:
    """The points that the engine of that name got in the game, in which it took part: 0, 0.5 or 1."""
    winner = record["winner"]
    return 0.5 if winner is None else float(record["white" if winner else "black"] == name)


def took_part(record: GameRecord, name: str) -> bool:
    """True if the engine of that name played in the game."""
    return name in (record["black"], record["white"])


class PairTally:
    """The games of one engine as they come in: whole pairs by points, and games that have no counterpart yet. Two games
    are a pair if they share the pair's number, the opponent and the variant, and each has one colour."""

    def __init__(self, first: str) -> None:
        """For the engine of that name; games of others are passed over."""
        self.first = first
        self.games = 0
        self._pairs = [0] * 5
        self._singles = [0] * 3
        self._waiting: dict[tuple[Any, ...], list[float]] = defaultdict(list)

    def add(self, record: GameRecord) -> None:
        """Count one more game."""
        if not took_part(record, self.first):
            return
        self.games += 1
        got, is_black = points(record, self.first), record["black"] == self.first
        key = (record["pair"], record["white" if is_black else "black"], record["variant"])
        if others := self._waiting[(*key, not is_black)]:
            other = others.pop(0)
            self._singles[round(2 * other)] -= 1
            self._pairs[round(2 * (other + got))] += 1
        else:
            self._waiting[(*key, is_black)].append(got)
            self._singles[round(2 * got)] += 1

    @property
    def pairs(self) -> tuple[int, ...]:
        """Whole pairs with 0, 1/2, 1, 3/2 and 2 points."""
        return tuple(self._pairs)

    @property
    def singles(self) -> tuple[int, ...]:
        """Games without a counterpart: lost, drawn and won."""
        return tuple(self._singles)

    def estimate(self) -> Estimate | None:
        """The rating difference from the games so far; None before the first one."""
        return elo(self.pairs, self.singles)


def tally(records: Iterable[GameRecord], first: str) -> PairTally:
    """All the games of the engine of that name."""
    counted = PairTally(first)
    for record in records:
        counted.add(record)
    return counted


def elo_of_score(score: float) -> float:
    """The rating difference at which `score` (0 to 1) is expected; infinite at 0 and 1."""
    if not 0 < score < 1:
        return -math.inf if score <= 0 else math.inf
    return 0.0 - 400 * math.log10(1 / score - 1)


def elo(counts: Sequence[int], singles: Sequence[int] = NO_GAMES) -> Estimate | None:
    """The rating difference, from pairs (5 counts) or games (3 counts); None without any game. `singles` are games
    beside the pairs that have no counterpart: as long as a match goes on there are some. They count in the score like
    any other, and their spread is that of all single games together."""
    if len(counts) not in (3, 5):
        raise ValueError(f"3 or 5 counts expected, not {len(counts)}")
    pairs = counts if len(counts) == 5 else (0, 0, 0, 0, 0)
    games = singles if len(counts) == 5 else [a + b for a, b in zip(counts, singles)]
    number = 2 * sum(pairs) + sum(games)
    if not number:
        return None
    score = (sum(i / 2 * n for i, n in enumerate(pairs)) + sum(i / 2 * n for i, n in enumerate(games))) / number
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    # The variance of the sum of all points, and the deviation of a game that independent games would have with it.
    variance = _variance(pairs, 1 / 2) + _variance(games, 1 / 2)
    if variance <= 0:
        even = pairs[len(pairs) // 2] + games[len(games) // 2]
        return _all_alike(score, number, sum(pairs) + sum(games), even)
    deviation = math.sqrt(variance / number)  # of one game
    error = z * deviation / math.sqrt(number)
    low, high = max(score - error, 0.0), min(score + error, 1.0)
    t_value = (score - 0.5) / deviation
    t_error = z * _t_value_deviation(pairs if sum(pairs) else games, t_value) / math.sqrt(number)
    normalised = [NORMALISED_ELO * (t_value + sign * t_error) for sign in (0, -1, 1)]
    los = NormalDist().cdf((score - 0.5) * math.sqrt(number) / deviation)
    return _estimate(number, (score, low, high), los, (normalised[0], normalised[1], normalised[2]))


def _estimate(games: int, scores: Triple, los: float, normalised: Triple) -> Estimate:
    """An estimate from values with the ends of their intervals."""
    ratings = elo_of_score(scores[0]), elo_of_score(scores[1]), elo_of_score(scores[2])
    return Estimate(games, *scores, *ratings, los, *normalised)


def _variance(counts: Sequence[int], step: float) -> float:
    """Variance of the sum of what was counted, at `step` from one count to the next."""
    number = sum(counts)
    if not number:
        return 0.0
    mean = sum(step * i * n for i, n in enumerate(counts)) / number
    return sum(n * (step * i - mean) ** 2 for i, n in enumerate(counts))


def _t_value_deviation(counts: Sequence[int], t_value: float) -> float:
    """Of the t-value of one game, by the delta method: 1 - t skewness + t^2 (kurtosis - 1) / 4, from the counts'
    moments, whose t-value for a pair is the root of two times a game's."""
    number, size = sum(counts), (len(counts) - 1) // 2
    mean = sum(i * n for i, n in enumerate(counts)) / number
    moments = [sum(n * (i - mean) ** power for i, n in enumerate(counts)) / number for power in (2, 3, 4)]
    if not moments[0]:
        return 1.0
    skewness, kurtosis = moments[1] / moments[0] ** 1.5, moments[2] / moments[0] ** 2
    t = t_value * math.sqrt(size)
    return math.sqrt(max(1 - t * skewness + t * t * (kurtosis - 1) / 4, 0.0))


def _all_alike(score: float, games: int, trials: int, even: int) -> Estimate:
    """The estimate where every pair brought the same points, so that their spread is not known. If any other result
    had the probability `other`, it would have come up in all but (1 - CONFIDENCE) / 2 of such matches: the score can be
    off by that much (Clopper-Pearson). Of the `trials`, those that were `even` say nothing about who is
    stronger."""
    other = 1 - ((1 - CONFIDENCE) / 2) ** (1 / trials)
    low, high = score * (1 - other), score + other * (1 - score)
    doubt = 0.5 ** (trials - even + 1)
    los = 0.5 if score == 0.5 else doubt if score < 0.5 else 1 - doubt
    end = math.copysign(math.inf, score - 0.5) if score != 0.5 and not even else 0.0
    return _estimate(games, (score, low, high), los, (end, -math.inf, math.inf))


def running(records: Sequence[GameRecord], first: str, most: int = 400) -> list[tuple[int, Estimate]]:
    """The estimate as it stood after so many of the engine's games, in the order in which they ended: at most about
    `most` entries, the last one of all games."""
    counted, found = PairTally(first), list[tuple[int, Estimate]]()
    games = [record for record in records if took_part(record, first)]
    every = max(1, math.ceil(len(games) / most))
    for record in games:
        counted.add(record)
        if (counted.games % every == 0 or counted.games == len(games)) and (now := counted.estimate()):
            found.append((counted.games, now))
    return found


def summarise(records: Sequence[GameRecord]) -> Summary:
    """The summary of one match's games."""
    summary = Summary()
    for record in records:
        count(summary, record)
    for name, engine in summary.engines.items():
        engine.estimate = tally(records, name).estimate()
    return summary


def count(summary: Summary, record: GameRecord) -> None:
    """Add one game to everything but the estimates."""
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
    """The side that made the first of `moves`: 0 for Black, 1 for White."""
    words = record["start"].split()
    return ((len(words) > 1 and words[1] == "w") + len(record["book"])) % 2


def _count_moves(record: GameRecord, engines: list[EngineStats]) -> None:
    start = first_mover(record)
    times = record["time_ms"]
    for ply, score in enumerate(record["scores"]):
        engine = engines[(start + ply) % 2]
        engine.moves += 1
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
