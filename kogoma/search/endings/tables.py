"""The numbers of Onitama's endings: a position with few men as the side to move sees it, the distribution of the five
cards, and the struct with the tables for both.

A distribution is which two cards the side to move holds, and which two the other side; the fifth is in the centre. The
entries of a distribution are consecutive. A board consists of the masters' squares and of the students' squares.
Students count the squares that the masters leave, first those of the side to move, then those of the other side among
the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np

from kogoma.rules.layout import CARDS
from kogoma.rules.onitama_cards import HELD, IN_PLAY
from kogoma.rules.rules_struct import rules_struct
from kogoma.rules.variants import ONITAMA

LAYOUT = "onitama"
SQUARES = 25
GOAL = 2  # the square that the master of the side to move must reach, as this side sees the board
LEAST_MEN, MOST_MEN = 2, 5  # masters and students of both sides; the masters are always there
STUDENTS = MOST_MEN - LEAST_MEN
FREE = SQUARES - LEAST_MEN  # squares that the masters leave
HAND_SETS = 1 << IN_PLAY
DISTRIBUTIONS = 30
ALIGNMENT = 8  # bytes
THEIRS = 32  # position of the second set of students in a word

# The byte of an entry. Until it is decided, it is OPEN minus the number of moves that are not known to lose.
WIN = 1  # the side to move wins at once
LONGEST = 222  # the largest number of plies; a position has at most 32 moves, so that larger numbers are counts
OPEN = 255

DRAW = 0  # what a look-up returns for drawn positions
UNKNOWN = -1  # what it returns for a position that has no entry
STOPPED = -2

Endings: TypeAlias = Annotated[Any, "struct"]
"""The struct of `endings_dtype`."""


def endings_dtype(layout: str) -> np.dtype[np.void]:
    """Return the dtype of the struct with the tables of five cards, and with the addresses of the entries. Cards have
    numbers from 0 to 4 here, in ascending order of their usual ones."""
    sets = (STUDENTS + 1, STUDENTS + 1)
    return np.dtype(
        [
            ("forward", np.int64, (IN_PLAY, SQUARES)),  # bit set of squares to which the side that sees the board steps
            ("backward", np.int64, (IN_PLAY, SQUARES)),  # of those to which the other side steps: the same, reversed
            ("hand", np.int64, (DISTRIBUTIONS, HELD)),  # cards of the side to move
            ("other", np.int64, (DISTRIBUTIONS, HELD)),  # of the other side
            ("centre", np.int64, (DISTRIBUTIONS,)),
            ("before", np.int64, (DISTRIBUTIONS, HELD)),  # the one before a move that took `other`
            ("distribution", np.int64, (HAND_SETS, IN_PLAY)),  # bit set of the hand, card in the centre -> number
            ("card", np.int64, (CARDS,)),  # usual number of a card -> number here, or UNKNOWN
            ("master", np.uint64),  # the type of masters
            ("pair", np.int64, (SQUARES, SQUARES)),  # the masters' squares -> number of the pair, or UNKNOWN
            ("masters", np.int64, (SQUARES * SQUARES, 2)),  # the reverse, as the other side sees it: its own first
            ("choose", np.int64, (STUDENTS + 1, FREE + 1)),  # sets of so many of so many
            ("first", np.int64, sets),  # number of the first state, by numbers of students
            ("men", np.int64),  # most men
            ("states", np.int64),  # of the students
            ("boards", np.int64),
            ("stride", np.int64),  # bytes of a distribution
            ("longest", np.int64),  # most plies to compute: LONGEST, or less in tests
            ("stopped", np.int64),  # 1: end the computation
            ("undecided", np.int64),  # what entries without a value mean: DRAW or UNKNOWN; STOPPED: not computed yet
            ("students", np.uint64),  # address of the states, as the other side sees them: two bit sets in a word each
            ("values", np.uint64),  # address of the entries, one byte each
        ]
    )


class Tables(NamedTuple):
    """The struct, and the arrays whose addresses it contains."""

    struct: Any
    students: Any
    values: Any


def new_tables(cards: Sequence[int], men: int) -> Tables:
    """Return the tables of five cards for positions with at most `men` men, with undefined entries. Raises
    MemoryError."""
    struct = np.zeros(1, endings_dtype(LAYOUT))
    table, rules = struct[0], rules_struct(ONITAMA)[0]
    cards = sorted(cards)
    table["forward"], table["backward"] = rules["steps"][0, cards], rules["steps"][1, cards]
    table["card"] = UNKNOWN
    table["card"][cards] = range(IN_PLAY)
    table["master"] = rules["king"]
    _number_cards(table)
    _number_masters(table)
    students = _number_students(table, men)
    table["men"], table["states"], table["longest"], table["undecided"] = men, len(students), LONGEST, STOPPED
    table["boards"] = np.count_nonzero(table["pair"] != UNKNOWN) * len(students)
    table["stride"] = (table["boards"] + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    values = np.empty(DISTRIBUTIONS * int(table["stride"]), np.uint8)
    table["students"], table["values"] = students.ctypes.data, values.ctypes.data
    return Tables(struct, students, values)


def _number_cards(table: Any) -> None:
    """Number the distributions of the cards."""
    every = set(range(IN_PLAY))
    found = [(one, two) for one in combinations(every, HELD) for two in combinations(every - {*one}, HELD)]
    numbers = {pairs: number for number, pairs in enumerate(found)}
    for number, (hand, other) in enumerate(found):
        (centre,) = every - {*hand, *other}
        table["hand"][number], table["other"][number], table["centre"][number] = hand, other, centre
        table["distribution"][sum(1 << card for card in hand), centre] = number
        for index, taken in enumerate(other):
            before = tuple(sorted({*other, centre} - {taken}))
            table["before"][number, index] = numbers[before, hand]


def _number_masters(table: Any) -> None:
    """Number the pairs of masters' squares. A master on its goal has won."""
    table["pair"] = UNKNOWN
    count, last = 0, SQUARES - 1
    for own in range(SQUARES):
        for other in range(SQUARES):
            if own not in (other, GOAL) and other != last - GOAL:
                table["pair"][own, other] = count
                table["masters"][count] = last - other, last - own
                count += 1


def _number_students(table: Any, men: int) -> Any:
    """Number the states of the students, and return them: as the other side sees them, with its own in the low bits."""
    for count in range(STUDENTS + 1):
        table["choose"][count] = [comb(squares, count) for squares in range(FREE + 1)]
    students = men - LEAST_MEN
    words: list[int] = []
    for count in range(students + 1):
        for theirs in range(count + 1):
            table["first"][count - theirs, theirs] = len(words)
            for own in _sets(range(FREE), count - theirs):
                free = [square for square in range(FREE) if square not in own]
                for other in _sets(free, theirs):
                    words.append(_turned(other) | _turned(own) << THEIRS)
    return np.array(words, np.uint64)


def _sets(squares: Sequence[int], count: int) -> list[tuple[int, ...]]:
    """Return the sets of `count` squares, in the order of their numbers (`index.rank`)."""
    return sorted(combinations(squares, count), key=lambda found: found[::-1])


def _turned(squares: Sequence[int]) -> int:
    """Return the bit set of squares, among those that the masters leave, as the other side sees them."""
    return sum(1 << FREE - 1 - square for square in squares)
