"""The rules that searches use, which differ in details from the rules of the game."""

from __future__ import annotations

from functools import cache

from kogoma.eval.weights import tuned
from kogoma.rules.structs import Struct, fields
from kogoma.rules.variants import CheckRule, Die, RepetitionResult, Variant

CAPTURE_DELAY = 2  # plies from mate to the capture of the king


@cache
def search_rules(variant: Variant, declaration: bool = True) -> Struct:
    """Return the rules struct for searches of the variant. If `declaration` is false, there are no wins by declaration.
    The struct is shared and must not be changed."""
    rules = tuned(variant, False)[0].copy()  # the same with a network
    if not variant.cards:
        if variant.king_capture and variant.die is Die.NONE:
            # A move that loses the king at once is never better than another, so searches leave such moves out.
            # Searches with a die keep them, because a roll may allow no other move.
            fields(rules)["king_capture"], fields(rules)["capture_delay"] = 0, CAPTURE_DELAY
        if variant.repetition_result is RepetitionResult.NONE and not variant.max_plies:
            # Without a repetition rule or a ply limit, the search treats repetitions as draws.
            fields(rules)["repetition_result"], fields(rules)["check_rule"] = RepetitionResult.DRAW, CheckRule.NONE
    if not declaration:
        fields(rules)["declaration"][:] = [0, 0]
    return rules
