"""The rules of small shogi variants in plain Python. They are slow, but easy to check by reading.

Tests compare the engine with this module, which therefore shares no code with the engine and takes no short cuts: to
find out whether a move is legal, it plays the move on a copy and looks for captures of the king. The differences
between variants are in `oracles.variants`. The board may have any size. Squares are (column from the left, row from the
top), both counted from 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from oracles.variants import RULES as RULES  # tests also import these names from this module
from oracles.variants import Rules as Rules
from oracles.variants import Square as Square

BLACK, WHITE = 0, 1
MINISHOGI, MINISHOGI_CODINGAME = RULES["minishogi"], RULES["minishogi-codingame"]


class Outcome(NamedTuple):
    """The end of a game: the winner (None for a draw) and the reason."""

    winner: int | None
    reason: str


@dataclass(frozen=True, eq=False)
class Position:
    """A position of a game. Empty squares are missing from `board`, and White's letters are lower case.

    A hand is the sorted string of its letters in upper case. `number` is the move number of the SFEN.
    """

    rules: Rules = field(repr=False)
    board: dict[Square, str]
    hands: tuple[str, str]
    turn: int
    number: int = 1

    @cached_property
    def key(self) -> object:
        """Return the parts of the position that are equal when the position is repeated."""
        return frozenset(self.board.items()), self.hands, self.turn


class Move(NamedTuple):
    """A move from `origin` to `target`, or a drop of the piece `drop` on `target`.

    The `origin` of a drop is None, and its `drop` is a letter such as "P", or "+P" for the promoted side. The `flip` of
    a move is "+" if the piece turns to its promoted side, and "-" if the piece turns back.
    """

    origin: Square | None
    target: Square
    flip: str = ""
    drop: str = ""


# ---- Reading and writing ---------------------------------------------------------------------------------------------


def square_name(rules: Rules, square: Square) -> str:
    """Return a square in USI notation. Files are counted from the right; ranks have letters, counted from the top."""
    return f"{rules.files - square[0]}{chr(ord('a') + square[1])}"


def move_name(rules: Rules, move: Move) -> str:
    """Return a move in USI notation."""
    target = square_name(rules, move.target)
    if move.origin is None:
        return f"{move.drop}*{target}"
    return square_name(rules, move.origin) + target + move.flip


def parse_sfen(rules: Rules, sfen: str) -> Position:
    """Parse a valid SFEN."""
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
        assert x == rules.files, f"rank {y + 1} of {sfen} has {x} squares"
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
    """Return the SFEN of a position. Hands are in the order of `hand_order`, Black's first."""
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
    """Return the side that owns a piece."""
    return BLACK if piece.isupper() else WHITE


@cache
def rays(rules: Rules, piece: str, square: Square) -> tuple[tuple[Square, ...], ...]:
    """Return the squares that a piece can reach on an empty board, as one tuple for each direction."""
    forward = 1 if owner(piece) == BLACK else -1
    kind = rules.pieces[piece.upper()]
    found = []
    walks = [(dx, dy, 1) for dx, dy in kind.steps]
    walks += [(dx, dy, max(rules.files, rules.ranks)) for dx, dy in kind.slides]
    for dx, dy, longest in (*walks, *kind.short_slides):
        ray = [(square[0] + i * dx * forward, square[1] + i * dy * forward) for i in range(1, longest + 1)]
        found.append(tuple((x, y) for x, y in ray if 0 <= x < rules.files and 0 <= y < rules.ranks))
    return tuple(ray for ray in found if ray)


@cache
def reach(rules: Rules, piece: str, square: Square) -> frozenset[Square]:
    """Return the squares to which a piece can move on an empty board."""
    return frozenset(target for ray in rays(rules, piece, square) for target in ray)


def targets(position: Position, square: Square) -> Iterator[Square]:
    """Yield the squares to which the piece on `square` can move if checks are ignored."""
    piece = position.board[square]
    for ray in rays(position.rules, piece, square):
        for target in ray:
            occupant = position.board.get(target)
            if occupant is None or owner(occupant) != owner(piece):
                yield target
            if occupant is not None:
                break


