"""The rules of small shogi in plain Python: slow, and simple enough to be checked by reading.

The tests hold the engine against this page, so it shares no code with the engine and takes no short cut: a move is
legal when, having been played on a copy, it leaves no king to be captured. A variant is one `Rules` table; the board
may have any size. Squares are (column from the left, row from the top), both from 0; steps are written as Black moves,
up the board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

BLACK, WHITE = 0, 1
Square = tuple[int, int]

N, S, E, W = (0, -1), (0, 1), (1, 0), (-1, 0)
NE, NW, SE, SW = (1, -1), (-1, -1), (1, 1), (-1, 1)
ORTHOGONAL, DIAGONAL = (N, S, E, W), (NE, NW, SE, SW)


class Piece(NamedTuple):
    """How a piece moves: single `steps`, and `slides` that go on until something is in the way."""

    steps: tuple[Square, ...] = ()
    slides: tuple[Square, ...] = ()


class Outcome(NamedTuple):
    """How a game ended: the winner (None for a draw) and why."""

    winner: int | None
    reason: str


@dataclass(frozen=True, eq=False)
class Rules:
    """One variant, as data. `pieces` by letter, promoted ones as "+P"; `zone` counts the rows one promotes in."""

    name: str
    files: int
    ranks: int
    start: str
    pieces: dict[str, Piece]
    hand_order: str
    zone: int
    repetition: Callable[[Game], Outcome | None]
    max_plies: int | None = None


@dataclass(frozen=True, eq=False)
class Position:
    """A board with hands and the side to move. Empty squares are missing from `board`; White's letters are lower case.

    A hand is the sorted string of its letters in upper case, `number` is the move number of the SFEN.
    """

    rules: Rules = field(repr=False)
    board: dict[Square, str]
    hands: tuple[str, str]
    turn: int
    number: int = 1

    @cached_property
    def key(self) -> object:
        """What has to be the same for a position to have occurred again."""
        return frozenset(self.board.items()), self.hands, self.turn


class Move(NamedTuple):
    """A move from `origin`, or a drop of `drop` (origin None)."""

    origin: Square | None
    target: Square
    promote: bool = False
    drop: str = ""


# ---- Reading and writing ---------------------------------------------------------------------------------------------


def square_name(rules: Rules, square: Square) -> str:
    """Return the square in USI: files count from the right, rows are letters from the top."""
    return f"{rules.files - square[0]}{chr(ord('a') + square[1])}"


def move_name(rules: Rules, move: Move) -> str:
    """Return the move in USI."""
    target = square_name(rules, move.target)
    if move.origin is None:
        return f"{move.drop}*{target}"
    return square_name(rules, move.origin) + target + "+" * move.promote


def parse_sfen(rules: Rules, sfen: str) -> Position:
    """Read an SFEN that is known to be good."""
    rows, turn, hands, number = sfen.split()
    board: dict[Square, str] = {}
    for y, row in enumerate(rows.split("/")):
        x, plus = 0, ""
        for letter in row:
            if letter.isdigit():
                x += int(letter)
            elif letter == "+":
                plus = "+"
            else:
                board[x, y] = plus + letter
                x, plus = x + 1, ""
        assert x == rules.files, f"rank {y + 1} of {sfen} is {x} wide"
    held, count = ["", ""], ""
    for letter in hands.replace("-", ""):
        if letter.isdigit():
            count += letter
        else:
            held[letter.islower()] += letter.upper() * int(count or 1)
            count = ""
    black, white = ("".join(sorted(hand)) for hand in held)
    return Position(rules, board, (black, white), "bw".index(turn), int(number))


def write_sfen(position: Position) -> str:
    """Return the SFEN, hands in the order of `hand_order`, Black's first."""
    rules, rows = position.rules, []
    for y in range(rules.ranks):
        row, empty = "", 0
        for x in range(rules.files):
            piece = position.board.get((x, y))
            if piece is None:
                empty += 1
                continue
            row, empty = row + (str(empty) if empty else "") + piece, 0
        rows.append(row + (str(empty) if empty else ""))
    hands = ""
    for side in (BLACK, WHITE):
        for letter in rules.hand_order:
            count = position.hands[side].count(letter)
            if count:
                hands += (str(count) if count > 1 else "") + (letter if side == BLACK else letter.lower())
    return f"{'/'.join(rows)} {'bw'[position.turn]} {hands or '-'} {position.number}"


