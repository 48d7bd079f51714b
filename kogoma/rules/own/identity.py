"""What tells one state of a game of one's own from another."""

from __future__ import annotations

import hashlib

from kogoma.rules.own.writer import write_game
from kogoma.rules.variants import BUILT_IN, Variant

GAME_FILE = "game_file"
DIGITS = 16  # hexadecimal ones


def identity(variant: Variant) -> dict[str, str]:
    """What work that can go on later keeps of its game, to notice that the file has changed: under GAME_FILE a digest
    of all that the file says, but for comments. Nothing for a game that comes with the engine."""
    if variant.name in BUILT_IN:
        return {}
    return {GAME_FILE: hashlib.sha256(write_game(variant).encode()).hexdigest()[:DIGITS]}
