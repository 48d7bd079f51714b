"""Weights of the evaluation: one JSON file a variant, in centipawns, read into a record for the kernels.

Where it names a file with a table (`"relations"`), that is read, too, and the record holds its address.
The environment's KOGOMA_WEIGHTS may name a folder whose files come before the shipped ones.

Piece-square values are written from Black's side, top row first, as the board is printed. A term that the variant's
file leaves out is derived (`eval.derive`); a letter that a term leaves out counts 0.
"""

from __future__ import annotations

import json
import os
import threading
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from kogoma.eval.derive import derived
from kogoma.eval.relation_table import Features, TableError, load_table, table_fields
from kogoma.rules.layout import HAND_LIMIT, TYPES, Field
from kogoma.rules.onitama_cards import CARDS
from kogoma.rules.rules_struct import layout_of, rules_record
from kogoma.rules.variants import FILES, VARIANTS, Variant

FOLDER = Path(__file__).parent / "weights"
OVERRIDE = "KOGOMA_WEIGHTS"  # of the environment
ESCAPES = 9  # a king has 0 to 8 squares to go to
PER_PIECE = ("mobility", "promotion_threat", "king_attack", "king_hand", "hanging", "hanging_to_move")
SINGLE = ("tempo", "king_weak_square", "king_defender", "danger_divisor", "danger_limit")

FLIGHTS = 9  # two cards have at most eight steps
ONITAMA_SINGLE = ("king_attack", "king_attack_centre", "threat", "tempo")
BY_TURN = ("hanging", "exchange_offered")

_loading = threading.Lock()


def _onitama_fields() -> list[Field]:
    fields: list[Field] = [(name, np.int64) for name in ONITAMA_SINGLE]
    fields += [(name, np.int64, (2,)) for name in BY_TURN]  # for the side that waits, for the side to move
    fields += [
        ("mobility", np.int64, (TYPES,)),  # by the type that moves
        ("centre_card", np.int64, (len(CARDS),)),  # for the side to move, which takes that card
        ("flight", np.int64, (FLIGHTS,)),  # by the number of safe squares that a master can go to
        ("value", np.int64, (TYPES,)),
        ("exchange", np.int64, (TYPES,)),  # what capturing a piece wins
        ("promotion_gain", np.int64, (TYPES,)),  # 0: for the search, which asks it of all games
    ]
    return fields


@cache
def weights_dtype(layout: str) -> np.dtype[np.void]:
    """The read-only record of weights."""
    if layout == "onitama":
        return np.dtype(_onitama_fields() + table_fields(layout))
    fields: list[Field] = [(name, np.int64, (TYPES,)) for name in PER_PIECE]
    fields += [(name, np.int64) for name in SINGLE]
    fields += [
        ("escape", np.int64, (ESCAPES,)),  # danger of a king with that many squares to go to
        ("value", np.int64, (TYPES,)),  # a piece on the board
        ("exchange", np.int64, (TYPES,)),  # what capturing it changes: its value lost, its hand value won
        ("promotion_gain", np.int64, (TYPES,)),
    ]
    return np.dtype(fields + table_fields(layout))


def folder_of(variant: Variant) -> Path:
    """Where the variant's weights belong: those of a game of one's own beside its file."""
    return FILES[variant.name].parent if variant.name in FILES else FOLDER


def folders(variant: Variant) -> list[Path]:
    """Where weights are looked for; TableError if KOGOMA_WEIGHTS names no folder."""
    found = list(dict.fromkeys((folder_of(variant), FOLDER)))
    own = os.environ.get(OVERRIDE)
    if not own:
        return found
    if not Path(own).is_dir():
        raise TableError(f"{OVERRIDE}: there is no folder {own}")
    return [Path(own), *found]


def family(variant: Variant) -> list[Variant]:
    """The variant, then others with the same pieces, which may use its weights: those with a die, or without, as it is,
    come first."""
    kin = [other for other in VARIANTS.values() if (other.start, other.pieces) == (variant.start, variant.pieces)]
    kin.sort(key=lambda other: bool(other.die) != bool(variant.die))
    return [variant, *kin]


def path_of(variant: Variant) -> Path | None:
    """The variant's file, or that of the next of its family; None if there is none."""
    names = dict.fromkeys(f"{game.name}.json" for game in family(variant))
    return next((path for folder in folders(variant) for name in names if (path := folder / name).is_file()), None)


def load(variant: Variant, relations: bool = True) -> dict[str, Any]:
    """The variant's weights: its file over what `eval.derive` says; with "table", a `Table`, if the file names one
    and `relations` are wanted. TableError if they can't be read."""
    data = {} if variant.cards else derived(variant)
    path = path_of(variant)
    if path is not None:
        data.update(json.loads(path.read_text(encoding="utf-8")))
        if relations and (name := data.get("relations")):
            data["table"], head = load_table(path.parent / name, Features(variant))
            data["tempo"] += head["tempo"]
    return data


def records(variant: Variant, data: dict[str, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """(rules with the running terms filled in, weights), each an array of one record. The weights hold the addresses
    of data["table"], which has to live as long as they do."""
    rules, array = rules_record(variant).copy(), np.zeros(1, weights_dtype(layout_of(variant)))
    weights, letters, n = array[0], variant.letters, variant.squares
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
            rules[0]["term"][0, square, number] = value + table[square]
            rules[0]["term"][1, square, number] = -(value + table[n - 1 - square])
    if variant.cards:
        weights["centre_card"] = [data["centre_card"][card.name] for card in CARDS]
        weights["exchange"] = weights["value"]
    else:
        _fill_hands(rules[0], weights, letters, data["hand"])
    Features(variant).fill(weights, data.get("table"))
    return rules, array


def _fill_hands(rules: Any, weights: Any, letters: dict[str, int], hand: dict[str, list[int]]) -> None:
    """What pieces in hand are worth, and so what captures and promotions change."""
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
def kept(variant: Variant) -> dict[str, Any]:
    """For `loaded`."""
    return load(variant)


def loaded(variant: Variant) -> dict[str, Any]:
    """What `load` gives, read once and kept: tables stay where they are, also where several threads ask at first."""
    with _loading:
        return kept(variant)


@cache
def tuned(variant: Variant) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """(rules, weights) with the variant's shipped weights; shared, so not to be written."""
    rules, weights = records(variant, loaded(variant))
    rules.flags.writeable = weights.flags.writeable = False
    return rules, weights
