"""The bench: fixed positions searched to a fixed depth. Its node count changes with every functional change."""

from __future__ import annotations

import time
from collections.abc import Callable

from kogoma.rules.position import new_position
from kogoma.rules.variants import find
from kogoma.search.library import warmup
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher

SIGNATURE = "minishogi"  # the variant whose node count commit messages state
DEPTH = 14
NODES = 416_818  # of SIGNATURE at DEPTH, which the command `info` compares; change it with the search
DEPTHS = {"shogi": 10}  # for variants in which DEPTH takes too long
DICE_DEPTH = 7  # depth for variants with a die

POSITIONS: dict[str, tuple[str, ...]] = {
    "minishogi": (
        "rbsgk/4p/5/P4/KGSBR b - 1",
        "1r2k/1r2g/B1s2/PS3/KG1B1 b p 13",
        "1r2k/2sgp/5/PGB2/K1S1R b b 11",
        "r2k1/1sbgp/5/PGBS1/1KR2 b - 19",
        "r3k/1sbg1/5/PG1Sp/KR1B1 w - 34",
        "2r1k/Bsbg1/5/PG1Sp/K2R1 b - 43",
        "r1s1g/3kp/1B1b1/PK3/1GS1R b - 9",
    ),
    "shogi": (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "ln1g4l/3r2k2/1s2spnp1/pp1pg1p1p/1PP2b3/P1BS2SPP/2NPP1P2/1G3R3/L2K2GNL b 3p 61",
    ),
}
"""The positions by variant. Other variants use their start position."""


def bench(
    variant: str = SIGNATURE, depth: int | None = None, report: Callable[[str], None] | None = None
) -> tuple[int, float]:
    """Search the bench positions of a variant, and return the total number of nodes and of seconds. Each position is
    searched by one thread with an empty table of 16 MB."""
    found = find(variant)
    depth = depth or DEPTHS.get(found.name, DICE_DEPTH if found.die else DEPTH)
    warmup(report or (lambda text: None), found)
    searcher = Searcher(hash_mb=16, threads=1, variant=found)
    nodes, seconds = 0, 0.0
    for sfen in POSITIONS.get(found.name, (found.start,)):
        position = new_position(found, sfen)
        searcher.new_game()
        started = time.perf_counter()
        result = searcher.search(position, Limits(depth=depth))
        seconds += time.perf_counter() - started
        nodes += result.nodes
        if report is not None:
            report(f"{found.name} {sfen}: {result.best} {result.score_kind} {result.score} nodes {result.nodes}")
    return nodes, seconds
