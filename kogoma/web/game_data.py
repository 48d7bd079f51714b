"""A game's data for JavaScript: the variant, the struct `game` of searches, the layouts of the structs, and constants.

Constants of the Python sources are included, so that the modules in web/engine need no copies of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from enum import IntEnum
from typing import Any

import numpy as np

from kogoma.eval.game import game_dtype
from kogoma.eval.network_file import split_bytes
from kogoma.eval.weights import cached_weights
from kogoma.native.library import Library
from kogoma.rules.layout import HAND_LIMIT, HISTORY, REMOVED, moves_dtype, position_dtype, rules_dtype
from kogoma.rules.library import rules_library
from kogoma.rules.notation import most_pieces
from kogoma.rules.outcome import REASONS, RESULT_SHIFT
from kogoma.rules.rules_struct import layout_of, rules_struct
from kogoma.rules.structs import Fields, fields, new_struct
from kogoma.rules.variants import FACES, FREE, Piece, Variant
from kogoma.search import answers, control, thread
from kogoma.search.dice.values import dice_thread_dtype
from kogoma.search.driver import SearchThread
from kogoma.search.game import CAPTURE_DELAY, search_game
from kogoma.search.library import dice_library, search_library
from kogoma.search.limits import ClockOptions, Limits, SearchOptions
from kogoma.search.mate import state as mate_state
from kogoma.search.mate.solver import (
    BUCKET,
    NODES_PER_MS,
    OTHER_SALT,
    SHORT,
    SHORT_NODES,
    SHORT_PART,
    SHORT_SALT,
    mate_rules,
)
from kogoma.search.mate.state import fill_constants, mate_dtype
from kogoma.search.table_memory import BUCKET_BYTES, MARKS
from kogoma.search.tablebase.dobutsu.blocks import BLOCK
from kogoma.search.tablebase.dobutsu.tables import LOSS, NO_ENTRY, WIN, WINS_AT_ONCE, new_tablebase, seen_dtype

APPEARANCE = ("name", "face")  # fields of a piece that are not rules


@dataclass(frozen=True)
class GameData:
    """A game's data: `description` as JSON values, and the bytes of the search's struct `game` (`struct`) and of the
    network. `description["changed"]` maps the fields in which the rules of the variant differ from those of the search
    to the variant's values. `network` is the result of `eval.network_file.split_bytes`, or b"" if there is no
    network."""

    description: dict[str, Any]
    struct: bytes
    network: bytes


def libraries_of(variant: Variant) -> tuple[Library, Library]:
    """Return the native libraries (rules, search) that together make a game's WebAssembly module."""
    layout = layout_of(variant)
    return rules_library(layout), dice_library(layout) if variant.die else search_library(layout)


def game_data(variant: Variant, with_network: bool = True) -> GameData:
    """Return the data that JavaScript needs besides the WebAssembly module. If `with_network` is true, the network
    is included."""
    struct = search_game(variant, with_network).copy()
    rules, weights = fields(struct)["rules"], fields(struct)["weights"]
    layers = cached_weights(variant).get("layers") if with_network else None
    weights["network"] = 0  # instead of an address, which is valid in this process only
    _clear_unused_keys(variant, rules)
    description = {
        "variant": _to_json(variant),
        "layout": layout_of(variant),
        "most_pieces": [most_pieces(variant, piece.letter) for piece in variant.pieces],
        "structs": struct_layouts(variant),
        "changed": _changed(rules_struct(variant)[0], rules),
        "constants": _constants(),
        "initial": initial_fields(variant),
    }
    split = b"" if layers is None else split_bytes(layers.rows)
    return GameData(description, struct.tobytes(), split)


def struct_layouts(variant: Variant) -> dict[str, dict[str, Any]]:
    """Return the layout of each struct of the kernels that play the variant."""
    layout = layout_of(variant)
    thread_dtype = dice_thread_dtype if variant.die else thread.thread_dtype
    dtypes = {
        "rules": rules_dtype,
        "game": game_dtype,
        "position": position_dtype,
        "moves": moves_dtype,
        "thread": thread_dtype,
        "control": control.control_dtype,
    }
    return {name: describe_dtype(dtype(layout)) for name, dtype in dtypes.items()}


def mate_data(variant: Variant) -> tuple[dict[str, Any], bytes]:
    """Return what the mate solver needs besides a game's data: as JSON values the layout of its struct, the fields in
    which its rules differ from the variant's, and constants; and the first bytes of its struct, with the fields that
    depend on the variant only. The field `copy` is 0."""
    layout, rules = layout_of(variant), mate_rules(variant)
    struct = new_struct(mate_dtype(layout))
    fill_constants(fields(struct), position_dtype(layout), None if variant.cards else fields(rules))
    names = "NO_LIMIT REFUTED UNDECIDED USELESS_SHIFT"
    description = {
        "structs": {"mate": describe_dtype(struct.dtype)},
        "changed": _changed(fields(rules), rules_struct(variant)[0]),
        "constants": {
            **{name: getattr(mate_state, name) for name in names.split()},
            "OTHER_SALT": str(OTHER_SALT),
            "SHORT_SALT": str(SHORT_SALT),
            "SHORT": SHORT,
            "SHORT_NODES": SHORT_NODES,
            "SHORT_PART": SHORT_PART,
            "NODES_PER_MS": NODES_PER_MS,
            "MATE_BUCKET": BUCKET,
            "CAPTURE_DELAY": CAPTURE_DELAY,
        },
    }
    return description, struct.tobytes()[: struct.dtype.fields["stop"][1]]


