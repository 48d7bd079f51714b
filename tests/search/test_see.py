"""The static exchange evaluation in every layout, compared with a recursive search of the exchange."""

from __future__ import annotations

import pytest

from kogoma.rules.position import Position
from kogoma.search.see import ROYAL
from oracles import onitama as onitama_oracle
from oracles import shogi as oracle
from support.kernels import SHOGI_GAMES, Kernels, action_of, cases, kernels, onitama_cases, plain_usi

# Computing `cases` is slow, so all tests that use `cases` run in the same process.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cases")]


class Exchange:
    """A recursive search of the captures on one square. The least valuable piece captures first and the king last. Pins
    are ignored, and only the first move may promote."""

    def __init__(self, game: Kernels, board: oracle.Position) -> None:
        self.game, self.rules, self.board = game, board.rules, dict(board.board)

    def type_of(self, piece: str) -> int:
        return self.game.variant.letters[piece.upper()]

    def worth(self, piece: str) -> int:
        if piece.upper() == self.rules.king:
            return ROYAL
        return int(self.game.weights[0]["exchange"][self.type_of(piece)])

    def attackers(self, side: int, target: oracle.Square) -> list[oracle.Square]:
        found = []
        for square, piece in self.board.items():
            if oracle.owner(piece) != side:
                continue
            for ray in oracle.rays(self.rules, piece, square):
                occupied = [passed for passed in ray if passed in self.board]
                if target in ray and (not occupied or ray.index(target) <= ray.index(occupied[0])):
                    found.append(square)
        return found

    def reply(self, side: int, target: oracle.Square) -> int:
        """Return the gain of `side` from capturing on `target`, or 0 if it is better not to capture."""
        attackers = self.attackers(side, target)
        if not attackers:
            return 0
        cheapest = min(attackers, key=lambda square: (self.worth(self.board[square]), square[1], square[0]))
        gain = self.worth(self.board[target])
        self.board[target] = self.board.pop(cheapest)
        return max(0, gain - self.reply(1 - side, target))

    def value(self, move: oracle.Move, side: int) -> int:
        """Return the gain of `side` in centipawns from the move and the captures that follow on the same square."""
        if move.origin is None:
            self.board[move.target] = move.drop if side == oracle.BLACK else move.drop.lower()
            return -self.reply(1 - side, move.target)
        captured, piece = self.board.get(move.target), self.board.pop(move.origin)
        gain = self.worth(captured) if captured else 0
        if move.flip:
            gain += int(self.game.weights[0]["promotion_gain"][self.type_of(piece)])
        self.board[move.target] = {"": piece, "+": "+" + piece[-1], "-": piece[-1]}[move.flip]
        return gain - self.reply(1 - side, move.target)


@pytest.mark.parametrize("name", SHOGI_GAMES)
def test_exchange_has_the_value_of_a_recursive_one(name: str) -> None:
    game, exchanges, losing = kernels(name), 0, 0
    for case in cases(name)[::3]:
        record = game.struct(case.position)
        tactical, quiet, drops = (game.stage(record, number) for number in range(3))
        for code in tactical + quiet[::4] + drops[::6]:
            usi = plain_usi(case, code)
            value = Exchange(game, case.board).value(case.moves[usi][0], case.board.turn)
            for threshold in (value, value + 1, value - 1, 0, 1, -200, 500):
                reached = game.wins_exchange(record, code, threshold)
                assert reached == (value >= threshold), (case.position.sfen(), usi, value, threshold)
            exchanges += 1
            losing += value < 0
    assert exchanges > 100 and losing > 20


def test_onitamas_exchange_ends_with_the_reply() -> None:
    game, exchanges, losing = kernels("onitama"), 0, 0
    for position, told in onitama_cases():
        record, letters = game.struct(position), game.variant.letters
        for code in game.generated(record):
            action, value = action_of(position.usi(code)), 0
            if "PASS" not in action:
                origin, target = map(onitama_oracle.square_of, (action[-4:-2], action[-2:]))
                worth = {"w": "S", "b": "S", "W": "M", "B": "M"}
                captured = told.board.get(target)
                if captured:
                    value = int(game.weights[0]["exchange"][letters[worth[captured]]])
                if can_answer_on(told, target):
                    piece = worth[told.board[origin]]
                    value -= ROYAL if piece == "M" else int(game.weights[0]["exchange"][letters[piece]])
            for threshold in (value, value + 1, value - 1, 0, 1):
                assert game.wins_exchange(record, code, threshold) == (value >= threshold), (position.sfen(), action)
            exchanges += 1
            losing += value < 0
    assert exchanges > 1000 and losing > 100


def can_answer_on(told: onitama_oracle.Game, target: onitama_oracle.Square) -> bool:
    """Return whether the opponent of the side to move can move a piece to `target` with one of the opponent's cards."""
    other = 1 - told.turn
    return any(
        (x + dx, y + dy) == target
        for (x, y), piece in told.board.items()
        if onitama_oracle.owner(piece) == other and (x, y) != target
        for card in told.hands[other]
        for dx, dy in onitama_oracle.steps(card, other)
    )


@pytest.mark.parametrize(
    ("sfen", "won", "lost", "why"),
    [
        ("4k/5/2p2/2R2/K4 b - 1", "p", "", "the pawn stands alone"),
        ("4k/3g1/2p2/2R2/K4 b - 1", "p", "r", "the gold takes back"),
        ("4k/3g1/2p2/2R2/K1R2 b - 1", "pg", "r", "and the rook behind the rook captures it"),
        ("5/1k3/2p2/2R2/4K b - 1", "p", "r", "the king takes back an unprotected piece"),
        ("5/1k3/2p2/2R2/2R1K b - 1", "p", "", "but not a protected one"),
    ],
)
def test_exchange_by_hand(sfen: str, won: str, lost: str, why: str) -> None:
    game, position = kernels("minishogi"), Position("minishogi", sfen)
    letters = game.variant.letters.items()
    worth = {letter.lower(): int(game.weights[0]["exchange"][number]) for letter, number in letters}
    value = sum(worth[piece] for piece in won) - sum(worth[piece] for piece in lost)
    move, record = position.code("3d3c"), game.struct(position)
    assert game.wins_exchange(record, move, value), why
    assert not game.wins_exchange(record, move, value + 1), why
