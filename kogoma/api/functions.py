"""Functions of one call each, for scripts and notebooks."""

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
    """The legal moves, as USI writes them, of a `Position`, an SFEN or "startpos".

    `variant` names the game for "startpos", and for an SFEN whose board several games share. ValueError, which says
    what is wrong, for a bad SFEN or an unknown game.

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
    """Whether the side to move mates with checks alone, or, where a king or master is captured, wins by force.

    The answer's `verdict` is "mate", "nomate", or "timeout" where a limit was reached; without limits it may take for
    ever. A mate has its `moves`, against the longest defence, and `plies`: it is no longer whatever is played, and
    with `shortest` proven to be the shortest. ValueError for a bad position or limit, and for games with a die.

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
    """The best move of a `Position`, an SFEN or "startpos", within the first of these limits that is reached.

    `depth` is in plies, `movetime` in ms; at least one limit is needed. `dice` is the throw, 1 to 6, in a game with a
    die; without it the score is the value before the throw. `report` is called with every finished depth.
    The result holds `best` (None when there is no legal move), `ponder`, and the score from the side to move: `score`
    centipawns, or plies to mate where `score_kind` is "mate". ValueError for a bad position or limit.

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
