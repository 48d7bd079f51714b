"""`codeabbey`: count moves, find the best move, or play a game, for CodeAbbey's problem 469, Game of Generals."""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from kogoma.arena.codeabbey import record
from kogoma.arena.codeabbey.notation import from_sfen, from_usi, random_set_up, to_sfen
from kogoma.arena.codeabbey.record import InputError
from kogoma.console.arguments import whole_number
from kogoma.console.streams import say, tell

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition
    from kogoma.search.searcher import Searcher

VARIANT = "generals"
HASH_MB = 64
PLAY_TIME, MATCH_TIME = 1000, 100  # ms per move
MATCH_PLIES = 300


COMMANDS = {
    "count": "Count the moves after each move on standard input.",
    "play": "Find the best move after the moves on standard input.",
    "match": "Play a game of the engine against itself, from a random set-up.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the three subcommands, each with its options."""
    commands = parser.add_subparsers(dest="command", metavar="count|play|match", required=True)
    _, play, match = (commands.add_parser(name, help=text, description=text) for name, text in COMMANDS.items())
    for command, movetime in ((play, PLAY_TIME), (match, MATCH_TIME)):
        command.add_argument(
            "--movetime",
            type=whole_number(1, 3_600_000),
            default=movetime,
            metavar="MS",
            help="ms for each move (%(default)s)",
        )
    match.add_argument(
        "--seed", type=whole_number(0, 1 << 62), metavar="N", help="seed of the set-up (default: random)"
    )
    match.add_argument(
        "--plies", type=whole_number(1, 10_000), default=MATCH_PLIES, metavar="N", help="most plies (%(default)s)"
    )


def run(given: argparse.Namespace) -> int:
    """Run the command and return the exit status: 0, or 2 if the input is not valid."""
    try:
        if given.command == "count":
            count()
        elif given.command == "play":
            play(given.movetime)
        else:
            match(given.movetime, random.randrange(1 << 32) if given.seed is None else given.seed, given.plies)
    except InputError as error:
        tell(f"codeabbey: {error}")
        return 2
    return 0


def count() -> None:
    """Read a game from standard input, and print the number of legal moves after each of its moves."""
    counts: list[int] = []
    follow(record.input_lines(), lambda position: counts.append(count_moves(position)), closed=True)
    say(" ".join(map(str, counts)))


def play(movetime: int) -> None:
    """Read moves from standard input, search for `movetime` ms in the position after them, and print the best move."""
    position = follow(record.input_lines(), lambda position: None, closed=False)
    best = Player(movetime).move(position)
    if best is None:
        raise InputError(record.NO_MOVE)
    say(from_usi(best))


def match(movetime: int, seed: int, plies: int) -> None:
    """Print a self-play game of at most `plies` plies from a random set-up, with `movetime` ms per move."""
    from kogoma.rules.position import Position

    set_up = random_set_up(random.Random(seed))
    position, player = Position(VARIANT, to_sfen(set_up)), Player(movetime)
    say(f"seed {seed}\n{set_up}\n{_diagram(position)}")
    for ply in range(1, plies + 1):
        best = player.move(position)
        if best is None:
            break
        position.push(best)
        say(f"\n{ply}. {from_usi(best)}\n{_diagram(position)}")
    outcome = position.outcome()
    if outcome is None:
        say(f"\nno result after {plies} plies")
    else:
        say(f"\n{'Black' if outcome.winner == 0 else 'White'} wins: {outcome.reason.replace('_', ' ')}")


def follow(lines: Iterable[str], after: Callable[[BasePosition], None], closed: bool) -> BasePosition:
    """Play the moves in `lines` with the engine's rules (`arena.codeabbey.record.follow`), and return the last
    position. `after` is called with the position after every move."""
    from kogoma.rules.position import Position

    return record.follow(lines, lambda sfen: Position(VARIANT, sfen), after, closed)


def count_moves(position: BasePosition) -> int:
    """Return the number of legal moves. As the CodeAbbey problem requires, moves are counted even after the game has
    ended by the capture of a king."""
    if position.outcome() is None:
        return len(position.legal_codes())
    from kogoma.rules.library import rules_library
    from kogoma.rules.rules_struct import layout_of
    from kogoma.rules.structs import move_list

    without_end = position.rules.copy()
    without_end["sudden_end"] = 0
    return rules_library(layout_of(position.variant))("legal_moves", without_end, position.struct, move_list(), 0)


class Player:
    """A player that uses the engine with a fixed time per move."""

    def __init__(self, movetime: int) -> None:
        """Load the engine, and compile it (about a minute) if necessary. `movetime` is in ms."""
        from kogoma.rules.variants import find
        from kogoma.search.library import warmup
        from kogoma.search.searcher import Searcher

        variant = find(VARIANT)
        warmup(lambda text: tell(f"codeabbey: {text}"), variant)
        self._searcher: Searcher = Searcher(HASH_MB, variant=variant)
        self._movetime = movetime

    def move(self, position: BasePosition) -> str | None:
        """Return the best move in USI notation, or None if the game is over."""
        from kogoma.search.limits import Limits

        return self._searcher.search(position, Limits(movetime=self._movetime)).best


def _diagram(position: BasePosition) -> str:
    """Return the board as text, one line per row with `-` for empty squares, followed by the position's SFEN in
    CodeAbbey's notation."""
    sfen = from_sfen(position.sfen())
    rows = re.sub("[0-9]", lambda empty: "-" * int(empty[0]), sfen.split()[0]).split("/")
    return "\n".join([*(" ".join(row) for row in rows), sfen])
