"""What JavaScript needs of a game: the variant, its rules and weights, the layout of the records, and constants.

Everything that is known here is handed over, so that the modules in web/engine hold no second copy of it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any

import numpy as np

from kogoma.eval.relation_table import split_bytes
from kogoma.eval.weights import loaded, tuned, weights_dtype
from kogoma.native.library import Library
from kogoma.rules.dice.die import FACES, FREE
from kogoma.rules.layout import HAND_LIMIT, HISTORY, MAX_MOVES, PLIES, moves_dtype, position_dtype, rules_dtype
from kogoma.rules.library import rules_library
from kogoma.rules.outcome import Ending
from kogoma.rules.rules_struct import layout_of, rules_record
from kogoma.rules.variants import Variant
from kogoma.search import aspiration, limits, searcher, thread, time, worker
from kogoma.search.dice import values as dice_values
from kogoma.search.dice import worker as dice_worker
from kogoma.search.library import dice_library, search_library
from kogoma.search.table_memory import BUCKET_BYTES, MARKS


@dataclass(frozen=True)
class GameData:
    """`description` can be written as JSON; `rules` and `weights` are the bytes of the search's two read-only records,
    `tables` those of the evaluation's table as `eval.relation_table.split_bytes` gives them, b"" where there is none.

    `changed` names what is different in the rules of the game itself from those of its search.
    """

    description: dict[str, Any]
    rules: bytes
    weights: bytes
    tables: bytes


def libraries_of(variant: Variant) -> tuple[Library, Library]:
    """What a game is played with: one WebAssembly module is made of it."""
    layout = layout_of(variant)
    return rules_library(layout), dice_library(layout) if variant.die else search_library(layout)


def game_data(variant: Variant, with_tables: bool = True) -> GameData:
    """All that JavaScript needs of a variant besides its WebAssembly module; as if it had no tables where they are not
    wanted."""
    rules, weights = worker.search_rules(variant), tuned(variant)[1].copy()
    table = loaded(variant).get("table") if with_tables else None
    weights["pair_table"] = 0  # where it is in this process
    description = {
        "variant": _plain(variant),
        "layout": layout_of(variant),
        "records": records_of(variant),
        "changed": _changed(rules_record(variant)[0], rules[0]),
        "constants": _constants(),
    }
    split = b"" if table is None else split_bytes(table)
    return GameData(description, _used(variant, rules).tobytes(), weights.tobytes(), split)


def records_of(variant: Variant) -> dict[str, dict[str, Any]]:
    """The layout of each record of the kernels that play the variant."""
    layout = layout_of(variant)
    thread_dtype = dice_values.dice_thread_dtype if variant.die else thread.thread_dtype
    dtypes = {
        "rules": rules_dtype,
        "weights": weights_dtype,
        "position": position_dtype,
        "moves": moves_dtype,
        "thread": thread_dtype,
    }
    return {name: describe(dtype(layout)) for name, dtype in dtypes.items()}


def describe(dtype: np.dtype[np.void]) -> dict[str, Any]:
    """A record's size in bytes and its "fields": each with its offset in bytes, kind ("uint64") and shape, [] for
    a single number. ValueError if a field does not lie where a typed array can begin."""
    found: dict[str, list[Any]] = {}
    for name, (field, offset, *_) in (dtype.fields or {}).items():
        base, shape = field.subdtype or (field, ())
        if offset % base.itemsize:
            raise ValueError(f"field {name} of {base.itemsize} bytes lies at {offset}, which is no multiple of that")
        found[name] = [offset, base.name, list(shape)]
    return {"size": dtype.itemsize, "fields": found}


def _plain(value: Any) -> Any:
    """A dataclass of the rules as JSON has it; what is enumerated, by its name."""
    if isinstance(value, IntEnum):
        return value.name.lower()
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if hasattr(value, "__dataclass_fields__"):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return value


def _changed(game: Any, search: Any) -> dict[str, int]:
    """Single numbers of the rules record that the search has changed, as the game has them."""
    names = [name for name in game.dtype.names if game[name].ndim == 0 and game[name] != search[name]]
    return {name: int(game[name]) for name in names}


def _used(variant: Variant, rules: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The rules without the keys of squares and types that the variant does not have: random bytes don't compress."""
    kept = rules.copy()
    for name, used in (
        ("zobrist", np.s_[:, : variant.squares, : len(variant.pieces) + 1]),
        ("zobrist_hand", np.s_[:, : int(rules[0]["hand_types"]) + 1 if not variant.cards else 0]),
    ):
        if name in (kept.dtype.names or ()):
            keys = np.zeros_like(kept[0][name])
            keys[used] = rules[0][name][used]
            kept[0][name] = keys
    return kept


def _constants() -> dict[str, Any]:
    """Numbers that Python and JavaScript have in common, by the names that they have in Python."""
    found: dict[str, Any] = {
        "HAND_LIMIT": HAND_LIMIT,
        "HISTORY": HISTORY,
        "MAX_MOVES": MAX_MOVES,
        "PLIES": PLIES,
        "BUCKET_BYTES": BUCKET_BYTES,
        "MARKS": MARKS,
        "FACES": FACES,
        "FREE": FREE,
        "ENDING": {ending.name: int(ending) for ending in Ending},
    }
    for module, names in (
        (thread, "MATE MATE_BOUND RULE_WIN DECIDED INFINITE REDUCTIONS"),
        (aspiration, "WINDOW WIDEST NARROW_FROM"),
        (worker, "REDUCTION_SCALE HELP_FROM"),
        (searcher, "MAX_DEPTH"),
        (limits, "DECLARATION"),
        (time, "LAST_MOMENTS MOVES_AT_START MOVES_AT_LEAST SQUARES PATIENCE PART_OF_CLOCK PART_OF_INCREMENT"),
        (time, "ENOUGH_WITHOUT_CHOICE"),
        (dice_values, "FULL SCALE SUREST TABLED NO_LIMIT"),
        (dice_worker, "CERTAIN CERTAIN_NODES"),
    ):
        found.update({name: getattr(module, name) for name in names.split()})
    return {**found, "MAX_DICE_DEPTH": dice_values.MAX_DEPTH}
