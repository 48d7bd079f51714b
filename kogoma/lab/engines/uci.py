"""Engines that speak UCI's dialect for shogi-like games, as Fairy-Stockfish does: https://backscattering.de/chess/uci/

Their White moves first, and so is our Black.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from kogoma.lab.engines.clock import Clock
from kogoma.lab.engines.peer_notation import sfen_to_fen
from kogoma.lab.engines.usi import UsiEngine, fixed_limits
from kogoma.rules.base_position import BasePosition


class UciEngine(UsiEngine):
    """An engine that speaks UCI."""

    handshake, greeted, new = "uci", "uciok", "ucinewgame"
    notation = "uci"
    mate_in_moves = True

    def _position(self, position: BasePosition) -> str:
        start = "startpos" if self.start_sfen == self.variant.start else f"fen {sfen_to_fen(self.start_sfen)}"
        moves = self._dialect.moves(position)
        return f"position {start}" + (" moves " + " ".join(moves) if moves else "")

    def _go(self, clocks: Sequence[Clock], side: int) -> str:
        """UCI has no byoyomi: it is a move's time once the clock has run out, and an increment before."""
        clock, words = clocks[side], ["go"]
        control = clock.control
        if control.move_ms or (control.timed and clock.remaining_ms < 1):
            words.append(f"movetime {max(1, math.floor(clock.allowed_ms() or 1))}")
        elif control.timed:
            first, second = (math.floor(each.remaining_ms) + each.control.byoyomi_ms for each in clocks)
            words.append(f"wtime {first} btime {second}")
            first, second = (each.control.increment_ms + each.control.byoyomi_ms for each in clocks)
            words += [f"winc {first} binc {second}"] * bool(first or second)
            words += [f"movestogo {clock.moves_to_go()}"] * bool(control.moves)
        return " ".join([*words, *fixed_limits(clock)])
