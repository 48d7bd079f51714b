"""The scores of all first moves of a variant."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from benchmarks.searched_positions import SearchedPositions
from kogoma.rules.variants import Variant
from kogoma.search.limits import Limits

HASH = 64  # MB


def first_moves(folder: Path, variant: Variant, nodes: int) -> dict[str, Any]:
    """Search the position after each first move with a number of nodes. Return the moves, the best first, each with
    its score and the depth of its search. A score is what `go` would show for the move: `["cp", centipawns]` or
    `["mate", plies]`, positive if the side that plays the move is better."""
    searched = SearchedPositions(folder / f"{variant.name}-first-{nodes}.jsonl", variant, Limits(nodes=nodes), HASH)
    found = [(move, searched.search((move,))) for move in searched.after(()).legal_moves()]
    moves = [
        {"move": move, "score": _before(one["kind"], one["score"]), "depth": one["depth"] + 1} for move, one in found
    ]
    return {"nodes": nodes, "moves": sorted(moves, key=lambda one: (-_rank(*one["score"]), one["move"]))}


def _before(kind: str, score: int) -> tuple[str, int]:
    """Return a score before the move that led to the position with this score, which a mate is one ply further from."""
    return kind, score + (kind == "mate") * (1 if score > 0 else -1)


def _rank(kind: str, score: int) -> float:
    """Return a number by which scores are compared."""
    return score if kind == "cp" else math.copysign(1e6, score) - score
