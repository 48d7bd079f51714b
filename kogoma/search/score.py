"""The score of a search as users see it."""

from __future__ import annotations

from kogoma.search.thread import MATE, MATE_BOUND


def score_and_kind(score: int) -> tuple[str, int]:
    """Return a search score as ("cp", centipawns), or as ("mate", plies) if it is a mate. The plies are negative if the
    side to move is mated."""
    if abs(score) > MATE_BOUND:
        plies = MATE - abs(score)
        return "mate", plies if score > 0 else -plies
    return "cp", score
