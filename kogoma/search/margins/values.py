"""What the margins are, and the file that gives others to a tuning build.

Where the environment's KOGOMA_MARGINS names a file, the engine is a tuning build: its kernels read the margins from the
thread's record (`search.margins.access`), and begin with those in the file. It is JSON, {"razoring": 580, ...}; what is
left out is as shipped. Its searches are node for node what they would be if the numbers stood here.
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

GIVEN = "KOGOMA_MARGINS"  # of the environment
MOST = 1_000_000


class Margins(NamedTuple):
    """Centipawns, unless it is said otherwise. `lab.tune.margins` tells how far each may be tuned."""

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


MARGINS = Margins()


class MarginsError(Exception):
    """A file of margins can't be used; the text is one line."""


def tuning() -> bool:
    """Whether this is a tuning build."""
    return bool(os.environ.get(GIVEN))


def given_margins() -> Margins:
    """Those of the file that KOGOMA_MARGINS names; MarginsError."""
    return read_margins(os.environ[GIVEN])


def read_margins(path: str) -> Margins:
    """Those of a file; MarginsError."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except OSError as error:
        raise MarginsError(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise MarginsError(f"{path} is no file of margins: no JSON") from None
    if not isinstance(found, dict):
        raise MarginsError(f"{path} is no file of margins: no names in it")
    for name, value in found.items():
        if name not in Margins._fields:
            raise MarginsError(f"{path}: there is no margin {name!r}; known: {', '.join(Margins._fields)}")
        if type(value) is not int or not 1 <= value <= MOST:
            raise MarginsError(f"{path}: {name} needs a whole number from 1 to {MOST}, not {json.dumps(value)[:40]}")
    return MARGINS._replace(**found)
