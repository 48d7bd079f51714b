"""The search parameters, and the file that replaces them in a tuning build.

If the environment variable KOGOMA_PARAMETERS names a file, the engine is a tuning build: its kernels read the
parameters from the thread's struct (`search.parameters.access`) instead of compiling them in as constants. The file is
JSON, {"razoring": 580, ...}; a parameter that it does not name keeps its default. A tuning build searches the same
nodes as a build with these numbers as constants.
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

GIVEN = "KOGOMA_PARAMETERS"  # of the environment
MOST = 1_000_000


class SearchParameters(NamedTuple):
    """Centipawns, unless it is said otherwise. `lab.tune.spsa` tells how far each may be tuned."""

    window: int = 57  # of a new iteration, to either side of the last score
    razoring: int = 561  # a ply
    reverse_futility: int = 184  # a ply
    improving: int = 179  # off that, where the evaluation rises
    null_margin: int = 328  # above beta, less 40 a ply
    null_divisor: int = 379  # above beta for a ply more of reduction
    late_moves: int = 4  # tried beside those that depth allows
    futility: int = 298
    futility_ply: int = 239  # a ply, beside that
    history_pruning: int = 3338  # of history, a ply
    see_quiet: int = 112  # lost by an exchange, a ply
    see_tactical: int = 305  # likewise
    singular: int = 2  # a ply
    reduction: int = 234  # tenths of the logarithms' factor
    reduction_base: int = 570  # 1024ths of a ply
    history_reduction: int = 9055  # of history for a ply
    history_bonus: int = 20  # of history, a squared ply
    delta: int = 388  # below alpha after a capture, in quiescence


PARAMETERS = SearchParameters()


class ParametersError(Exception):
    """A file of parameters can't be used; the text is one line."""


def tuning() -> bool:
    """Whether this is a tuning build."""
    return bool(os.environ.get(GIVEN))


def given_parameters() -> SearchParameters:
    """Those of the file that KOGOMA_PARAMETERS names; ParametersError."""
    return read_parameters(os.environ[GIVEN])


def read_parameters(path: str) -> SearchParameters:
    """Those of a file; ParametersError."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except OSError as error:
        raise ParametersError(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise ParametersError(f"{path} is not a search parameter file: no JSON") from None
    if not isinstance(found, dict):
        raise ParametersError(f"{path} is not a search parameter file: no names in it")
    for name, value in found.items():
        if name not in SearchParameters._fields:
            raise ParametersError(
                f"{path}: there is no search parameter {name!r}; known: {', '.join(SearchParameters._fields)}"
            )
        if type(value) is not int or not 1 <= value <= MOST:
            raise ParametersError(f"{path}: {name} needs a whole number from 1 to {MOST}, not {json.dumps(value)[:40]}")
    return PARAMETERS._replace(**found)