def king_of(rules: Rules, side: int) -> str:
    """Return the letter of a side's king."""
    return rules.king if side == BLACK else rules.king.lower()


def checkers(position: Position, side: int) -> list[Square]:
    """Return the squares of the pieces that could capture the king of `side`."""
    king = king_of(position.rules, side)
    return [
        square
        for at in (square for square, piece in position.board.items() if piece == king)
        for square, piece in position.board.items()
        if owner(piece) != side and at in reach(position.rules, piece, square) and at in targets(position, square)
    ]


def in_check(position: Position, side: int) -> bool:
    """Return whether the king of `side` could be captured."""
    return bool(checkers(position, side))


def last_rows(rules: Rules, side: int, count: int, square: Square) -> bool:
    """Return whether a square is in the last `count` rows from the point of view of `side`."""
    return (square[1] if side == BLACK else rules.ranks - 1 - square[1]) < count


def flips(position: Position, origin: Square, target: Square) -> list[str]:
    """Return the ways in which the piece that moves from `origin` to `target` may turn over: "+" for promotion, "-" for
    unpromotion, or "" for not turning over."""
    rules, piece = position.rules, position.board[origin]
    if "+" + piece[-1].upper() not in rules.pieces:
        return [""]
    if piece[0] == "+" and piece[-1].upper() in rules.one_way:
        return [""]
    other_side = "-" if piece[0] == "+" else "+"
    if rules.flips == "every_move":
        return [other_side]
    if rules.flips == "on_capture":
        return [other_side if target in position.board else ""]
    zone = any(last_rows(rules, position.turn, rules.zone, square) for square in (origin, target))
    if piece[0] == "+" or not zone:
        return [""]
    # A piece must promote if it could never move again.
    stuck = last_rows(rules, position.turn, rules.zone, target) and not rays(rules, piece, target)
    return ["+"] if stuck or rules.forced else ["+", ""]


def drop_squares(position: Position, drop: str) -> Iterator[Square]:
    """Yield the squares on which the side to move may drop the piece `drop`. Drops that are illegal because they mate
    are included."""
    rules, board = position.rules, position.board
    piece = drop if position.turn == BLACK else drop.lower()
    for x in range(rules.files):
        most = rules.per_file.get(drop, 0)
        if most and sum(board.get((x, y)) == piece for y in range(rules.ranks)) >= most:
            continue
        for y in range(rules.ranks):
            if (x, y) not in board and (rules.drops_where_stuck or rays(rules, piece, (x, y))):
                yield x, y


@cache
def placements(rules: Rules) -> int:
    """Return the number of plies at the start of a game in which pieces are placed."""
    if not rules.placing_rows:
        return 0
    each = len(parse_sfen(rules, rules.start).hands[BLACK]) - sum(len(group) - 1 for group in rules.one_of)
    return 2 * each


def places(position: Position) -> bool:
    """Return whether the side to move has to place a piece."""
    return position.number <= placements(position.rules)


def placing_moves(position: Position) -> Iterator[Move]:
    """Yield the placements of all pieces in hand on the empty squares of the first rows."""
    rules, side = position.rules, position.turn
    for letter in sorted(set(position.hands[side])):
        for x in range(rules.files):
            for y in range(rules.ranks):
                if (x, y) not in position.board and last_rows(rules, 1 - side, rules.placing_rows, (x, y)):
                    yield Move(None, (x, y), drop=letter)


def pseudo_moves(position: Position) -> Iterator[Move]:
    """Yield all moves and drops, including moves that leave the king in check and drops that are illegal because they
    mate."""
    rules, board, side = position.rules, position.board, position.turn
    if places(position):
        yield from placing_moves(position)
        return
    for origin, piece in board.items():
        if owner(piece) == side:
            for target in targets(position, origin):
                for flip in flips(position, origin, target):
                    yield Move(origin, target, flip)
    for letter in sorted(set(position.hands[side])):
        sides = [letter, "+" + letter] if rules.drops_either_side else [letter]
        for drop in sides:
            for target in drop_squares(position, drop):
                yield Move(None, target, drop=drop)


