"""The limits of one `go` and the user's search options, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field

from kogoma.rules.variants import Variant


@dataclass(frozen=True)
class Limits:
    """The limits of one search: clocks in ms, counts and flags. None means that a limit was not given. `dice` is the
    die roll from 1 to 6, or None before the roll. `movestogo` is not part of USI, but xboard's adapters send it for "40
    moves in 5 minutes"."""

    btime: int | None = None
    wtime: int | None = None
    byoyomi: int | None = None
    binc: int | None = None
    winc: int | None = None
    movestogo: int | None = None
    movetime: int | None = None
    depth: int | None = None
    nodes: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()
    dice: int | None = None

    def has_clock(self, turn: int) -> bool:
        """Return whether these limits include a clock for the side to move, `turn` (0 Black, 1 White)."""
        clocks = (self.wtime, self.winc) if turn else (self.btime, self.binc)
        return any(clock is not None for clock in (*clocks, self.byoyomi))


@dataclass(frozen=True)
class ClockOptions:
    """The user's time settings: delays and minimum time in ms, `slow_mover` in percent of the usual time.
    `network_delay_most` is the largest delay to expect. `ponder` tells that the GUI ponders, and `whole_seconds` tells
    that the clock counts whole seconds."""

    network_delay: int = 15
    network_delay_most: int = 0
    minimum_thinking_time: int = 0
    slow_mover: int = 100
    ponder: bool = False
    whole_seconds: bool = False


@dataclass(frozen=True)
class SearchOptions:
    """The user's search settings. `draw_value_black` is the value of a draw in centipawns when the engine plays Black,
    `draw_value_white` when it plays White. `max_moves_to_draw` is a number of plies; 0 means that only the variant's
    own limit applies. `declaration` allows wins by declaration, in variants that have them. `noise` is the standard
    deviation, in centipawns, of the random errors of limited strength, and `seed` their seed, below 2^64."""

    multipv: int = 1
    draw_value_black: int = 0
    draw_value_white: int = 0
    max_moves_to_draw: int = 0
    declaration: bool = True
    noise: int = 0
    seed: int = 0
    clock: ClockOptions = field(default_factory=ClockOptions)

    def last_ply(self, variant: Variant) -> int:
        """Return the ply after which a game is a draw, or 0 if there is no limit."""
        return min((plies for plies in (variant.max_plies, self.max_moves_to_draw) if plies), default=0)

    def draw_values(self, turn: int) -> list[int]:
        """Return the values of a draw for Black and for White, in centipawns, when the engine plays the side `turn` (0
        Black, 1 White). One value is the negative of the other."""
        draw = self.draw_value_white if turn else self.draw_value_black
        return [-draw, draw] if turn else [draw, -draw]
