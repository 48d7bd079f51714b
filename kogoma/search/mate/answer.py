"""What the mate solver is asked and what it answers, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field

MATE, NO_MATE, UNKNOWN = "mate", "nomate", "timeout"


@dataclass(frozen=True)
class MateLimits:
    """What one problem may take: `milliseconds` and `nodes`, None for no limit; `shortest`: a mate is proven to be the
    shortest; `plies`: a longer mate is none; `checks_only`: where a king is captured, only checks count, too."""

    milliseconds: int | None = None
    nodes: int | None = None
    shortest: bool = False
    plies: int | None = None
    checks_only: bool = False


@dataclass(frozen=True)
class MateProgress:
    """How far a search is; `text` says what it has found."""

    depth: int
    nodes: int
    nps: int
    time_ms: int
    hashfull: int
    text: str


@dataclass(slots=True)  # sooner made than a frozen one: many problems take less time than that
class MateAnswer:
    """What is known of a position. `verdict` is "mate", "nomate" or "timeout".

    Of a mate: `moves` is the solution against the longest defence, `plies` within how many plies the side to move mates
    whatever is played, and `is_shortest` whether it is proven that it can't in fewer. There may be fewer `moves` than
    that, for they have no useless interposition where there is another defence; where there is none, the last `useless`
    of them are such, and the captures that answer them.
    """

    verdict: str
    moves: list[str] = field(default_factory=list)
    plies: int = 0
    is_shortest: bool = False
    useless: int = 0
    nodes: int = 0
    time_ms: int = 0
