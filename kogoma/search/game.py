"""The struct `game` of searches, whose rules differ in details from those of the variant."""

from __future__ import annotations

from functools import cache

from kogoma.eval.game import default_game
from kogoma.rules.structs import Struct, fields
from kogoma.rules.variants import CheckRule, Die, RepetitionResult, Variant

CAPTURE_DELAY = 2  # plies from mate to the capture of the king


def may_last_for_ever(variant: Variant) -> bool:
    """Return whether the variant has neither a repetition rule nor a limit on the length of a game."""
    return variant.repetition_result is RepetitionResult.NONE and not variant.max_plies


@cache
def search_game(variant: Variant, network: bool = True, declaration: bool = True) -> Struct:
    """Return the struct `game` for searches of the variant. If `network` is false, its weights are those of the
    handcrafted terms only. If `declaration` is false, there are no wins by declaration. The struct is shared and must
    not be changed."""
    game = default_game(variant, network).copy()
    rules = fields(game)["rules"]
    if not variant.cards:
        if variant.king_capture and variant.die is Die.NONE:
            # A move that loses the king at once is never better than another, so searches leave such moves out.
            # Searches with a die keep them, because a roll may allow no other move.
            rules["king_capture"], rules["capture_delay"] = 0, CAPTURE_DELAY
        if may_last_for_ever(variant):  # then the search treats repetitions as draws
            rules["repetition_result"], rules["check_rule"] = RepetitionResult.DRAW, CheckRule.NONE
    if not declaration:
        rules["declaration"][:] = [0, 0]
    return game
