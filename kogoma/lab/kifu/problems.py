"""The positions of problem files: lines of SFENs, or game records in any format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from kogoma.lab.kifu.formats import lines_of, read_games
from kogoma.lab.kifu.game import GameError
from kogoma.lab.kifu.usi_lines import read_line
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant


def read_problems(source: BinaryIO, form: str, preferred: Variant) -> Iterator[BasePosition | GameError]:
    """Yield the position of each problem in a stream, or an error that names the line. `preferred` is the variant of a
    problem that fits several. Problems after one with an error are still read. Raises GameError for a stream of game
    records that contains none."""
    if form not in ("sfen", "usi"):
        is_record = False
        try:
            for game in read_games(source, form, preferred):
                is_record = True
                yield game.trouble or new_position(game.variant, game.start)
        except GameError as error:
            if not is_record:
                raise
            yield error
        return
    try:
        for number, line in enumerate(lines_of(source, form), 1):
            try:
                problem = read_problem(line, preferred, number)
            except GameError as error:
                yield error
            else:
                if problem is not None:
                    yield problem
    except GameError as error:  # the next line is no text
        yield error


def read_problem(line: str, preferred: Variant, number: int | None = None) -> BasePosition | None:
    """Return the position of a problem that is written as a line, or None if the line is blank or has only a remark.

    The moves of the line lead to this position. If the line has the end of the game, too, its moves are the solution,
    as in other game records, and the position is the one before them. `number` is the number of the line, if it is one
    of a file. Raises GameError for an invalid line.
    """
    game = read_line(line, preferred, number)
    if game is None:
        return None
    if game.trouble:
        raise game.trouble
    position = new_position(game.variant, game.start)
    for usi in [] if game.outcome else game.moves:
        position.push(usi)
    return position
