"""The functions behind `import usi_engine`: one call each, for scripts and notebooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rules.variants import DEFAULT, VARIANTS, Variant, find, infer
from search.limits import Limits, SearchOptions

if TYPE_CHECKING:
    from rules.position import BasePosition
    from search.searcher import Info, Result


def variants() -> dict[str, Variant]:
    """Every game that can be played, by name.

    >>> variants()["minishogi"].start
    'rbsgk/4p/5/P4/KGSBR b - 1'
    """
    return dict(VARIANTS)


def legal_moves(position: BasePosition | str = "startpos", variant: str = DEFAULT.name) -> list[str]:
    """The legal moves, as USI writes them, of a `Position`, an SFEN or "startpos".

    `variant` names the game for "startpos", and for an SFEN whose board several games share. ValueError, which says
    what is wrong, for a bad SFEN or an unknown game.

    >>> len(legal_moves("4k/5/5/5/K4 b G 1"))
    26
    """
    return _as_position(position, variant).legal_moves()


def search(
    position: BasePosition | str = "startpos",
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

    >>> result = search("4k/5/4P/5/K4 b G 1", depth=3)
    >>> result.best, result.score_kind, result.score
    ('G*1b', 'mate', 1)
    """
    limits = Limits(depth=depth, nodes=nodes, movetime=movetime, searchmoves=tuple(searchmoves), dice=dice)
    if depth is None and nodes is None and movetime is None:
        raise ValueError("search needs a limit: depth, nodes or movetime")
    for name, value in (("depth", depth), ("nodes", nodes), ("movetime", movetime)):
        if value is not None and value < 1:
            raise ValueError(f"{name} must be at least 1, not {value}")
    start = _as_position(position, variant)
    from search.searcher import Searcher

    return Searcher(hash_mb, threads, start.variant).search(start, limits, SearchOptions(multipv=multipv), report)


def _as_position(position: BasePosition | str, variant: str) -> BasePosition:
    from rules.position import BasePosition, new_position

    if isinstance(position, BasePosition):
        return position
    if position == "startpos":
        return new_position(find(variant))
    return new_position(infer(position, find(variant)), position)
