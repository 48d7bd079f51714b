"""CodeAbbey's problem 469, Game of Generals, and its sequel: count moves, find the best one, play a game for a look."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from arena.codeabbey.notation import CLOSING, from_sfen, from_usi, to_sfen, to_usi
from arena.lines import clip
from arena.options import parse_options

if TYPE_CHECKING:
    from rules.position import BasePosition
    from search.searcher import Searcher

VARIANT = "generals"
HASH_MB = 64
OFFICERS = "GSCYXRVH"  # of which five stand beside the king
MOVETIME = ("--movetime", (1, 3_600_000))
PLAY_TIME, MATCH_TIME = 1000, 100  # ms a move
MATCH_PLIES = 300


class InputError(Exception):
    """Standard input can't be used; the message names the line."""


def parse_command(words: Sequence[str]) -> Callable[[], None]:
    """What the words after `codeabbey` ask for; ValueError says what can't be used."""
    name = words[0] if words else ""
    if name not in ("count", "play", "match"):
        raise ValueError("codeabbey needs a command: count, play or match")
    numbers = dict([] if name == "count" else [MOVETIME])
    if name == "match":
        numbers |= {"--seed": (0, 1 << 62), "--plies": (1, 10_000)}
    plain, found = parse_options(words[1:], numbers)
    if plain:
        raise ValueError(f"codeabbey {name} cannot use {clip(plain[0])}")
    if name == "count":
        return count
    if name == "play":
        return lambda: play(found.get("--movetime", PLAY_TIME))
    seed = found.get("--seed", random.randrange(1 << 32))
    return lambda: match(found.get("--movetime", MATCH_TIME), seed, found.get("--plies", MATCH_PLIES))


def count() -> None:
    """Print how many moves there are after each move on standard input."""
    counts: list[int] = []
    follow(_input_lines(), lambda position: counts.append(count_moves(position)), closed=True)
    print(*counts)


def play(movetime: int) -> None:
    """Print the best move after the moves on standard input, `movetime` ms later."""
    position = follow(_input_lines(), lambda position: None, closed=False)
    best = Player(movetime).move(position)
    if best is None:
        raise InputError("the game is over: there is no move to find")
    print(from_usi(best))


def match(movetime: int, seed: int, plies: int) -> None:
    """Print a game of the engine against itself from a random set-up, `movetime` ms a move, at most `plies` long."""
    from rules.position import Position

    set_up = random_set_up(random.Random(seed))
    position, player = Position(VARIANT, to_sfen(set_up)), Player(movetime)
    print(f"seed {seed}\n{set_up}\n{_diagram(position)}", flush=True)
    for ply in range(1, plies + 1):
        best = player.move(position)
        if best is None:
            break
        position.push(best)
        print(f"\n{ply}. {from_usi(best)}\n{_diagram(position)}", flush=True)
    outcome = position.outcome()
    if outcome is None:
        print(f"\nno result after {plies} plies")
    else:
        print(f"\n{'Black' if outcome.winner == 0 else 'White'} wins: {outcome.reason.replace('_', ' ')}")


def follow(lines: Iterable[str], after: Callable[[BasePosition], None], closed: bool) -> BasePosition:
    """Play the game in `lines`, a set-up and moves up to `0 0 0 0`, which must be there if `closed`; `after` is shown
    the position after every move."""
    from rules.position import Position

    position: BasePosition | None = None
    number = 0
    for number, line in enumerate(lines, 1):
        words = " ".join(line.split())
        if not words:
            continue
        try:
            if position is None:
                position = Position(VARIANT, to_sfen(words))
                continue
            if words == CLOSING:
                return position
            legal = position.legal_moves()
            if not legal and position.outcome() is not None:
                raise ValueError("the game is over")
            position.push(to_usi(words, legal))
        except ValueError as error:
            raise InputError(f"line {number}: {clip(words)}: {error}") from None
        after(position)
    if position is None:
        raise InputError(f"line {number + 1}: the set-up is missing")
    if closed:
        raise InputError(f"line {number + 1}: the input ends without {CLOSING}")
    return position


def count_moves(position: BasePosition) -> int:
    """How many moves the side to move has, also where it has lost its king: the problem goes on counting."""
    if position.outcome() is None:
        return len(position.legal_codes())
    twin = position.copy()
    twin.rules = position.rules.copy()
    twin.rules["sudden_end"] = 0
    return len(twin.legal_codes())


class Player:
    """The engine with a fixed time for every move."""

    def __init__(self, movetime: int) -> None:
        """`movetime` in ms. Loads the engine, which takes a minute where it has to be built first."""
        from rules.variants import find
        from search.library import warmup
        from search.searcher import Searcher

        variant = find(VARIANT)
        warmup(lambda text: print(f"codeabbey: {text}", file=sys.stderr, flush=True), variant)
        self._searcher: Searcher = Searcher(HASH_MB, variant=variant)
        self._movetime = movetime

    def move(self, position: BasePosition) -> str | None:
        """The best move in USI, or None if the game is over."""
        from search.limits import Limits

        return self._searcher.search(position, Limits(movetime=self._movetime)).best


def random_set_up(rng: random.Random) -> str:
    """Six different pieces in any order behind the pawns, the king among them; White's are Black's, turned round."""
    row = rng.sample(["K", *rng.sample(OFFICERS, 5)], 6)
    return f"{''.join(reversed(row)).lower()}/pppppp/6/6/PPPPPP/{''.join(row)} b"


def _input_lines() -> Iterable[str]:
    return (line.decode(errors="replace") for line in sys.stdin.buffer)


def _diagram(position: BasePosition) -> str:
    """The board as the problem draws it, `-` for an empty square, and its SFEN."""
    sfen = from_sfen(position.sfen())
    rows = re.sub("[0-9]", lambda empty: "-" * int(empty[0]), sfen.split()[0]).split("/")
    return "\n".join([*(" ".join(row) for row in rows), sfen])