# ---- Moving ----------------------------------------------------------------------------------------------------------


def owner(piece: str) -> int:
    """Return whose piece it is."""
    return BLACK if piece.isupper() else WHITE


@cache
def rays(rules: Rules, piece: str, square: Square) -> tuple[tuple[Square, ...], ...]:
    """Return, for each direction the piece moves in, the squares it would pass on an empty board."""
    forward = 1 if owner(piece) == BLACK else -1
    kind = rules.pieces[piece.upper()]
    found = []
    for vectors, longest in ((kind.steps, 1), (kind.slides, max(rules.files, rules.ranks))):
        for dx, dy in vectors:
            ray = [(square[0] + i * dx, square[1] + i * dy * forward) for i in range(1, longest + 1)]
            found.append(tuple((x, y) for x, y in ray if 0 <= x < rules.files and 0 <= y < rules.ranks))
    return tuple(ray for ray in found if ray)


def targets(position: Position, square: Square) -> Iterator[Square]:
    """Yield the squares that the piece on `square` could move to if there were no check."""
    piece = position.board[square]
    for ray in rays(position.rules, piece, square):
        for target in ray:
            occupant = position.board.get(target)
            if occupant is None or owner(occupant) != owner(piece):
                yield target
            if occupant is not None:
                break


def checkers(position: Position, side: int) -> list[Square]:
    """Return the squares of the pieces that could capture the king of `side`."""
    king = "K" if side == BLACK else "k"
    return [
        square
        for square, piece in position.board.items()
        if owner(piece) != side and any(position.board.get(target) == king for target in targets(position, square))
    ]


def in_check(position: Position, side: int) -> bool:
    """Tell whether the king of `side` could be captured."""
    return bool(checkers(position, side))


def in_zone(position: Position, square: Square) -> bool:
    """Tell whether the square is among the last rows of the side to move."""
    row = square[1] if position.turn == BLACK else position.rules.ranks - 1 - square[1]
    return row < position.rules.zone


def pseudo_moves(position: Position) -> Iterator[Move]:
    """Yield all moves and drops, the king's safety and pawn-drop mate left aside."""
    rules, board, turn = position.rules, position.board, position.turn
    for origin, piece in board.items():
        if owner(piece) != turn:
            continue
        for target in targets(position, origin):
            may_promote = "+" + piece.upper() in rules.pieces and (
                in_zone(position, origin) or in_zone(position, target)
            )
            if may_promote:
                yield Move(origin, target, promote=True)
            if not may_promote or rays(rules, piece, target):  # a piece that could never move again must promote
                yield Move(origin, target)
    for letter in sorted(set(position.hands[turn])):
        piece = letter if turn == BLACK else letter.lower()
        for target in ((x, y) for x in range(rules.files) for y in range(rules.ranks)):
            nifu = letter == "P" and any(board.get((target[0], y)) == piece for y in range(rules.ranks))
            if target not in board and not nifu and rays(rules, piece, target):
                yield Move(None, target, drop=letter)


def play(position: Position, move: Move) -> Position:
    """Return the position after the move; the one before it stays as it is."""
    board, hands, turn = dict(position.board), list(position.hands), position.turn
    if move.origin is None:
        hands[turn] = hands[turn].replace(move.drop, "", 1)
        board[move.target] = move.drop if turn == BLACK else move.drop.lower()
    else:
        captured = board.get(move.target)
        if captured is not None:
            hands[turn] = "".join(sorted(hands[turn] + captured[-1].upper()))
        board[move.target] = "+" * move.promote + board.pop(move.origin)
    return replace(position, board=board, hands=(hands[0], hands[1]), turn=1 - turn, number=position.number + 1)


def is_pawn_drop_mate(move: Move, after: Position) -> bool:
    """Tell whether the move, which led to `after`, dropped a pawn that mates at once."""
    return move.drop == "P" and in_check(after, after.turn) and not legal_moves(after)


@lru_cache(maxsize=4)  # a game asks for the same position's moves when it plays one and when it looks for its end
def safe_moves(position: Position) -> dict[str, tuple[Move, Position]]:
    """Return the moves that leave the own king safe (pawn-drop mates are still among them), with what they lead to."""
    found = {}
    for move in pseudo_moves(position):
        after = play(position, move)
        if not in_check(after, position.turn):
            found[move_name(position.rules, move)] = move, after
    return found