def tablebase_data(variant: Variant) -> tuple[dict[str, Any], bytes]:
    """Return what is needed to look up positions in a variant's tablebase besides a game's data: as JSON values the
    layouts of the structs, and constants; and the bytes of the struct with the tables."""
    tables = new_tablebase(variant)
    structs = {"tablebase": describe_dtype(tables.dtype), "seen": describe_dtype(seen_dtype(layout_of(variant)))}
    constants = {"BLOCK": BLOCK, "WIN": WIN, "LOSS": LOSS, "WINS_AT_ONCE": WINS_AT_ONCE, "NO_ENTRY": NO_ENTRY}
    return {"structs": structs, "constants": constants}, tables.tobytes()


def describe_dtype(dtype: np.dtype[np.void]) -> dict[str, Any]:
    """Return {"size": size of a struct in bytes, "fields": {name: [offset in bytes, kind, shape]}}. The kind is a name
    such as "uint64"; the shape of a number is []. The fields of a record are described like those of the struct; arrays
    of records are left out. Raises ValueError if a field is not aligned for a typed array."""
    found: dict[str, list[Any]] = {}
    for name, (field, offset, *_) in (dtype.fields or {}).items():
        if field.names:
            inner = describe_dtype(field)["fields"]
            found.update({name: [offset + place, *kind] for name, (place, *kind) in inner.items()})
            continue
        base, shape = field.subdtype or (field, ())
        if base.names:
            continue
        if offset % base.itemsize:
            raise ValueError(f"the offset {offset} of field {name} is not a multiple of its {base.itemsize} bytes")
        found[name] = [offset, base.name, list(shape)]
    return {"size": dtype.itemsize, "fields": found}


def initial_fields(variant: Variant) -> dict[str, dict[str, int | list[int]]]:
    """Return the fields that are not 0 in a new thread struct, and in a control struct without limits. Each number of
    an array is given as the difference from the one before it, because those of a curve are small."""
    search = fields(new_struct(control.control_dtype(layout_of(variant))))
    control.write_search(search, variant, Limits(), [], SearchOptions(), 0.0)
    return {"thread": _used_fields(SearchThread(variant).fields), "control": _used_fields(search)}


def _used_fields(struct: Fields) -> dict[str, int | list[int]]:
    """Return the fields of a struct that are not 0, except for those that hold records."""
    numbers = [name for name in struct.dtype.names if not struct.dtype[name].base.names]
    used = {name: struct[name] for name in numbers if np.any(struct[name])}
    return {
        name: np.diff(value.astype(np.int64), prepend=0).tolist() if value.ndim else int(value)
        for name, value in used.items()
    }


def _to_json(value: Any) -> Any:
    """Return a dataclass of the rules as JSON values. Enumerations are given by name; fields for the appearance of
    pieces are left out."""
    if isinstance(value, IntEnum):
        return value.name.lower()
    if isinstance(value, tuple):
        return [_to_json(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        left_out = APPEARANCE if isinstance(value, Piece) else ()
        return {
            one.name: _to_json(getattr(value, one.name)) for one in dataclass_fields(value) if one.name not in left_out
        }
    return value


def _changed(own: Fields, search: Fields) -> dict[str, int]:
    """Return the scalar fields in which the rules `own` differ from the rules `search`, with their values in `own`."""
    names = [name for name in own.dtype.names if own[name].ndim == 0 and own[name] != search[name]]
    return {name: int(own[name]) for name in names}


def _clear_unused_keys(variant: Variant, rules: Fields) -> None:
    """Set the random keys of unused squares and types to 0, because random keys would not compress."""
    for name, used in (
        ("zobrist", np.s_[:, : variant.squares, : len(variant.pieces) + 1]),
        ("zobrist_hand", np.s_[:, : int(rules["hand_types"]) + 1 if not variant.cards else 0]),
    ):
        if name in rules.dtype.names:
            keys = np.zeros_like(rules[name])
            keys[used] = rules[name][used]
            rules[name] = keys


def _constants() -> dict[str, Any]:
    """Return the constants of the Python sources that JavaScript uses, by name."""
    found: dict[str, Any] = {
        "HAND_LIMIT": HAND_LIMIT,
        "HISTORY": HISTORY,
        "REMOVED": REMOVED,
        "BUCKET_BYTES": BUCKET_BYTES,
        "MARKS": MARKS,
        "NETWORK_DELAY": ClockOptions().network_delay,
        "FACES": FACES,
        "FREE": FREE,
        "REASONS": REASONS,
        "RESULT_SHIFT": RESULT_SHIFT,
    }
    for module, names in (
        (thread, "MATE MATE_BOUND RULE_WIN"),
        (answers, "DECLARATION RESIGN LOWER_BOUND UPPER_BOUND"),
        (control, "DONE REPORT DECLARES MOST_TIME"),
    ):
        found.update({name: getattr(module, name) for name in names.split()})
    return found
