"""Choose White's winning replies in Dobutsu for `kogoma/search/tablebase/dobutsu/replies.py`, and write their file. Run
it in the checkout:

    ./engine.sh solve dobutsu -o FOLDER
    .venv/bin/python -m benchmarks.make_replies FOLDER [--check]

It begins with the positions that are won in the most plies, and answers those of each number of plies with few replies:
it prefers a reply that is the best one in many positions, and after which Black can reach few new positions. With
`--check`, nothing is written: the command tells whether the file that exists is complete by the rules of the game, for
which it needs no tablebase (`-` instead of FOLDER).
"""

from __future__ import annotations

import argparse
import heapq
import math
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from kogoma.rules.position import Position
from kogoma.rules.variants import VARIANTS
from kogoma.search.tablebase.dobutsu import replies
from kogoma.search.tablebase.dobutsu.tables import LOSS, WINS_AT_ONCE
from kogoma.search.tablebase.dobutsu.values import Tablebase, open_tablebase, rules_mark

DOBUTSU = VARIANTS["dobutsu"]
FILE = Path(replies.__file__).with_name(replies.NAME.format(rules_mark(DOBUTSU)))


class Numbered(NamedTuple):
    """A position in which the game goes on: its number or WINS_AT_ONCE, and its SFEN."""

    number: int
    sfen: str


def after_moves(tablebase: Tablebase, sfen: str) -> list[Numbered]:
    """Return the positions after the moves of a position. A position that has ended is left out."""
    position, found = Position(DOBUTSU, sfen), []
    for move in position.legal_moves():
        position.push(move)
        if position.outcome() is None:
            number = tablebase.number(position)
            found.append(Numbered(WINS_AT_ONCE if number is None else number, _without_ply(position.sfen())))
        position.pop()
    return found


def _without_ply(sfen: str) -> str:
    return f"{sfen.rpartition(' ')[0]} 1"


class Chooser:
    """The choice of the replies."""

    def __init__(self, tablebase: Tablebase) -> None:
        self._tablebase = tablebase
        self.values = dict[int, int]()  # of the positions after the chosen replies, by number
        self._to_answer: defaultdict[int, dict[int, str]] = defaultdict(dict)  # by value: numbers and SFENs
        self._known = set[int]()  # numbers in `_to_answer`
        self._following = dict[int, list[Numbered]]()  # positions that have to be answered after a reply

    def choose(self) -> None:
        """Choose the replies to all moves from the start."""
        start = Position(DOBUTSU)
        number = self._tablebase.number(start)
        assert number is not None
        longest = int(self._tablebase.values[number])
        self._take(Numbered(number, _without_ply(start.sfen())), longest)
        for value in range(longest - 1, LOSS + 1, -2):
            self._answer(value)
            print(f"won in {value}: {len(self._known):,} positions, {len(self.values):,} after replies", flush=True)

    def _answer(self, value: int) -> None:
        """Choose replies in all positions that are won in `value` plies."""
        answered, sfens, open_ones = defaultdict[int, list[int]](list), dict[int, str](), set[int]()
        for number, sfen in self._to_answer[value].items():
            best = [one for one in after_moves(self._tablebase, sfen) if self._value(one.number) == value - 1]
            if not any(one.number in self.values for one in best):
                open_ones.add(number)
                for one in best:
                    answered[one.number].append(number)
                    sfens[one.number] = one.sfen
        heap = [(self._cost(Numbered(one, sfens[one]), len(answered[one])), one) for one in answered]
        heapq.heapify(heap)
        while open_ones:
            _, reply = heapq.heappop(heap)
            useful = open_ones.intersection(answered[reply])
            if not useful:
                continue
            cost = self._cost(Numbered(reply, sfens[reply]), len(useful))
            if heap and cost > heap[0][0]:  # others were chosen meanwhile, so that it is less useful now
                heapq.heappush(heap, (cost, reply))
                continue
            self._take(Numbered(reply, sfens[reply]), value - 1)
            open_ones -= useful
        for number in answered:
            self._following.pop(number, None)

    def _value(self, number: int) -> int | None:
        return int(self._tablebase.values[number]) if number >= 0 else None

    def _cost(self, reply: Numbered, useful: int) -> float:
        """Return how many new positions a reply leads to for each position that it answers."""
        return (1 + sum(one.number not in self._known for one in self._after(reply))) / useful

    def _after(self, reply: Numbered) -> list[Numbered]:
        if reply.number not in self._following:
            every = after_moves(self._tablebase, reply.sfen)
            self._following[reply.number] = [one for one in every if one.number >= 0]
        return self._following[reply.number]

    def _take(self, reply: Numbered, value: int) -> None:
        self.values[reply.number] = value
        for one in self._after(reply):
            if one.number not in self._known:
                self._known.add(one.number)
                self._to_answer[int(self._tablebase.values[one.number])][one.number] = one.sfen