def legal_moves(position: Position) -> dict[str, Position]:
    """Return the legal moves in USI, each with the position it leads to."""
    return {usi: after for usi, (move, after) in safe_moves(position).items() if not is_pawn_drop_mate(move, after)}


def pawn_drop_mates(position: Position) -> list[str]:
    """Return the drops that are illegal only because they mate."""
    drops = [(move, play(position, move)) for move in pseudo_moves(position) if move.drop == "P"]
    return [
        move_name(position.rules, move)
        for move, after in drops
        if is_pawn_drop_mate(move, after) and not in_check(after, position.turn)
    ]


def perft(position: Position, depth: int) -> int:
    """Count the move sequences of `depth` plies."""
    if depth == 0:
        return 1
    return sum(perft(after, depth - 1) for after in legal_moves(position).values())


# ---- Games -----------------------------------------------------------------------------------------------------------


class Game:
    """A start position and the moves played since; keeps every position for the repetition rules."""

    def __init__(self, rules: Rules, sfen: str | None = None) -> None:
        self.rules = rules
        self.positions = [parse_sfen(rules, sfen or rules.start)]

    @property
    def position(self) -> Position:
        """Return the position now on the board."""
        return self.positions[-1]

    def push(self, usi: str) -> None:
        """Play a legal move; ValueError otherwise."""
        after = legal_moves(self.position).get(usi)
        if after is None:
            raise ValueError(f"{usi} is not legal in {write_sfen(self.position)}")
        self.positions.append(after)

    def pop(self) -> None:
        """Take the last move back."""
        self.positions.pop()

    def occurrences(self) -> list[int]:
        """Return the indices in `positions` at which the present position stood, the present one included."""
        key = self.position.key
        return [index for index, position in enumerate(self.positions) if position.key == key]

    def outcome(self) -> Outcome | None:
        """Return how the game has ended, or None while it goes on."""
        position = self.position
        if not legal_moves(position):
            return Outcome(1 - position.turn, "checkmate" if in_check(position, position.turn) else "stalemate")
        repetition = self.rules.repetition(self)
        if repetition is not None:
            return repetition
        if self.rules.max_plies is not None and position.number - 1 >= self.rules.max_plies:
            return Outcome(None, "max_plies")
        return None


def fourfold(game: Game) -> Outcome | None:
    """At the 4th occurrence the side all of whose moves since the first one gave check loses, otherwise Black."""
    occurrences = game.occurrences()
    if len(occurrences) < 4:
        return None
    since = game.positions[occurrences[0] + 1 :]
    always_checking = [
        side for side in (BLACK, WHITE) if all(in_check(after, 1 - side) for after in since if after.turn != side)
    ]
    if len(always_checking) == 1:
        return Outcome(1 - always_checking[0], "perpetual_check")
    return Outcome(WHITE, "repetition")


def threefold_now(game: Game) -> Outcome | None:
    """At the 3rd occurrence the side to move wins if it is in check there and then, otherwise Black loses."""
    if len(game.occurrences()) < 3:
        return None
    turn = game.position.turn
    if in_check(game.position, turn):
        return Outcome(turn, "perpetual_check")
    return Outcome(WHITE, "repetition")


# ---- The variants ----------------------------------------------------------------------------------------------------

GOLD = Piece(steps=(N, NE, NW, E, W, S))
SHOGI_PIECES = {
    "K": Piece(steps=ORTHOGONAL + DIAGONAL),
    "G": GOLD,
    "S": Piece(steps=(N, *DIAGONAL)),
    "B": Piece(slides=DIAGONAL),
    "R": Piece(slides=ORTHOGONAL),
    "P": Piece(steps=(N,)),
    "+S": GOLD,
    "+B": Piece(steps=ORTHOGONAL, slides=DIAGONAL),
    "+R": Piece(steps=DIAGONAL, slides=ORTHOGONAL),
    "+P": GOLD,
}
MINISHOGI = Rules(
    name="minishogi",
    files=5,
    ranks=5,
    start="rbsgk/4p/5/P4/KGSBR b - 1",
    pieces=SHOGI_PIECES,
    hand_order="RBGSP",
    zone=1,
    repetition=fourfold,
)
MINISHOGI_CODINGAME = replace(MINISHOGI, name="minishogi-codingame", repetition=threefold_now, max_plies=300)
RULES = {rules.name: rules for rules in (MINISHOGI, MINISHOGI_CODINGAME)}