def play(position: Position, move: Move) -> Position:
    """Return the position after a move."""
    board, hands, turn = dict(position.board), list(position.hands), position.turn
    if move.origin is None:
        hands[turn] = hands[turn].replace(move.drop[-1], "", 1)
        for group in position.rules.one_of if places(position) else ():
            if move.drop in group:
                hands[turn] = "".join(letter for letter in hands[turn] if letter not in group)
        board[move.target] = move.drop if turn == BLACK else move.drop.lower()
    else:
        captured = board.get(move.target)
        if captured is not None:
            hands[turn] = "".join(sorted(hands[turn] + captured[-1].upper()))
        piece = board.pop(move.origin)
        board[move.target] = {"": piece, "+": "+" + piece[-1], "-": piece[-1]}[move.flip]
    return replace(position, board=board, hands=(hands[0], hands[1]), turn=1 - turn, number=position.number + 1)


def decided(position: Position) -> Outcome | None:
    """Return the outcome of the game if a king was captured or has reached the goal, or if a check wins. Otherwise
    return None. In variants in which kings are not captured, a side may have no king."""
    rules = position.rules
    kings = {piece: square for square, piece in position.board.items() if piece.upper() == rules.king}
    for side in (BLACK, WHITE):
        if rules.king_capture and king_of(rules, side) not in kings:
            return Outcome(1 - side, "king_captured")
    for side in (1 - position.turn, position.turn):
        king = kings.get(king_of(rules, side))
        at_goal = rules.goal and king is not None and last_rows(rules, side, 1, king)
        if at_goal and not in_check(position, side):
            return Outcome(side, "goal")
    if rules.check_wins and in_check(position, position.turn):
        return Outcome(1 - position.turn, "check")
    return None


def may_declare(position: Position) -> bool:
    """Return whether the side to move may declare a win: its king and ten other pieces are in the zone, it is not in
    check, and it has enough points."""
    rules, side = position.rules, position.turn
    needed = rules.declaration[side]
    zone = rules.zone if rules.flips == "in_zone" else rules.ranks
    there = [
        piece.upper()
        for square, piece in position.board.items()
        if owner(piece) == side and last_rows(rules, side, zone, square)
    ]
    if not needed or rules.king not in there or len(there) < 11 or in_check(position, side):
        return False
    return sum(rules.points.get(piece, 1) for piece in [*there, *position.hands[side]]) >= needed


def is_pawn_drop_mate(move: Move, after: Position) -> bool:
    """Return whether `move`, which has led to the position `after`, is an illegal pawn drop that mates. In variants won
    by capturing the king, there is no mate, so no drop is illegal for this reason."""
    rules = after.rules
    if rules.king_capture or move.drop not in rules.no_drop_mate or not in_check(after, after.turn):
        return False
    return all(in_check(play(after, reply), after.turn) for reply in pseudo_moves(after))


@lru_cache(maxsize=4)  # the moves of a position are needed twice: to play one, and to find the end of the game
def safe_moves(position: Position) -> dict[str, tuple[Move, Position]]:
    """Return the moves of the side to move that do not leave its own king in check, each with the position after the
    move. Drops that are illegal because they mate are included. In variants won by capturing the king, all moves are
    returned."""
    found: dict[str, tuple[Move, Position]] = {}
    if decided(position):
        return found
    for move in pseudo_moves(position):
        after = play(position, move)
        if position.rules.king_capture or not in_check(after, position.turn):
            found[move_name(position.rules, move)] = move, after
    return found


def legal_moves(position: Position) -> dict[str, Position]:
    """Return the legal moves in USI notation, each with the position after the move."""
    return {usi: after for usi, (move, after) in safe_moves(position).items() if not is_pawn_drop_mate(move, after)}


def legal_one_by_one(position: Position, checks_alone: bool = False) -> Iterator[tuple[str, Position]]:
    """Yield the legal moves of `legal_moves`, or only those that give check if `checks_alone` is set. They are computed
    one by one, which saves time if not all of them are needed."""
    if decided(position):
        return
    for move in pseudo_moves(position):
        after = play(position, move)
        if checks_alone and not in_check(after, after.turn):
            continue
        is_safe = position.rules.king_capture or not in_check(after, position.turn)
        if is_safe and not is_pawn_drop_mate(move, after):
            yield move_name(position.rules, move), after