def with_mirror_images(tablebase: Tablebase, values: dict[int, int]) -> dict[int, int]:
    """Return the values with those of the mirror images that have numbers of their own, because both lions are on the
    middle file."""
    found = dict(values)
    for number, value in values.items():
        board, rest = tablebase.sfen(number).split(" ", 1)
        ranks = ["".join(re.findall(r"\+?[A-Za-z]|\d", rank)[::-1]) for rank in board.split("/")]
        image = tablebase.number(Position(DOBUTSU, f"{'/'.join(ranks)} {rest}"))
        assert image is not None
        found[image] = value
    return found


def wins_at_once(position: Position) -> bool:
    """Return whether a move wins at once."""
    for move in position.legal_moves():
        position.push(move)
        outcome = position.outcome()
        position.pop()
        if outcome is not None and outcome.winner == position.turn:
            return True
    return False


def check(numbers: Tablebase, values: dict[int, int]) -> int:
    """Check by the rules of games that White wins from the start with the replies of a file, in at most the stated
    numbers of plies, and return how many of its positions occur. `numbers` only numbers positions. Raises
    AssertionError with a position that has no reply."""
    start = Position(DOBUTSU)
    waiting, reached = [start.sfen()], {numbers.number(start)}
    while waiting:
        sfen = waiting.pop()
        number = numbers.number(Position(DOBUTSU, sfen))
        assert number is not None
        position = Position(DOBUTSU, sfen)
        for move in position.legal_moves():
            position.push(move)
            outcome = position.outcome()
            assert outcome is None or outcome.winner == position.turn, position.sfen()
            if outcome is None and not wins_at_once(position):
                after = after_moves(numbers, position.sfen())
                fast = [one for one in after if values.get(one.number, math.inf) <= values[number] - 2]
                assert fast or any(is_lost_at_once(one.sfen) for one in after), f"no reply: {position.sfen()}"
                for one in fast[:1]:
                    if one.number not in reached:
                        reached.add(one.number)
                        waiting.append(one.sfen)
            position.pop()
    return len(reached)


def is_lost_at_once(sfen: str) -> bool:
    """Return whether the other side wins at once after every move of a position, or has won by it."""
    position, found = Position(DOBUTSU, sfen), True
    for move in position.legal_moves():
        position.push(move)
        outcome = position.outcome()
        found = found and (wins_at_once(position) if outcome is None else outcome.winner == position.turn)
        position.pop()
    return found


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder")
    words.add_argument("--check", action="store_true")
    given = words.parse_args()
    if given.check:
        import numpy as np

        values = replies.unpacked(replies.replies(DOBUTSU))
        reached = check(Tablebase(DOBUTSU, np.zeros(1, np.uint8)), values)
        print(f"{len(values):,} positions, of which {reached:,} occur: White wins by them in at most the stated plies")
        return 0
    tablebase = open_tablebase(given.folder, DOBUTSU)
    if tablebase is None:
        raise SystemExit(f"{given.folder} has no tablebase: ./engine.sh solve dobutsu -o {given.folder}")
    chooser = Chooser(tablebase)
    chooser.choose()
    values = with_mirror_images(tablebase, chooser.values)
    FILE.write_bytes(replies.packed(values))
    print(f"{FILE.name}: {len(values):,} positions, {FILE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
