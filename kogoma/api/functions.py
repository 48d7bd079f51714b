"""Convenience functions for scripts and notebooks: one call without an engine object."""

from __future__ import annotations

from collections.abc import Callable

from kogoma.api.checks import MOST, check_number, check_option
from kogoma.api.engine import Engine
from kogoma.api.position import Position, as_position, game_of
from kogoma.api.results import Info, Result
from kogoma.rules.variants import DEFAULT
from kogoma.search.limits import Limits
from kogoma.search.mate.solver import MateAnswer, MateLimits, MateSolver
from kogoma.search.table_memory import Table


def legal_moves(position: Position | str = "startpos", variant: str = DEFAULT.name) -> list[str]:
    """Return the legal moves of a `Position`, an SFEN or "startpos", in USI notation.

    `variant` is the variant of "startpos". An SFEN belongs to `variant` if its board size and pieces fit, otherwise to
    the first variant that they fit. Raises ValueError for an invalid SFEN or an unknown variant.

    >>> len(legal_moves("4k/5/5/5/K4 b G 1"))
    26
    """
    return as_position(position, variant).legal_moves()


def find_mate(
    position: Position | str,
    *,
    milliseconds: int | None = None,
    nodes: int | None = None,
    shortest: bool = False,
    hash_mb: int = 16,
    variant: str = DEFAULT.name,
) -> MateAnswer:
    """Search for a forced mate by the side to move and return the answer. Every attacking move must give check, except
    in variants in which the king or master is captured.

    The answer's `verdict` is "mate", "nomate", or "timeout" if a limit was reached; without limits the search may never
    end. For a mate, `moves` is the solution against the longest defence, and `plies` is the number of plies that
    suffices against any defence. With `shortest`, the mate found is proved to be the shortest. Raises ValueError for an
    invalid position or limit, and for variants with a die.

    >>> answer = find_mate("4k/5/4P/5/K4 b G 1")
    >>> answer.verdict, answer.moves, answer.plies
    ('mate', ['G*1b'], 1)
    >>> find_mate("4k/5/5/4P/K4 b G 1").verdict
    'nomate'
    """
    for name, value in (("milliseconds", milliseconds), ("nodes", nodes)):
        if value is not None:
            check_number(name, value, 1, MOST)
    check_option("USI_Hash", "hash_mb", hash_mb)
    limits = MateLimits(milliseconds, nodes, shortest, short_first=True)
    return MateSolver(Table(hash_mb)).solve(game_of(as_position(position, variant)), limits)


def find_move(
    position: Position | str = "startpos",
    *,
    depth: int | None = None,
    nodes: int | None = None,
    movetime: int | None = None,
    searchmoves: tuple[str, ...] = (),
    multipv: int = 1,
    threads: int = 1,
    hash_mb: int = 16,
    variant: str = DEFAULT.name,
    dice: int | None = None,
    report: Callable[[Info], None] | None = None,
) -> Result:
    """Search a `Position`, an SFEN or "startpos" until the first limit is reached, and return the result.

    `depth` is in plies, `movetime` in ms; at least one limit is needed. `dice` is the roll, 1 to 6, in a variant with a
    die; without it the score is the value before the roll. `report` is called with an `Info` for each of the `multipv`
    best lines at every depth. The result has `best` (None if there is no legal move), `ponder`, and `score` for the
    side to move. Raises ValueError for an invalid position or limit, TypeError for an argument of a wrong type.

    A gold in front of the king, guarded by the pawn, mates at once:

    >>> result = find_move("4k/5/4P/5/K4 b G 1", depth=3)
    >>> result.best, result.score.mate
    ('G*1b', 1)
    """
    limits = Limits(depth=depth, nodes=nodes, movetime=movetime, searchmoves=searchmoves, dice=dice)
    if depth is None and nodes is None and movetime is None:
        raise ValueError("find_move needs a limit: depth, nodes or movetime")
    engine = Engine(hash_mb=hash_mb, threads=threads)
    with engine, engine.analyse(as_position(position, variant), limits, multipv=multipv) as analysis:
        for info in analysis:
            if report is not None:
                report(info)
        return analysis.result()
