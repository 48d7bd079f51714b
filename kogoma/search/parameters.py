"""The search parameters: numbers by which the search prunes, reduces and extends.

A search has them in its thread struct, where kernels read them: `thread.razoring`. If the environment variable
KOGOMA_PARAMETERS names a file, they come from this file. It is JSON, {"razoring": 580, ...}; a parameter that it does
not name keeps the variant's value.
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from kogoma.eval.weights import family
from kogoma.rules.variants import Variant

GIVEN = "KOGOMA_PARAMETERS"  # environment variable
MOST = 1_000_000


class SearchParameters(NamedTuple):
    """The search parameters, in centipawns unless stated otherwise. The default values were tuned in minishogi.
    `lab.tune.spsa` limits the range in which each is tuned."""

    window: int = 74  # half the aspiration window
    razoring: int = 721  # margin per ply of depth
    reverse_futility: int = 132  # margin per ply of depth
    improving: int = 167  # reduction of the reverse futility margin if the evaluation is improving
    null_margin: int = 289  # required static evaluation above beta, less 40 per ply of depth
    null_base: int = 3072  # reduction of the null move search at depth 0, in 1/1024 ply
    null_depth: int = 256  # added to `null_base` per ply of depth, in 1/1024 ply
    null_divisor: int = 149  # surplus above beta that reduces the null move search by another ply
    late_moves: int = 9  # late move pruning: added to the number of moves that depends on depth
    futility: int = 24  # margin at depth 0
    futility_ply: int = 45  # added to `futility` per ply of depth
    history_pruning: int = 3775  # negative history per ply of depth, below which a quiet move is pruned
    see_quiet: int = 217  # allowed loss by exchanges per ply of depth, for quiet moves
    see_tactical: int = 393  # allowed loss by exchanges per ply of depth, for tactical moves
    singular: int = 6  # margin below the table score per ply of depth
    reduction: int = 201  # ten times the factor of the logarithms of depth and move number
    reduction_base: int = 674  # in 1/1024 ply, as all of these:
    reduction_null_window: int = 1024  # added if the window is a null window
    reduction_cut_node: int = 1024  # added if the node is expected to fail high
    reduction_improving: int = 1024  # subtracted if the evaluation is improving
    reduction_gives_check: int = 1024  # subtracted if the move gives check
    reduction_in_check: int = 1024  # subtracted if the move answers a check
    reduction_tactical: int = 1024  # subtracted if the move is tactical
    history_reduction: int = 6805  # history per ply of reduction
    history_bonus: int = 8  # history per squared ply
    delta: int = 305  # margin of delta pruning in quiescence


PARAMETERS = SearchParameters()

# The values from before the networks, which are better in these variants (docs/experiments.md).
BEFORE_NETWORKS = SearchParameters(
    window=57,
    razoring=561,
    reverse_futility=184,
    improving=179,
    null_margin=328,
    null_divisor=379,
    late_moves=4,
    futility=298,
    futility_ply=239,
    history_pruning=3338,
    see_quiet=112,
    see_tactical=305,
    singular=2,
    reduction=234,
    reduction_base=570,
    history_reduction=9055,
    history_bonus=20,
    delta=388,
)

# Tuned by SPSA in Onitama (docs/experiments.md).
OF_ONITAMA = SearchParameters(
    window=11,
    razoring=823,
    reverse_futility=43,
    improving=70,
    null_margin=180,
    null_divisor=278,
    late_moves=7,
    futility=214,
    futility_ply=108,
    history_pruning=3340,
    see_quiet=173,
    see_tactical=374,
    singular=2,
    reduction=266,
    reduction_base=886,
    history_reduction=10549,
    history_bonus=12,
    delta=469,
)

BY_VARIANT = {"shogi": BEFORE_NETWORKS, "generals": BEFORE_NETWORKS, "onitama": OF_ONITAMA}


class ParametersError(Exception):
    """A search parameter file cannot be used; the message is one line."""


def parameters_of(variant: Variant) -> SearchParameters:
    """Return the search parameters of a variant. If it has none of its own, they are those of the first variant of its
    `family` that has, or PARAMETERS. Raises ParametersError if KOGOMA_PARAMETERS is set and its file is invalid."""
    own = next((BY_VARIANT[kin.name] for kin in family(variant) if kin.name in BY_VARIANT), PARAMETERS)
    path = os.environ.get(GIVEN)
    return own._replace(**read_parameters(path)) if path else own


def read_parameters(path: str) -> dict[str, int]:
    """Return the search parameters that a file names. Raises ParametersError if the file cannot be read, is not valid,
    or names an unknown parameter."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except OSError as error:
        raise ParametersError(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise ParametersError(f"{path} is not a search parameter file: it is not JSON") from None
    if not isinstance(found, dict):
        raise ParametersError(f"{path} is not a search parameter file: it is not a JSON object")
    for name, value in found.items():
        if name not in SearchParameters._fields:
            raise ParametersError(
                f"{path}: there is no search parameter {name!r}; use one of {', '.join(SearchParameters._fields)}"
            )
        if type(value) is not int or not 1 <= value <= MOST:
            raise ParametersError(f"{path}: {name} needs a whole number from 1 to {MOST}, not {json.dumps(value)[:40]}")
    return found
