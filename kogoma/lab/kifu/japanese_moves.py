"""Moves in Japanese: KIF's `７六歩(77)` with the origin square, and KI2's `５八金右`, the notation of books, whose
suffixes distinguish pieces.

The suffixes (右, 左, 直, 上, 寄, 引, 打) follow the Japan Shogi Association: https://www.shogi.or.jp/faq/kihuhyouki.html
"""

from __future__ import annotations

import re

from kogoma.lab.kifu.errors import GameError
from kogoma.lab.kifu.grammar import (
    half_width,
    has_kanji,
    letter_of,
    pattern,
    piece_name,
    square_of,
    square_text,
    target_of,
)
from kogoma.rules.base_position import BasePosition
from kogoma.rules.notation import parse_square
from kogoma.rules.position import Position
from kogoma.rules.variants import Promotion, Variant

MOVE = pattern("move")  # groups: file, rank, piece, side, way, promotion, drop, file and rank of the origin
TURNED = ("+B", "+R")  # promoted bishop and rook: 直 is not used for them

Way = tuple[int, int]  # direction of a move as its player sees it: (right, forward), each -1, 0 or 1


def letter_at(position: BasePosition, square: str) -> str:
    """Return the letter of the piece on a square, or "" if the square is empty."""
    assert isinstance(position, Position)
    variant = position.variant
    row, column = ord(square[1]) - ord("a"), variant.files - int(square[0])
    cell = int(position.fields["board"][row * variant.files + column])
    return variant.pieces[(cell & 15) - 1].letter if cell else ""


def kif_move(position: BasePosition, usi: str, before: str = "") -> str:
    """Return a move as KIF: `７六歩(77)`, `同　角成(88)`, `５二金打`. `before` is the last move's target square."""
    if not has_kanji(position.variant):
        return usi
    where, letter = _begin(position, usi, before)
    if "*" in usi:
        return f"{where}{piece_name(position.variant, letter)}打"
    turns = "成" * usi.endswith(("+", "-"))
    return f"{where}{piece_name(position.variant, letter)}{turns}({usi[0]}{ord(usi[1]) - ord('a') + 1})"


def ki2_move(position: Position, usi: str, before: str = "") -> str:
    """Return a move as KI2: `７六歩`, `同　角成`, `５二金右`. `before` is the square to which the last move went."""
    where, letter = _begin(position, usi, before)
    ways = _ways(position, letter, target_of(usi))
    if "*" in usi:
        return f"{where}{piece_name(position.variant, letter)}{'打' * bool(ways)}"
    mine = ways.pop(usi[:2])
    turns = "成" if usi.endswith(("+", "-")) else "不成" if is_legal(position, usi + "+") else ""
    suffix = _suffix(mine, list(ways.values()), letter in TURNED)
    return f"{where}{piece_name(position.variant, letter)}{suffix}{turns}"


def _begin(position: BasePosition, usi: str, before: str) -> tuple[str, str]:
    """Return the text of a move's target square, and the letter of the piece before the move."""
    target = target_of(usi)
    letter = usi[: usi.index("*")] if "*" in usi else letter_at(position, usi[:2])
    return "同　" if target == before else square_text(target), letter


def usi_of(position: BasePosition, text: str | re.Match[str]) -> str:
    """Return a move in KIF or KI2 in USI notation: with an origin square, the move as written, otherwise the only legal
    move that fits; missing, unusual or wrong suffixes are accepted. `text` may be a match of MOVE. Raises ValueError if
    no move fits, or several."""
    found = re.fullmatch(MOVE, text.strip()) if isinstance(text, str) else text
    if not isinstance(position, Position) or not has_kanji(position.variant):
        raise GameError.of("no-kanji", name=position.variant.name)
    if not found:
        raise GameError.of("no-move-fits")
    file, rank, name, side, way, turns, drop = found.groups()[:7]
    origin = half_width("".join(found.groups(default="")[7:]))
    if file is None and not position.moves:
        raise GameError.of("same-square-first")
    target = square_of(file, rank) if file else target_of(position.moves[-1])
    letter = letter_of(position.variant, name)
    if drop or origin == "00":
        return f"{letter}*{target}"
    if not origin:
        return _fitting(position, letter, target, (side, way, turns))
    usi = _from(position.variant, *origin) + target
    here = letter_at(position, usi[:2])
    if not here:
        raise GameError.of("empty-square", square=origin, other=name)
    if here != letter:
        raise GameError.of("other-piece-there", piece=piece_name(position.variant, here), square=origin, other=name)
    if position.variant.promotion is not Promotion.IN_ZONE and turns is None and not is_legal(position, usi):
        return usi + "+"  # promotion is not marked in such variants
    return usi + "+" * (turns == "成")


