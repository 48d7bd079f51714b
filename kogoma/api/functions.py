"""Functions for scripts and notebooks that need one call each."""

from __future__ import annotations

from collections.abc import Callable

from kogoma.api.engine import MOST, Engine, check_number, check_option
from kogoma.api.position import Position, as_game
from kogoma.rules.base_position import BasePosition
from kogoma.rules.variants import DEFAULT
from kogoma.search.limits import Limits
from kogoma.search.mate.solver import MateAnswer, MateLimits, MateSolver
from kogoma.search.searcher import Info, Result
from kogoma.search.table_memory import Table


def legal_moves(position: Position | BasePosition | str = "startpos", variant: str = DEFAULT.name) -> list[str]:
    """Return the legal moves of a `Position`, an SFEN or "startpos", in USI notation.

    `variant` is the variant of "startpos", and of an SFEN whose board several variants share. Raises ValueError for an
    invalid SFEN or an unknown variant.

    >>> len(legal_moves("4k/5/5/5/K4 b G 1"))
    26
    """
    return as_game(position, variant).legal_moves()


def find_mate(
    position: Position | BasePosition | str,
    *,
    milliseconds: int | None = None,
    nodes: int | None = None,
    shortest: bool = False,
    hash_mb: int = 16,
    variant: str = DEFAULT.name,
) -> MateAnswer:
    """Return whether the side to move has a forced mate, by checks only, or by any moves if kings or masters are
    captured.

    The answer's `verdict` is "mate", "nomate", or "timeout" if a limit was reached; without limits the search may never
    end. A mate has `moves`, against the longest defence, and `plies`, within which it mates against any defence; with
    `shortest`, no mate is shorter. Raises ValueError for an invalid position or limit, and for variants with a die.

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
    limits = MateLimits(milliseconds, nodes, shortest)
    return MateSolver(Table(hash_mb)).solve(as_game(position, variant), limits)


def find_move(
    position: Position | BasePosition | str = "startpos",
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
    """Return the best move of a `Position`, an SFEN or "startpos", within the first limit that is reached.

    `depth` is in plies, `movetime` in ms; at least one limit is needed. `dice` is the roll, 1 to 6, in a variant with a
    die; without it the score is the value before the roll. `report` is called with every finished depth. The result has
    `best` (None if there is no legal move), `ponder`, and `score` for the side to move: centipawns, or plies to mate if
    `score_kind` is "mate". Raises ValueError for an invalid position or limit.

    A gold in front of the king, guarded by the pawn, mates at once:

    >>> result = find_move("4k/5/4P/5/K4 b G 1", depth=3)
    >>> result.best, result.score_kind, result.score
    ('G*1b', 'mate', 1)
    """
    limits = Limits(depth=depth, nodes=nodes, movetime=movetime, searchmoves=searchmoves, dice=dice)
    if depth is None and nodes is None and movetime is None:
        raise ValueError("find_move needs a limit: depth, nodes or movetime")
    engine = Engine(hash_mb=hash_mb, threads=threads)
    with engine, engine.analyse(as_game(position, variant), limits, multipv=multipv) as analysis:
        for info in analysis:
            if report is not None:
                report(info)
        return analysis.result()
