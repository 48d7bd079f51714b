"""The schema of variant files. Each reader returns the value of a key, or raises ValueError with the reason."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from enum import IntEnum
from math import gcd
from typing import Any

from kogoma.rules import variants
from kogoma.rules.custom.errors import shown
from kogoma.rules.variants import NAME, CheckRule, Die, Piece, Promotion, RepetitionResult, Vector

DIRECTIONS: dict[str, tuple[Vector, ...]] = {  # by name
    "forward": (variants.FORWARD,),
    "back": (variants.BACK,),
    "left": (variants.LEFT,),
    "right": (variants.RIGHT,),
    "forward_left": (variants.FORWARD_LEFT,),
    "forward_right": (variants.FORWARD_RIGHT,),
    "back_left": (variants.BACK_LEFT,),
    "back_right": (variants.BACK_RIGHT,),
    "king": variants.KING.steps,
    "gold": variants.GOLD_STEPS,
    "silver": variants.SILVER.steps,
    "chess_knight": (*variants.KNIGHT_STEPS, (-2, 1), (2, 1), (-2, -1), (2, -1), (-1, -2), (1, -2)),
    "orthogonals": variants.ORTHOGONALS,
    "diagonals": variants.DIAGONALS,
    "knight": variants.KNIGHT_STEPS,
    "sideways": (variants.LEFT, variants.RIGHT),
}

PIECES: dict[str, Piece] = {piece.letter: piece for piece in variants.SHOGI.pieces}

Read = Callable[[Any], Any]

FARTHEST = 8  # steps between opposite corners of the largest board
LETTER = re.compile(r"\+?[A-Z]")


def _said(value: Any) -> str:
    return shown(str(value).lower() if isinstance(value, bool) else repr(value))


def number(least: int, most: int) -> Read:
    """Return a function that reads a whole number from `least` to `most`."""

    def read(value: Any) -> int:
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"needs a whole number from {least} to {most}, not {_said(value)}")
        return value

    return read


def flag(value: Any) -> bool:
    """Return `value`, which must be true or false."""
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, not {_said(value)}")
    return value


def text(value: Any) -> str:
    """Return `value`, which must be a short printable text."""
    if not isinstance(value, str) or not value.isprintable() or len(value) > 300:
        raise ValueError(f"must be a text of at most 300 printable characters, not {_said(value)}")
    return value


def name(value: Any) -> str:
    """Return `value`, which must be a valid name of a variant."""
    if not isinstance(value, str) or not re.fullmatch(NAME, value):
        wanted = "up to 30 lower-case letters, digits and hyphens, beginning with a letter (it is part of file names)"
        raise ValueError(f"needs {wanted}, not {_said(value)}")
    return value


def one_of(kind: type[IntEnum]) -> Read:
    """Return a function that reads the lower-case name of a member of an enum and returns the member."""
    words = {member.name.lower(): member for member in kind}

    def read(value: Any) -> IntEnum:
        if not isinstance(value, str) or value not in words:
            raise ValueError(f"must be one of {', '.join(words)}, not {_said(value)}")
        return words[value]

    return read


def letter(value: Any) -> str:
    """Return `value`, which must be a piece's letter. The letter of a promoted piece begins with +."""
    if not isinstance(value, str) or not LETTER.fullmatch(value):
        raise ValueError(f"needs a capital letter, with + before it for a promoted piece, not {_said(value)}")
    return value


def other_side(value: Any) -> str:
    """Return `value`, which must be the letter of a promoted piece, or "" for none."""
    return "" if value == "" else letter(value)


def letters(value: Any) -> tuple[str, ...]:
    """Return the items of the list `value`, which must be different letters of unpromoted pieces."""
    found = tuple(letter(one) for one in _list(value))
    if turned := [one for one in found if one.startswith("+")]:
        raise ValueError(f"must list {turned[0][1:]} only, not its promoted side {turned[0]}")
    if twice := [one for one in found if found.count(one) > 1]:
        raise ValueError(f"lists {twice[0]} twice")
    return found


def groups(value: Any) -> tuple[str, ...]:
    """Return the items of the list `value`, texts of several capital letters. No letter may occur twice."""
    found = tuple(_list(value))
    if odd := [one for one in found if not isinstance(one, str) or not re.fullmatch("[A-Z]{2,}", one)]:
        raise ValueError(f'needs texts of capital letters such as "RB", not {_said(odd[0])}')
    if twice := [one for one in "".join(found) if "".join(found).count(one) > 1]:
        raise ValueError(f"lists {twice[0]} twice")
    return found


