"""The squares that pieces reach on a variant's board."""

from __future__ import annotations

from kogoma.rules.layout import RAYS
from kogoma.rules.variants import Piece, Variant, Vector

RAY_BUNDLES = 2  # maximum number of ray bundles of a piece


def walk(variant: Variant, square: int, side: int, vector: Vector, limit: int) -> list[int]:
    """Return at most `limit` squares from `square` in the direction of `vector`, nearest first. The direction is as
    `side` sees the board."""
    sign = 1 if side == 0 else -1
    row, column = divmod(square, variant.files)
    met: list[int] = []
    while len(met) < limit:
        column += sign * vector[0]
        row -= sign * vector[1]
        if not (0 <= column < variant.files and 0 <= row < variant.ranks):
            break
        met.append(row * variant.files + column)
    return met


def reach(variant: Variant, piece: Piece, chance: float) -> list[float]:
    """Return, for each square, the number of squares that Black's piece attacks from it. On a ray, each square counts
    `chance` times as much as the square before it."""
    found = []
    for square in range(variant.squares):
        steps = sum(len(walk(variant, square, 0, vector, 1)) for vector in piece.steps)
        walks = [len(walk(variant, square, 0, vector, limit)) for vector, limit in piece.rays]
        found.append(steps + sum(chance**distance for way in walks for distance in range(way)))
    return found


def dead_ends(variant: Variant, piece: Piece, side: int) -> list[int]:
    """Return the squares from which a side's piece has no move on an empty board."""
    squares, first = range(variant.squares), piece.directions
    return [square for square in squares if not any(walk(variant, square, side, vector, 1) for vector in first)]


def zone(variant: Variant, side: int) -> int:
    """Return a side's promotion zone as a bitboard."""
    bits = (1 << variant.zone * variant.files) - 1
    return bits if side == 0 else bits << (variant.ranks - variant.zone) * variant.files


def home(variant: Variant, side: int) -> list[int]:
    """Return the squares on which a side places its pieces in the placement phase."""
    first, count = variant.squares, variant.placement_ranks * variant.files
    return list(range(first - count, first) if side == 0 else range(count))


def ray_bundles(rays: tuple[tuple[Vector, int], ...]) -> list[dict[int, tuple[Vector, int]]]:
    """Distribute rays over as many bundles as they need, and return each bundle as a map from slot to ray. The first
    half of a bundle's slots is for rays that lead Black's pieces to squares with higher numbers."""
    falling = [ray for ray in rays if (ray[0][1], -ray[0][0]) > (0, 0)]
    rising = [ray for ray in rays if ray not in falling]
    half = RAYS // 2
    return [
        dict(enumerate(rising[first : first + half])) | dict(enumerate(falling[first : first + half], half))
        for first in range(0, max(len(rising), len(falling), 1), half)
    ]
