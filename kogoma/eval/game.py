"""The read-only struct `game` of evaluations and searches: the rules and the evaluation weights of a variant."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from kogoma.eval.features import Features
from kogoma.eval.weights import BY_TURN, ONITAMA_SINGLE, PER_PIECE, SINGLE, cached_weights, load, weights_dtype
from kogoma.rules.layout import HAND_LIMIT, TYPES, rules_dtype
from kogoma.rules.onitama_cards import CARDS
from kogoma.rules.rules_struct import layout_of, rules_struct
from kogoma.rules.structs import Struct, fields, new_struct
from kogoma.rules.variants import Variant


@cache
def game_dtype(layout: str) -> np.dtype[np.void]:
    """Return the dtype of the struct `game`. It begins with the rules, so its address is also that of the rules."""
    return np.dtype([("rules", rules_dtype(layout)), ("weights", weights_dtype(layout))])


def game_struct(variant: Variant, data: dict[str, Any]) -> Struct:
    """Return a struct `game` with the rules of a variant and the weights `data` (see `eval.weights.load`). The weights
    of single pieces, from which the running score is computed, are in its rules. It contains the address of the network
    data["layers"], which must live as long as the struct."""
    struct = new_struct(game_dtype(layout_of(variant)))
    game = fields(struct)
    game["rules"] = rules_struct(variant)[0]
    rules, weights, letters, n = game["rules"], game["weights"], variant.letters, variant.squares
    for name in ("mobility",) if variant.cards else PER_PIECE:
        for letter, value in data[name].items():
            weights[name][letters[letter]] = value
    for name in (*ONITAMA_SINGLE, *BY_TURN, "flight") if variant.cards else (*SINGLE, "escape"):
        weights[name] = data[name]
    for letter, number in letters.items():
        value = data["value"].get(letter, 0)
        weights["value"][number] = value
        table = [cell for row in data["square"].get(letter, [[0] * n]) for cell in row]
        for square in range(n):
            rules["term"][0, square, number] = value + table[square]
            rules["term"][1, square, number] = -(value + table[n - 1 - square])
    if variant.cards:
        weights["centre_card"] = [data["centre_card"][card.name] for card in CARDS]
        weights["exchange"] = weights["value"]
    else:
        _fill_hands(rules, weights, letters, data["hand"])
    Features(variant).fill(weights)
    weights["all_terms"] = data.get("all_terms", True)
    if layers := data.get("layers"):
        weights["network"], weights["network_shift"] = layers.rows.ctypes.data, layers.shift
    return struct


def _fill_hands(rules: Any, weights: Any, letters: dict[str, int], hand: dict[str, list[int]]) -> None:
    """Write the values of pieces in hand into `rules`, and the gains of captures and promotions, computed from the
    piece values, into `weights`. `hand` lists for each letter the values of the first, second, ... piece."""
    for letter, number in letters.items():
        by_count = hand.get(letter) or [0]
        for held in range(1, HAND_LIMIT + 1):
            worth = by_count[min(held, len(by_count)) - 1]
            rules["term_hand"][0, number, held] = worth
            rules["term_hand"][1, number, held] = -worth
    for number in range(1, TYPES):
        base, better = int(rules["hand_type"][number]), int(rules["promoted"][number])
        weights["exchange"][number] = weights["value"][number] + rules["term_hand"][0, base, 1]
        if better:
            weights["promotion_gain"][number] = weights["value"][better] - weights["value"][number]


@cache
def default_game(variant: Variant, network: bool = True) -> Struct:
    """Return the struct `game` with the variant's rules and default weights. If `network` is false, the weights are
    those of the handcrafted terms only. The struct is shared and read-only."""
    struct = game_struct(variant, cached_weights(variant) if network else load(variant, network=False))
    struct.flags.writeable = False
    return struct
