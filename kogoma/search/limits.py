"""What one `go` allows and what the user has set: plain values, from the standard library alone."""

from __future__ import annotations

from dataclasses import dataclass, field

from kogoma.rules.variants import Variant

# What a search answers, and USI says, instead of a move where the game can be won by declaration.
DECLARATION = "win"


@dataclass(frozen=True)
class Limits:
    """What one `go` allows: clocks in ms, counts, and switches; None means not given.

    `dice` is the throw, 1 to 6, of a game with a die; None where it is not thrown yet.
    `movestogo` is no part of USI, but xboard's adapters send it for "40 moves in 5 minutes".
    """

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
        """Whether any clock runs for the side to move (0 Black, 1 White)."""
        clocks = (self.wtime, self.winc) if turn else (self.btime, self.binc)
        return any(clock is not None for clock in (*clocks, self.byoyomi))


@dataclass(frozen=True)
class ClockOptions:
    """The user's clock settings: times in ms, the share of the clock in percent, whether a GUI ponders, and whether the
    clock counts whole seconds alone. `network_delay_most` is what a move may take on its way at the worst."""

    network_delay: int = 15
    network_delay_most: int = 0
    minimum_thinking_time: int = 0
    slow_mover: int = 100
    ponder: bool = False
    whole_seconds: bool = False


@dataclass(frozen=True)
class SearchOptions:
    """What a user may set. Draw values are centipawns for that colour; max_moves_to_draw is in plies of the game,
    0 for the variant's own limit; `declaration` whether a win may be declared where the variant has that."""

    multipv: int = 1
    draw_value_black: int = 0
    draw_value_white: int = 0
    max_moves_to_draw: int = 0
    declaration: bool = True
    clock: ClockOptions = field(default_factory=ClockOptions)

    def last_ply(self, variant: Variant) -> int:
        """The ply after which a game is a draw; 0 if it has no such limit."""
        return min((plies for plies in (variant.max_plies, self.max_moves_to_draw) if plies), default=0)

    def draw_values(self, turn: int) -> list[int]:
        """What a draw is worth to Black and to White, in centipawns, where the engine plays the side `turn`: what it
        is not worth to the engine, it is to the other."""
        draw = self.draw_value_white if turn else self.draw_value_black
        return [-draw, draw] if turn else [draw, -draw]