def piece_name(value: Any) -> str:
    """Return `value`, which must be a valid name of a piece."""
    if not isinstance(value, str) or not 0 < len(value) <= 30 or not value.isprintable() or value != value.strip():
        raise ValueError(f"needs 1 to 30 printable characters, not {_said(value)}")
    return value


def face(value: Any) -> str:
    """Return `value`, which must be a text to show on a piece: one or two characters without combining marks."""
    if not isinstance(value, str) or not 0 < len(value) <= 2 or not all(map(_is_drawable, value)):
        raise ValueError(f"needs one or two characters, not {_said(value)}")
    return value


def _is_drawable(character: str) -> bool:
    return character.isprintable() and not character.isspace() and not unicodedata.category(character).startswith("M")


def pair(value: Any) -> tuple[int, int]:
    """Return Black's points and White's points from a list of two numbers."""
    points = number(0, 1000)
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"needs two numbers, Black's points and White's, not {_said(value)}")
    return points(value[0]), points(value[1])


def vectors(value: Any) -> tuple[Vector, ...]:
    """Return the vectors of a list of directions. Each direction is a name, or a pair such as [1, 2]: 1 file to the
    right, 2 ranks forward."""
    found: list[Vector] = []
    for one in _list(value):
        if isinstance(one, str):
            if one not in DIRECTIONS:
                raise ValueError(f"has an unknown direction {_said(one)}; known are {', '.join(DIRECTIONS)}")
            found += DIRECTIONS[one]
            continue
        if not isinstance(one, list) or len(one) != 2 or any(type(part) is not int for part in one):
            raise ValueError(
                f"needs names of directions and pairs of numbers such as [1, 2] (1 right, 2 forward), not {_said(one)}"
            )
        across, ahead = one
        if max(abs(across), abs(ahead)) > FARTHEST or one == [0, 0]:
            raise ValueError(f"has {one}, which leads {'nowhere' if one == [0, 0] else 'off every board'}")
        found.append((across, ahead))
    if twice := [list(one) for one in found if found.count(one) > 1]:
        raise ValueError(f"lists {twice[0]} twice")
    return tuple(found)


def directions(value: Any) -> tuple[Vector, ...]:
    """Return the vectors of a list of directions for slides, written as for `vectors`. Each vector must be the shortest
    in its direction, so that a slide cannot skip squares."""
    found = vectors(value)
    if skipping := [list(one) for one in found if gcd(*one) != 1]:
        raise ValueError(f"has {skipping[0]}, which would jump over squares on its way")
    return found


def short_slides(value: Any) -> tuple[tuple[int, int, int], ...]:
    """Return the slides of limited length in a list of [files to the right, ranks forward, maximum number of
    squares]."""
    found = []
    for one in _list(value):
        if not isinstance(one, list) or len(one) != 3 or any(type(part) is not int for part in one):
            raise ValueError(
                f"needs lists such as [1, 2, 3] (1 right, 2 forward, repeated at most 3 times), not {_said(one)}"
            )
        (vector,), most = directions([one[:2]]), number(1, FARTHEST)(one[2])
        found.append((*vector, most))
    return tuple(found)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"needs a list, not {_said(value)}")
    return value


GAME: dict[str, Read] = {
    "name": name,
    "rules": text,
    "like": text,
    "files": number(1, 9),
    "ranks": number(1, 9),
    "start": text,
    "pieces": letters,
    "promotion": one_of(Promotion),
    "promotion_ranks": number(0, 9),
    "promotion_forced": flag,
    "drop_either_side": flag,
    "drop_anywhere": flag,
    "any_set_up": flag,
    "king_capture": flag,
    "goal": flag,
    "check_wins": flag,
    "stalemate_wins": flag,
    "die": one_of(Die),
    "repetition_fold": number(2, 100),
    "repetition_result": one_of(RepetitionResult),
    "check_rule": one_of(CheckRule),
    "max_plies": number(0, 100_000),
    "declaration": pair,
    "placement_ranks": number(0, 9),
    "choices": groups,
}
PIECE: dict[str, Read] = {
    "letter": letter,
    "like": letter,
    "steps": vectors,
    "slides": directions,
    "short_slides": short_slides,
    "promotes_to": other_side,
    "royal": flag,
    "most_per_file": number(0, 9),
    "no_drop_mate": flag,
    "points": number(0, 100),
    "name": piece_name,
    "face": face,
}
