"""Limited strength: the answer is the line with the highest score after a random error is added to each score."""

from __future__ import annotations

import numpy as np

from kogoma.native.kernel import kernel
from kogoma.native.types import Int, IntArray
from kogoma.search.types import Control

MAX_SCORE = 3000  # centipawns; larger scores and mates count as this
MIN_LINES = 4  # so that games differ at every level
TERMS = 12  # uniform numbers in an error: their sum is almost normally distributed, with a variance of 1


@kernel
def lines_to_search(control: Control) -> Int:
    """Return the number of lines to search: those to report, and more if there will be random errors."""
    if control.noise == 0:
        return control.multipv
    return max(control.multipv, np.int64(MIN_LINES), 1 + control.noise // 10)


@kernel
def random_error(control: Control) -> Int:
    """Return a random number of centipawns with mean 0 and standard deviation `noise`. The uniform numbers have 32 bits
    and come from SplitMix64 (Steele, Lea and Flood 2014)."""
    total = np.uint64(0)
    for _ in range(TERMS):
        control.random = control.random + np.uint64(0x9E3779B97F4A7C15)
        word = control.random
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        total += (word ^ (word >> np.uint64(31))) >> np.uint64(32)
    return (np.int64(total) - (TERMS << 31)) * control.noise >> 32


@kernel
def choose_line(control: Control, scores: IntArray, count: Int) -> Int:
    """Return the index of the line to answer with: 0, the best line, at full strength. Otherwise it is that of the
    highest sum of score and random error among the first `count` scores."""
    chosen = np.int64(0)
    if control.noise == 0:
        return chosen
    highest = np.int64(0)
    for i in range(count):
        score = min(max(np.int64(scores[i]), np.int64(-MAX_SCORE)), np.int64(MAX_SCORE)) + random_error(control)
        if i == 0 or score > highest:
            chosen = np.int64(i)
            highest = score
    return chosen
