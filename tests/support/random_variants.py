"""Random variants: any board, any pieces, and any combination of rule flags that is accepted. The same seed always
gives the same variant."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

from kogoma.rules.custom.unsupported import mistakes_of_game, mistakes_of_pieces
from kogoma.rules.variants import (
    BISHOP,
    DIAGONALS,
    GOLD,
    KING,
    KNIGHT,
    LANCE,
    ORTHOGONALS,
    PAWN,
    ROOK,
    SILVER,
    CheckRule,
    Die,
    Piece,
    Promotion,
    RepetitionResult,
    Variant,
    Vector,
    can_be_held,
)
from oracles.variants import Piece as OraclePiece
from oracles.variants import Rules

USUAL = (PAWN, SILVER, GOLD, LANCE, KNIGHT, BISHOP, ROOK)
JUMPS: tuple[Vector, ...] = ((-1, 2), (1, 2), (-2, 1), (2, 1), (0, 2), (2, 0), (-2, 0), (0, -2), (-1, -2), (1, -2))
LETTERS = "ABCDEFGHIJLMNOQRSTUVWXYZ"
FLAGS: dict[str, tuple[object, ...]] = {
    "promotion": tuple(Promotion),
    "promotion_forced": (False, True),
    "drop_either_side": (False, True),
    "drop_anywhere": (False, True),
    "any_set_up": (False, True),
    "king_capture": (False, True),
    "goal": (False, True),
    "check_wins": (False, True),
    "stalemate_wins": (False, True),
    "die": tuple(Die),
    "repetition_fold": (2, 3, 4),
    "repetition_result": tuple(RepetitionResult),
    "check_rule": tuple(CheckRule),
    "max_plies": (0, 12),
    "declaration": ((0, 0), (12, 12)),
}
Setting = tuple[str, object]


def random_flags(rng: random.Random) -> dict[str, Any]:
    """Return a random value for each flag. Flags that end a game early are set less often, because such games have few
    positions."""
    rare = {"king_capture": 0.3, "goal": 0.3, "check_wins": 0.2, "any_set_up": 0.2, "drop_either_side": 0.35}
    found: dict[str, Any] = {}
    for name, values in FLAGS.items():
        found[name] = rng.random() < rare[name] if name in rare else rng.choice(values)
    if rng.random() < 0.4:
        found["die"] = Die.NONE
    return found


def random_moves(rng: random.Random) -> Piece:
    """Return a piece type that steps, jumps or slides in random directions. Its letter is empty."""
    near = [*ORTHOGONALS, *DIAGONALS]
    steps = rng.sample(near, rng.randint(0, 6)) + rng.sample(JUMPS, rng.choice([0, 0, 0, 1, 2]))
    left = [vector for vector in near if vector not in steps]
    slides = rng.sample(left, min(len(left), rng.choice([0, 0, 1, 2, 4])))
    left = [vector for vector in left if vector not in slides]
    short = [(*vector, rng.randint(2, 3)) for vector in left[: rng.choice([0, 0, 0, 1])]]
    return Piece("", tuple(steps), tuple(slides), tuple(short))


def random_pieces(rng: random.Random, flags: dict[str, Any]) -> tuple[Piece, ...]:
    """Return one to four random piece types, often a pawn, and a king. Most pieces have a promoted side, which is also
    in the result. The order is the one that `Variant` requires."""
    may_turn_back = flags["promotion"] is not Promotion.IN_ZONE
    plain: list[Piece] = []
    turned: list[Piece] = []
    for letter in rng.sample(LETTERS, rng.randint(1, 4)):
        like = rng.choice(USUAL) if rng.random() < 0.5 else random_moves(rng)
        piece = replace(like, letter=letter, promotes_to="", points=rng.choice([1, 1, 5]))
        if not piece.rays:
            piece = replace(piece, no_drop_mate=rng.random() < 0.3)
        if flags["drop_either_side"] or rng.random() < 0.7:
            piece = replace(piece, promotes_to=f"+{letter}")
            other = replace(GOLD if rng.random() < 0.4 else random_moves(rng), letter=f"+{letter}", points=piece.points)
            turned.append(replace(other, promotes_to=letter if may_turn_back and rng.random() < 0.7 else ""))
        plain.append(piece)
    if rng.random() < 0.6:
        plain.insert(0, replace(PAWN, most_per_file=rng.choice([0, 1, 1, 2])))
        back = "P" if may_turn_back and rng.random() < 0.7 else ""
        turned.insert(0, replace(GOLD, letter="+P", promotes_to=back))
    royal = KING if rng.random() < 0.8 else replace(KING, steps=(*ORTHOGONALS, *rng.sample(JUMPS, 3)))
    return (*plain, *turned, royal) if flags["drop_either_side"] else (*plain, royal, *turned)


def random_start(rng: random.Random, files: int, ranks: int, pieces: tuple[Piece, ...]) -> str:
    """Return a random start position: a few pieces of each type on the board, some in hand, and each king in its own
    half."""
    squares = [(x, y) for x in range(files) for y in range(ranks)]
    kings = {(rng.randrange(files), rng.randrange(ranks // 2)): "k"}
    kings[rng.randrange(files), rng.randrange((ranks + 1) // 2, ranks)] = "K"
    board = dict(kings)
    free = [square for square in squares if square not in board]
    rng.shuffle(free)
    hands: dict[str, int] = {}
    faces = {piece.letter for piece in pieces}
    kinds = [piece.letter for piece in pieces if not piece.royal and len(piece.letter) == 1]
    for _ in range(rng.randint(2, min(len(free) // 2 + 1, 10))):
        letter = rng.choice(kinds)
        owned = letter if rng.random() < 0.5 else letter.lower()
        if rng.random() < 0.2:
            hands[owned] = hands.get(owned, 0) + 1
            continue
        plus = "+" if f"+{letter}" in faces and rng.random() < 0.2 else ""
        board[free.pop()] = plus + owned
    rows = []
    for y in range(ranks):
        row, empty = "", 0
        for x in range(files):
            if (x, y) not in board:
                empty += 1
                continue
            row, empty = row + (str(empty) if empty else "") + board[x, y], 0
        rows.append(row + (str(empty) if empty else ""))
    held = "".join(f"{count if count > 1 else ''}{letter}" for letter, count in sorted(hands.items()))
    return f"{'/'.join(rows)} {rng.choice('bw')} {held or '-'} 1"


def mistakes(variant: Variant) -> list[str]:
    """Return the errors that Kogoma finds in a variant."""
    return [text for _, text in mistakes_of_pieces(variant)] or [text for _, text in mistakes_of_game(variant)]


def random_variant(seed: int, largest: int = 9) -> Variant:
    """Return a random variant in which Kogoma finds no errors. `largest` is the maximum number of files and ranks; most
    boards have at most six."""
    rng = random.Random(seed)
    while True:
        flags, size = random_flags(rng), rng.random()
        for _ in range(30):
            least, most = (
                (3, min(largest, 6)) if size < 0.8 else (3, largest) if size < 0.95 else (largest - 1, largest)
            )
            files, ranks = rng.randint(least, most), rng.randint(least, most)
            pieces = random_pieces(rng, flags)
            start = random_start(rng, files, ranks, pieces)
            depth = rng.randint(0, min(3, ranks))
            variant = Variant(f"random-{seed}", "", files, ranks, start, pieces, promotion_ranks=depth, **flags)
            if not mistakes(variant):
                return variant


def settings(variant: Variant) -> Iterator[Setting]:
    """Yield the name and the value of each flag of a variant."""
    for name, values in FLAGS.items():
        value = getattr(variant, name)
        yield name, next(known for known in values if known == value)


def pairs(variant: Variant) -> set[tuple[Setting, Setting]]:
    """Return all pairs of two different flags, each flag with its value in this variant."""
    return set(combinations(settings(variant), 2))


def all_pairs() -> set[tuple[Setting, Setting]]:
    """Return all pairs of settings of two different flags. A setting is a flag with one of its possible values."""
    found = set()
    for (one, values), (other, others) in combinations(FLAGS.items(), 2):
        found |= {((one, value), (other, second)) for value in values for second in others}
    return found


def rules_of(variant: Variant) -> Rules:
    """Convert a variant to the form that the reference rules use."""

    def turned(vectors: tuple[Vector, ...]) -> tuple[Vector, ...]:
        return tuple((x, -y) for x, y in vectors)

    pieces = {
        piece.letter: OraclePiece(
            turned(piece.steps), turned(piece.slides), tuple((x, -y, most) for x, y, most in piece.short_slides)
        )
        for piece in variant.pieces
    }
    kinds = [piece for piece in variant.pieces if can_be_held(variant, piece)]
    promotion = {Promotion.IN_ZONE: "in_zone", Promotion.EVERY_MOVE: "every_move", Promotion.CAPTURE: "on_capture"}
    dice = {Die.NONE: None, Die.ALWAYS: "filter", Die.UNLESS_IN_CHECK: "filter_unless_in_check"}
    checks = {CheckRule.NONE: None, CheckRule.PERPETUAL: "perpetual", CheckRule.STANDING: "standing"}
    result = variant.repetition_result
    one_sided = [piece.letter for piece in variant.pieces if not piece.promotes_to]
    return Rules(
        name=variant.name,
        files=variant.files,
        ranks=variant.ranks,
        start=variant.start,
        pieces=pieces,
        hand_order="".join(piece.letter for piece in kinds),
        zone=variant.promotion_ranks,
        flips=promotion[variant.promotion],
        drops_either_side=variant.drop_either_side,
        drops_where_stuck=variant.drop_anywhere,
        forced=variant.promotion_forced,
        one_way="".join(letter[1:] for letter in one_sided),
        per_file={piece.letter: piece.most_per_file for piece in variant.pieces if piece.most_per_file},
        no_drop_mate=frozenset(piece.letter for piece in variant.pieces if piece.no_drop_mate),
        king_capture=variant.king_capture,
        goal=variant.goal,
        check_wins=variant.check_wins,
        stalemated_wins=variant.stalemate_wins,
        fold=None if result is RepetitionResult.NONE else variant.repetition_fold,
        fold_is_draw=result is RepetitionResult.DRAW,
        repeater_loses=result is RepetitionResult.REPEATER_LOSES,
        checks=checks[variant.check_rule],
        max_plies=variant.max_plies or None,
        die=dice[variant.die],
        declaration=variant.declaration,
        points={piece.letter: piece.points for piece in variant.pieces},
        placing_rows=variant.placement_ranks,
        one_of=variant.choices,
    )
