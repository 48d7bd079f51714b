"""Random start positions of games that have no usual one."""

from __future__ import annotations

import random

from kogoma.arena.codeabbey.notation import random_set_up, to_sfen
from kogoma.rules.onitama_cards import CARDS, IN_PLAY
from kogoma.rules.variants import Variant


def random_start(variant: Variant, rng: random.Random) -> str:
    """Return a start position as SFEN. It is the variant's usual one, but with random cards in Onitama and with random
    set-ups in generals."""
    if variant.cards:
        one, two, three, four, between = rng.sample(range(len(CARDS)), IN_PLAY)
        hands = (",".join(map(str, sorted(hand))) for hand in ((one, two), (three, four)))
        board, turn, _ = variant.start.split(" ", 2)
        return f"{board} {turn} {'/'.join(hands)}/{between} 1"
    return to_sfen(random_set_up(rng)) if variant.name == "generals" else variant.start
