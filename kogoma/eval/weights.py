"""The evaluation weights: a JSON file per variant, in centipawns, which `eval.game` writes into a struct for kernels.

If the file names a network (`"network"`), it is read as well. KOGOMA_WEIGHTS may name a folder whose files take
precedence. Piece-square values are from Black's side, top row first. Terms that a file leaves out are derived
(`eval.derive`); pieces that a term leaves out have the value 0.
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
from kogoma.eval.features import Features, feature_fields
from kogoma.eval.network_file import WeightsError, load_network
from kogoma.rules.layout import TYPES, Field
from kogoma.rules.onitama_cards import CARDS
from kogoma.rules.variants import CUSTOM_FILES, VARIANTS, Variant

FOLDER = Path(__file__).parent / "weights"
OVERRIDE = "KOGOMA_WEIGHTS"  # environment variable
MOST = 9999  # centipawns: the largest number in a weights file
ESCAPES = 9  # a king has 0 to 8 escape squares
PER_PIECE = ("mobility", "promotion_threat", "king_attack", "king_hand", "hanging", "hanging_to_move")
SINGLE = ("tempo", "king_weak_square", "king_defender", "danger_divisor", "danger_limit")

FLIGHTS = 9  # two cards have at most 8 steps
ONITAMA_SINGLE = ("king_attack", "king_attack_centre", "threat", "tempo")
BY_TURN = ("hanging", "exchange_offered")

_loading = threading.Lock()


def _onitama_fields() -> list[Field]:
    """Return the fields that only Onitama's weights struct has. Weights are in centipawns."""
    fields: list[Field] = [(name, np.int64) for name in ONITAMA_SINGLE]
    fields += [(name, np.int64, (2,)) for name in BY_TURN]  # index 0: for the side not to move, 1: for the side to move
    fields += [
        ("mobility", np.int64, (TYPES,)),  # by piece type
        ("centre_card", np.int64, (len(CARDS),)),  # by card in the centre, for the side to move, which gets that card
        ("flight", np.int64, (FLIGHTS,)),  # by the number of safe squares that the master can move to
    ]
    return fields


def _common_fields(layout: str) -> list[Field]:
    """Return the fields of all weights structs: the values that searches read, the network and its features."""
    return [
        ("value", np.int64, (TYPES,)),  # value of a piece on the board
        ("exchange", np.int64, (TYPES,)),  # gain of capturing a piece: its value on the board plus that in hand
        ("promotion_gain", np.int64, (TYPES,)),  # always 0 in Onitama
        ("all_terms", np.int64),  # 0: of the handcrafted terms, only the running score and the tempo are used
        ("network", np.uint64),  # address of the rows (`eval.network_file.Layers`); 0: none
        ("network_shift", np.int64),  # the output is divided by 2**network_shift
        *feature_fields(layout),
    ]


@cache
def weights_dtype(layout: str) -> np.dtype[np.void]:
    """Return the dtype of the weights struct, which is read-only for kernels."""
    if layout == "onitama":
        return np.dtype(_onitama_fields() + _common_fields(layout))
    fields: list[Field] = [(name, np.int64, (TYPES,)) for name in PER_PIECE]
    fields += [(name, np.int64) for name in SINGLE]
    fields.append(("escape", np.int64, (ESCAPES,)))  # danger, by the number of the king's escape squares
    return np.dtype(fields + _common_fields(layout))


def folder_of(variant: Variant) -> Path:
    """Return the folder that holds the weights file of a variant. For a custom variant this is the folder of its
    variant file."""
    return CUSTOM_FILES[variant.name].parent if variant.name in CUSTOM_FILES else FOLDER


def folders(variant: Variant) -> list[Path]:
    """Return the folders that are searched for a variant's weights files, in the order of the search. Raises
    WeightsError if KOGOMA_WEIGHTS is set but names no folder."""
    found = list(dict.fromkeys((folder_of(variant), FOLDER)))
    value = os.environ.get(OVERRIDE)
    if not value:
        return found
    if not Path(value).is_dir():
        raise WeightsError(f"the environment variable {OVERRIDE} must name a folder: there is no folder {value!r}")
    return [Path(value), *found]