def pawn_drop_mates(position: Position) -> list[str]:
    """Return the pawn drops that are illegal only because they mate."""
    held = "P" in position.hands[position.turn] and not places(position)
    drops = [Move(None, target, drop="P") for target in drop_squares(position, "P")] if held else []
    return [
        move_name(position.rules, move)
        for move, after in ((move, play(position, move)) for move in drops)
        if is_pawn_drop_mate(move, after) and not in_check(after, position.turn)
    ]


def dice_moves(position: Position, roll: int) -> dict[str, Position]:
    """Return the legal moves that a roll from 1 to 6 allows, each with the position after the move. Raise ValueError in
    a variant without a die.

    A roll from 1 to 5 requires a move or drop to the file of that number. With a 6, or if no move goes to that file,
    all legal moves are allowed.
    """
    if position.rules.die is None:
        raise ValueError(f"{position.rules.name} has no die")
    moves = legal_moves(position)
    if position.rules.die == "filter_unless_in_check" and in_check(position, position.turn):
        return moves
    if roll == 6:
        return moves
    on_file = {usi: after for usi, after in moves.items() if usi.rstrip("+-")[-2] == str(roll)}
    return on_file or moves


def perft(position: Position, depth: int) -> int:
    """Return the number of sequences of `depth` legal moves."""
    if depth == 0:
        return 1
    return sum(perft(after, depth - 1) for after in legal_moves(position).values())


# ---- Games -----------------------------------------------------------------------------------------------------------


class Game:
    """A game. `positions` holds the start position and the position after each move, for the repetition rules."""

    def __init__(self, rules: Rules, sfen: str | None = None) -> None:
        self.rules = rules
        self.positions = [parse_sfen(rules, sfen or rules.start)]

    @property
    def position(self) -> Position:
        """Return the current position."""
        return self.positions[-1]

    def push(self, usi: str) -> None:
        """Play a move. Raise ValueError if the move is not legal."""
        after = legal_moves(self.position).get(usi)
        if after is None:
            raise ValueError(f"{usi} is not legal in {write_sfen(self.position)}")
        self.positions.append(after)

    def pop(self) -> None:
        """Take the last move back."""
        self.positions.pop()

    def occurrences(self) -> list[int]:
        """Return the indices in `positions` of all occurrences of the current position, including the current one."""
        key = self.position.key
        return [index for index, position in enumerate(self.positions) if position.key == key]

    def outcome(self) -> Outcome | None:
        """Return how the game has ended, or None if the game goes on."""
        rules, position = self.rules, self.position
        if over := decided(position):
            return over
        if not legal_moves(position):
            if in_check(position, position.turn) and not rules.king_capture:
                return Outcome(1 - position.turn, "checkmate")
            return Outcome(position.turn if rules.stalemated_wins else 1 - position.turn, "stalemate")
        occurrences = self.occurrences()
        if rules.fold is not None and len(occurrences) >= rules.fold:
            return self.repetition(occurrences[-rules.fold])
        if rules.max_plies is not None and position.number - 1 >= rules.max_plies:
            return Outcome(None, "max_plies")
        return None

    def repetition(self, first: int) -> Outcome:
        """Return the outcome of a repetition. `first` is the index in `positions` of the first occurrence that
        counts."""
        turn, since = self.position.turn, self.positions[first + 1 :]
        checking = [  # the sides that gave check with all their moves after `first`
            side for side in (BLACK, WHITE) if all(in_check(after, 1 - side) for after in since if after.turn != side)
        ]
        if self.rules.checks == "perpetual" and len(checking) == 1:
            return Outcome(1 - checking[0], "perpetual_check")
        if self.rules.checks == "standing" and in_check(self.position, turn):
            return Outcome(turn, "perpetual_check")
        if self.rules.repeater_loses:
            return Outcome(turn, "repetition")
        return Outcome(None if self.rules.fold_is_draw else WHITE, "repetition")
