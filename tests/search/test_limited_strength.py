"""Random errors of limited strength, compared with a naive version in Python."""

from __future__ import annotations

import random
import statistics

import pytest

from kogoma.rules.variants import find
from kogoma.search.limited_strength import MAX_SCORE
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.search import Info
from kogoma.search.searcher import Searcher
from support.exports.positions import random_positions

WORD = 2**64


class Errors:
    """Nearly normal random numbers with the standard deviation 2^32: each is the sum of twelve uniform numbers below
    2^32 from SplitMix64, minus its mean."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def next(self) -> int:
        """Return the next number."""
        return sum(self._uniform() for _ in range(12)) - 6 * 2**32

    def _uniform(self) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) % WORD
        word = self._state
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % WORD
        word = (word ^ (word >> 27)) * 0x94D049BB133111EB % WORD
        return (word ^ (word >> 31)) >> 32


def number_of(info: Info) -> int:
    """Return the score of a line, limited to MAX_SCORE. A mate counts as MAX_SCORE."""
    if info.score_kind == "mate":
        return MAX_SCORE if info.score > 0 else -MAX_SCORE
    return min(max(info.score, -MAX_SCORE), MAX_SCORE)


def test_errors_are_nearly_normal() -> None:
    errors = Errors(2026)
    drawn = [errors.next() / 2**32 for _ in range(20_000)]
    assert abs(statistics.mean(drawn)) < 0.03 and abs(statistics.pstdev(drawn) - 1) < 0.03
    for bound, share in ((1, 0.683), (2, 0.954)):
        assert abs(sum(abs(error) < bound for error in drawn) / len(drawn) - share) < 0.015


@pytest.mark.parametrize("name", ["minishogi", "dice", "onitama", "shogi"])
def test_the_answer_is_the_line_with_the_highest_sum(name: str) -> None:
    variant, rng = find(name), random.Random(name)
    searcher = Searcher(hash_mb=4, variant=variant)
    for position in random_positions(name, 30, seed=4):
        noise, seed = rng.choice([30, 500, 100_000]), rng.randrange(WORD)
        limits = Limits(depth=2, dice=rng.randint(1, 6) if variant.die else None)
        infos: list[Info] = []
        searcher.new_game()
        options = SearchOptions(multipv=max(4, 1 + noise // 10), noise=noise, seed=seed)
        result = searcher.search(position, limits, options, infos.append)
        lines = {info.multipv: info for info in infos if info.depth == 2 and not info.bound}
        if not lines:  # there is no move, or every move loses at once
            continue
        errors = Errors(seed)
        sums = [number_of(lines[rank]) + (errors.next() * noise >> 32) for rank in sorted(lines)]
        chosen = lines[1 + sums.index(max(sums))]
        assert (result.best, result.score_kind, result.score) == (chosen.pv[0], chosen.score_kind, chosen.score)


def test_only_the_lines_that_were_asked_for_are_reported() -> None:
    infos: list[Info] = []
    (position,) = random_positions("minishogi", 1, seed=5)
    options = SearchOptions(multipv=2, noise=1000, seed=1)
    Searcher(hash_mb=4).search(position, Limits(depth=6), options, infos.append)
    assert {info.multipv for info in infos} == {1, 2}
