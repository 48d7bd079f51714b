"""The set-ups from which games of the Game of Generals begin, drawn by lot."""

from __future__ import annotations

import random

OFFICERS = "GSCYXRVH"  # of which five stand beside the king


def random_set_up(rng: random.Random) -> str:
    """Six different pieces in any order behind the pawns, the king among them, as the problem writes a position.
    White's pieces are Black's, turned round."""
    row = rng.sample(["K", *rng.sample(OFFICERS, 5)], 6)
    return f"{''.join(reversed(row)).lower()}/pppppp/6/6/PPPPPP/{''.join(row)} b"
