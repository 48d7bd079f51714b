"""Commands for a person at a terminal, in addition to USI: perft, bench, the board, the evaluation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kogoma.usi_engine.output import Output
from kogoma.usi_engine.tasks import Task

if TYPE_CHECKING:
    from kogoma.eval.explain import Shares
    from kogoma.rules.base_position import BasePosition
    from kogoma.rules.variants import Variant

HELP = """\
A game       usi, isready, setoption name NAME value VALUE, usinewgame, gameover [win|lose|draw], quit
A position   position startpos [moves M...]   or   position sfen SFEN [moves M...]
A search     go [btime|wtime|byoyomi|binc|winc|movetime MS] [depth|nodes N] [infinite] [ponder] [searchmoves M...]
             stop, ponderhit [clocks]; a bare go thinks until stop
For people   d (the board), eval (its evaluation by terms), go perft N, bench [DEPTH], help
Moves        2e3d, with promotion 2b2a+, a drop P*3c: files count from the right, ranks are letters from the top"""


class Perft(Task):
    """`go perft N`: the leaf nodes of the move tree of N plies, by first move, in Stockfish's format."""

    def __init__(self, output: Output, position: BasePosition, depth: int, caveat: str) -> None:
        super().__init__(output, caveat)
        self._position, self._depth = position, depth

    def work(self) -> list[str]:
        """Send the number of leaf nodes below each legal move, and return the lines with their sum. `stop` ends the
        count early."""
        total = 0
        for move, count in self._position.divide(self._depth, self.stopped.is_set):
            self.output.line(f"{move}: {count}")
            total += count
        return ["", f"Nodes searched: {total}", ""]


class Bench(Task):
    """`bench [DEPTH]`: search fixed positions to a fixed depth."""

    def __init__(self, output: Output, depth: int | None, variant: str) -> None:
        super().__init__(output)
        self._depth, self._variant = depth, variant

    def work(self) -> list[str]:
        """Run the bench and return the lines of its summary. `stop` has no effect on it, but `quit` ends it."""
        return bench_lines(self._depth, self._variant, self.output.line)


def bench_lines(depth: int | None, variant: str | None, report: Callable[[str], None]) -> list[str]:
    """Run the bench of a variant (None: minishogi) and return the lines of its summary. `report` gets a line for each
    position."""
    from kogoma.search.bench import SIGNATURE, bench

    nodes, seconds = bench(variant or SIGNATURE, depth, report)
    return [f"Nodes searched: {nodes}", f"Nodes/second  : {round(nodes / max(seconds, 1e-9))}"]


def evaluation_lines(position: BasePosition, network: bool) -> list[str]:
    """Return lines that explain the evaluation of a position, with or without the network: its terms in centipawns, the
    total for the side to move, and the share of each piece."""
    from kogoma.eval.explain import explain, shares

    rows, total = explain(position, network)
    lines = [f"{'term':<24}{'black':>8}{'white':>8}{'sum':>8}"]
    lines += [f"{term:<24}{black:>8}{white:>8}{black - white:>8}" for term, black, white in rows]
    side = "White" if position.turn else "Black"
    lines.append(f"total {total} centipawns for {side}, who is to move")
    lines += [
        "",
        "share of each piece: in the term pieces, and the change of the network's output if it were removed,",
        "in centipawns for Black:",
    ]
    return lines + _share_lines(position, shares(position, network))


def _share_lines(position: BasePosition, found: Shares) -> list[str]:
    """Return the lines of a diagram, in which each piece's share of the evaluation is below the piece. Lines with the
    pieces in hand and their shares follow."""
    from kogoma.rules.notation import SIDE_NAMES, piece_letter

    variant = position.variant
    cells = [int(cell) for cell in position.fields["board"][: variant.squares]]
    lines = []
    for row in range(variant.ranks):
        squares = range(row * variant.files, (row + 1) * variant.files)
        lines.append("".join(f"{piece_letter(variant, cells[square]) or '.':>7}" for square in squares))
        numbers = [f"{found.board[square]:+7.0f}" if cells[square] else " " * 7 for square in squares]
        lines.append("".join(numbers).rstrip())
    for owner, name in enumerate((*SIDE_NAMES, "centre")):
        held = [
            f"{_held_name(variant, kind)} {share:+.0f}" for (side, kind), share in found.hands.items() if side == owner
        ]
        if held:
            lines.append(f"{name}: {', '.join(held)}")
    return lines


def _held_name(variant: Variant, kind: int) -> str:
    from kogoma.rules.onitama_cards import CARDS

    return CARDS[kind].name if variant.cards else variant.pieces[kind - 1].letter