def family(variant: Variant) -> list[Variant]:
    """Return the variant, followed by the other variants with the same start position and pieces, whose weights it can
    use. If `variant` has a die, the others with a die come first; if not, those without one."""
    kin = [other for other in VARIANTS.values() if (other.start, other.pieces) == (variant.start, variant.pieces)]
    kin.sort(key=lambda other: bool(other.die) != bool(variant.die))
    return [variant, *kin]


def path_of(variant: Variant) -> Path | None:
    """Return the path of the variant's weights file. If it has none, return the path of the first weights file found
    for a variant of its `family`, or None if there is no such file."""
    names = dict.fromkeys(f"{game.name}.json" for game in family(variant))
    return next((path for folder in folders(variant) for name in names if (path := folder / name).is_file()), None)


def load(variant: Variant, network: bool = True) -> dict[str, Any]:
    """Return the variant's weights. Terms that are not in its weights file have the weights derived by `eval.derive`.
    If `network` is true and the file names a network, its `Layers` are stored under the key "layers", and
    "all_terms" tells whether it was fitted beside all handcrafted terms. Raises WeightsError if the file or the network
    cannot be read."""
    data = {} if variant.cards else derived(variant)
    path = path_of(variant)
    if path is not None:
        data.update(_terms_in(path, variant))
        if network and (name := data.get("network")):
            data["layers"], head = load_network(path.parent / name, Features(variant))
            data["tempo"] += head["tempo"]
            data["all_terms"] = head["all_terms"]
    return data


def _terms_in(path: Path, variant: Variant) -> dict[str, Any]:
    """Return the content of a weights file. Raises WeightsError if it cannot be read, a term is unknown or has a wrong
    form, or the variant has no derived weights and a term is missing."""
    forms = _forms(variant)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise ValueError("it does not contain a JSON object")
        for name, value in found.items():
            if name not in forms:
                raise ValueError(f"there is no term {name!r}")
            if not _has_form(value, forms[name]):
                raise ValueError(f"the term {name!r} has a wrong form")
        if found.get("danger_divisor") == 0:
            raise ValueError("danger_divisor is 0")
        if variant.cards and (missing := forms.keys() - found.keys() - {"network", "about"}):
            raise ValueError(f"the term {min(missing)!r} is missing")
    except OSError as error:
        raise WeightsError(f"cannot read the weights {path}: {error.strerror}") from None
    except ValueError as error:
        raise WeightsError(f"cannot read the weights {path}: {error}") from None
    return found


def _forms(variant: Variant) -> dict[str, Any]:
    """Return the form of each entry of a weights file: a type, (form, count) for a list (count 0: of any length), or
    {key: form} for a JSON object, in which keys may be missing."""
    board, by_piece = ((int, variant.files), variant.ranks), dict.fromkeys(variant.letters, int)
    forms: dict[str, Any] = {"network": str, "about": str, "value": by_piece, "mobility": by_piece}
    forms["square"] = dict.fromkeys(variant.letters, board)
    if variant.cards:
        forms |= dict.fromkeys(ONITAMA_SINGLE, int) | dict.fromkeys(BY_TURN, (int, 2))
        return forms | {"flight": (int, FLIGHTS), "centre_card": {card.name: int for card in CARDS}}
    forms |= dict.fromkeys(PER_PIECE, by_piece) | dict.fromkeys(SINGLE, int)
    return forms | {"escape": (int, ESCAPES), "hand": dict.fromkeys(variant.letters, (int, 0))}


def _has_form(value: Any, form: Any) -> bool:
    """Return whether a value of a weights file has a form of `_forms`."""
    if isinstance(form, dict):
        return isinstance(value, dict) and all(key in form and _has_form(value[key], form[key]) for key in value)
    if isinstance(form, tuple):
        entry, count = form
        return isinstance(value, list) and count in (0, len(value)) and all(_has_form(one, entry) for one in value)
    return type(value) is form and (form is str or abs(value) <= MOST)


@cache
def load_cached(variant: Variant) -> dict[str, Any]:
    """Return `load(variant)`, cached. Because the cache is not thread-safe, only `cached_weights` may call this
    function."""
    return load(variant)


def cached_weights(variant: Variant) -> dict[str, Any]:
    """Return the variant's weights. They are loaded only once, so that the network keeps its address.
    Thread-safe."""
    with _loading:
        return load_cached(variant)