def _from(variant: Variant, file: str, rank: str) -> str:
    if not (1 <= int(file) <= variant.files and 1 <= int(rank) <= variant.ranks):
        raise GameError.of("no-such-square", square=file + rank)
    return square_of(file, rank)


def _fitting(position: Position, letter: str, target: str, suffix: tuple[str, str, str | None]) -> str:
    side, way, turns = suffix
    legal = [usi for usi in position.legal_moves() if target_of(usi) == target]
    steps = [usi for usi in legal if "*" not in usi and letter_at(position, usi[:2]) == letter]
    plain = [usi for usi in steps if len(usi) == 4]
    steps = (
        plain if turns != "成" and plain else [usi for usi in steps if len(usi) > 4] if turns in ("成", None) else []
    )
    if not steps and f"{letter}*{target}" in legal and turns is None:
        return f"{letter}*{target}"
    if len(steps) > 1:
        steps = _by_direction(steps, target, side, way, -1 if position.turn else 1)
    if len(steps) != 1:
        raise GameError.of("several-moves-fit" if steps else "no-move-fits")
    return steps[0]


def _by_direction(steps: list[str], target: str, side: str, way: str, sign: int) -> list[str]:
    """Return those of `steps` whose direction fits the suffixes. All of `steps` bring the same type of piece to
    `target`; `sign` is -1 for White. Some books write 直 for 上, and for dragons and horses 行 for 上."""
    ways = {}
    for usi in steps:
        left, down = int(target[0]) - int(usi[0]), ord(usi[1]) - ord(target[1])
        ways[usi] = sign * ((left > 0) - (left < 0)), sign * ((down > 0) - (down < 0))
    if way:
        steps = [usi for usi in steps if ways[usi][1] == {"寄": 0, "引": -1}.get(way, 1)]
    if side == "直":
        return [usi for usi in steps if ways[usi] == (0, 1)]
    if side and steps:
        end = (max if side == "右" else min)(ways[usi][0] for usi in steps)  # a piece from the right goes to the left
        steps = [usi for usi in steps if ways[usi][0] == end]
    return steps


def is_legal(position: BasePosition, usi: str) -> bool:
    """Return whether a move in USI notation is legal."""
    try:
        position.code(usi)
    except ValueError:
        return False
    return True


def _suffix(mine: Way, others: list[Way], is_turned: bool) -> str:
    """Return the suffix that distinguishes a move from moves of other pieces of the same type to the same square.
    `mine` is the direction of the move, and `others` are the directions of the other moves."""
    beside = [right for right, forward in others if forward == mine[1]]
    behind = [forward for right, forward in others if right == mine[0]]
    text, right = "", mine[0]
    if beside:
        if not right and is_turned:
            right = -beside[0]
        elif not right:
            return "直"
        text = "右" if right < 0 else "左"
    if behind or (others and not beside):
        text += {1: "上", 0: "寄", -1: "引"}[mine[1]]
    return text


def _ways(position: Position, letter: str, target: str) -> dict[str, Way]:
    """Return the squares from which pieces of type `letter` of the side to move reach `target`, with the direction of
    each move. Pinned pieces are included."""
    variant, setup = position.variant, position.setup()
    number, goal = variant.letters[letter], parse_square(variant, target)
    sign = -1 if setup.turn else 1
    piece, found = variant.pieces[number - 1], dict[str, Way]()
    for square, cell in enumerate(setup.board):
        if cell != setup.turn << 4 | number:
            continue
        row, column = divmod(square, variant.files)
        for right, forward in piece.directions:
            at = column, row
            while True:
                at = at[0] + sign * right, at[1] - sign * forward
                if not (0 <= at[0] < variant.files and 0 <= at[1] < variant.ranks):
                    break
                here = at[1] * variant.files + at[0]
                if here == goal:
                    name = f"{variant.files - column}{chr(ord('a') + row)}"
                    found[name] = (right > 0) - (right < 0), (forward > 0) - (forward < 0)
                if here == goal or setup.board[here] or (right, forward) in piece.steps:
                    break
    return found
