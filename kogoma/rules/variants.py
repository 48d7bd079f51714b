"""The variants. Each is a frozen dataclass with a link to its rules; most list only their differences from another.

`rules.rules_struct` turns a variant into the arrays that kernels read. This module uses the standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from pathlib import Path

Vector = tuple[int, int]  # (columns to the right, rows forward), as the piece's owner sees it

FORWARD, BACK, LEFT, RIGHT = (0, 1), (0, -1), (-1, 0), (1, 0)
FORWARD_LEFT, FORWARD_RIGHT, BACK_LEFT, BACK_RIGHT = (-1, 1), (1, 1), (-1, -1), (1, -1)
FAR = 64  # more squares than any slide has
ORTHOGONALS: tuple[Vector, ...] = (FORWARD, BACK, LEFT, RIGHT)
DIAGONALS: tuple[Vector, ...] = (FORWARD_LEFT, FORWARD_RIGHT, BACK_LEFT, BACK_RIGHT)


class RepetitionResult(IntEnum):
    """Who loses if a position occurs too often and nobody gave perpetual check."""

    NONE = 0  # repetition is ignored
    BLACK_LOSES = 1
    DRAW = 2
    REPEATER_LOSES = 3  # the side that repeats the position


class CheckRule(IntEnum):
    """Which checks make a repetition a loss for the side that gave them."""

    NONE = 0
    PERPETUAL = 1  # every move of that side between the first and the last occurrence gave check
    STANDING = 2  # the side to move is in check in the repeated position itself


class Promotion(IntEnum):
    """When a piece promotes. With EVERY_MOVE and CAPTURE, a promoted piece that has a `promotes_to` turns back in the
    same way."""

    IN_ZONE = 0  # on a move that starts or ends in the zone; compulsory if it could never move again
    EVERY_MOVE = 1
    CAPTURE = 2  # on every capture, and never otherwise


class Die(IntEnum):
    """When the die restricts moves. A roll from 1 to 5 allows only moves that end on the file with this number, or all
    moves if there are no such moves."""

    NONE = 0  # no die
    ALWAYS = 1
    UNLESS_IN_CHECK = 2


FACES = 6
FREE = 6  # the face of the die that allows every move


@dataclass(frozen=True)
class Piece:
    """How a piece moves. `promotes_to` is the letter of its promoted side, written `+X` in SFEN, or "". `name` and
    `face` are how a board shows a piece of a custom variant: in words, and as one or two characters."""

    letter: str
    steps: tuple[Vector, ...] = ()
    slides: tuple[Vector, ...] = ()
    short_slides: tuple[tuple[int, int, int], ...] = ()  # vector and maximum number of squares
    promotes_to: str = ""
    royal: bool = False
    most_per_file: int = 0  # 1 is nifu: no drop on a file that holds this many; 0: no limit
    no_drop_mate: bool = False  # uchifuzume: a drop that mates at once is illegal
    points: int = 1  # for a win by declaration
    name: str = ""
    face: str = ""

    @property
    def rays(self) -> tuple[tuple[Vector, int], ...]:
        """All slides, each with its maximum number of squares."""
        return (*((vector, FAR) for vector in self.slides), *(((x, y), most) for x, y, most in self.short_slides))

    @property
    def directions(self) -> tuple[Vector, ...]:
        """The vectors of all steps and slides."""
        return (*self.steps, *self.slides, *((x, y) for x, y, _ in self.short_slides))


GOLD_STEPS = (*ORTHOGONALS, FORWARD_LEFT, FORWARD_RIGHT)
KNIGHT_STEPS: tuple[Vector, ...] = ((-1, 2), (1, 2))

KING = Piece("K", steps=ORTHOGONALS + DIAGONALS, royal=True, points=0)
GOLD = Piece("G", steps=GOLD_STEPS)
SILVER = Piece("S", steps=(*DIAGONALS, FORWARD), promotes_to="+S")
KNIGHT = Piece("N", steps=KNIGHT_STEPS, promotes_to="+N")
LANCE = Piece("L", slides=(FORWARD,), promotes_to="+L")
PAWN = Piece("P", steps=(FORWARD,), promotes_to="+P", most_per_file=1, no_drop_mate=True)
BISHOP = Piece("B", slides=DIAGONALS, promotes_to="+B", points=5)
ROOK = Piece("R", slides=ORTHOGONALS, promotes_to="+R", points=5)
TOKIN = Piece("+P", steps=GOLD_STEPS)
PROMOTED_LANCE = Piece("+L", steps=GOLD_STEPS)
PROMOTED_KNIGHT = Piece("+N", steps=GOLD_STEPS)
PROMOTED_SILVER = Piece("+S", steps=GOLD_STEPS)
HORSE = Piece("+B", steps=ORTHOGONALS, slides=DIAGONALS, points=5)
DRAGON = Piece("+R", steps=DIAGONALS, slides=ORTHOGONALS, points=5)


@dataclass(frozen=True)
class Variant:
    """The rules of a variant. `pieces` lists first the pieces that can be in hand, weakest first, then promoted sides
    that can be dropped, then the rest.

    If `placement_ranks` is not 0, a game begins with a placement phase: the players drop the pieces of their hands in
    `start`, which include the kings, on that many ranks of their own side. When both hands are empty, play begins."""

    name: str
    rules: str  # where the rules are published
    files: int
    ranks: int
    start: str
    pieces: tuple[Piece, ...] = field(repr=False)
    promotion: Promotion = Promotion.IN_ZONE
    promotion_ranks: int = 1
    promotion_forced: bool = False  # promotion in the zone is compulsory
    drop_either_side: bool = False
    drop_anywhere: bool = False  # also on squares from which the piece can never move
    any_set_up: bool = False  # positions may have other numbers of pieces than `start`
    king_capture: bool = False  # no check rule: the game is won by capturing the king
    goal: bool = False  # a king on the last row wins as soon as it is not attacked there
    check_wins: bool = False  # the first check of a game wins it
    stalemate_wins: bool = False  # a side that has no move and is not in check wins
    die: Die = Die.NONE
    repetition_fold: int = 4  # which occurrence of board + hands + side to move ends the game
    repetition_result: RepetitionResult = RepetitionResult.BLACK_LOSES
    check_rule: CheckRule = CheckRule.PERPETUAL
    max_plies: int = 0  # 0: no limit; otherwise a draw after that many plies
    declaration: tuple[int, int] = (0, 0)  # points that Black and White need to declare a win; 0: never
    placement_ranks: int = 0  # ranks of a player's own side on which pieces are first placed; 0: they are not
    choices: tuple[str, ...] = ()  # groups of letters: who places one of them loses the others from the hand for good
    cards: bool = False  # Onitama: cards determine how pieces move

    def __hash__(self) -> int:
        return hash(self.name)  # the hash of all fields takes 2 microseconds

    @property
    def squares(self) -> int:
        """The number of squares of the board."""
        return self.files * self.ranks

    @property
    def letters(self) -> dict[str, int]:
        """A dict that maps the letter of each piece type ("P", "+P") to the number of the type, from 1."""
        return {piece.letter: number for number, piece in enumerate(self.pieces, 1)}

    @cached_property
    def placements(self) -> int:
        """The number of plies of the placement phase, from the start of the game; 0 if there is no such phase."""
        hands = self.start.split()[2] if self.placement_ranks else ""
        held = sum(int(count or 1) for count, _ in re.findall("([0-9]*)([A-Za-z])", hands))
        return held - 2 * sum(len(group) - 1 for group in self.choices)

    @property
    def zone(self) -> int:
        """The number of ranks of the promotion zone, counted from the far edge of the board."""
        return self.promotion_ranks if self.promotion is Promotion.IN_ZONE else self.ranks


SHOGI = Variant(
    name="shogi",
    rules="https://en.wikipedia.org/wiki/Shogi",
    files=9,
    ranks=9,
    start="lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    pieces=(
        *(PAWN, LANCE, KNIGHT, SILVER, GOLD, BISHOP, ROOK, KING),
        *(TOKIN, PROMOTED_LANCE, PROMOTED_KNIGHT, PROMOTED_SILVER, HORSE, DRAGON),
    ),
    promotion_ranks=3,
    repetition_result=RepetitionResult.DRAW,
    declaration=(28, 27),
)

MINISHOGI = Variant(
    name="minishogi",
    rules="https://en.wikipedia.org/wiki/Minishogi",
    files=5,
    ranks=5,
    start="rbsgk/4p/5/P4/KGSBR b - 1",
    pieces=(PAWN, SILVER, GOLD, BISHOP, ROOK, KING, TOKIN, PROMOTED_SILVER, HORSE, DRAGON),
)

MINISHOGI_CODINGAME = replace(
    MINISHOGI,
    name="minishogi-codingame",
    rules="https://www.codingame.com/multiplayer/bot-programming/minishogi",
    repetition_fold=3,
    check_rule=CheckRule.STANDING,
    max_plies=300,
)

DICE = replace(
    MINISHOGI,
    name="dice",
    rules="http://minerva.cs.uec.ac.jp/cgi-bin/uec55shogi/wiki.cgi?page=The+Rule+of+Dice-Shogi",
    die=Die.ALWAYS,
    stalemate_wins=True,
)

DICE_HYPER = replace(DICE, name="dice-hyper", die=Die.UNLESS_IN_CHECK)

DICE_CODINGAME = replace(
    DICE,
    name="dice-codingame",
    rules="https://www.codingame.com/multiplayer/bot-programming",
    stalemate_wins=False,
    repetition_result=RepetitionResult.NONE,
    max_plies=300,
)

JUDKINS = replace(
    MINISHOGI,
    name="judkins",
    rules="https://en.wikipedia.org/wiki/Judkins_shogi",
    files=6,
    ranks=6,
    start="rbnsgk/5p/6/6/P5/KGSNBR b - 1",
    pieces=(
        *(PAWN, KNIGHT, SILVER, GOLD, BISHOP, ROOK, KING),
        *(TOKIN, PROMOTED_KNIGHT, PROMOTED_SILVER, HORSE, DRAGON),
    ),
    promotion_ranks=2,
    repetition_result=RepetitionResult.DRAW,
)

SHOGI66 = replace(
    SHOGI,
    name="66shogi",
    rules="https://github.com/CieL2186/RokuRokuGUI",
    files=6,
    ranks=6,
    start="6/pppppp/6/6/PPPPPP/6 b KRBGSNLkrbgsnl 1",
    promotion_ranks=2,
    declaration=(0, 0),
    placement_ranks=1,
    choices=("RB",),
)

GOROGORO = replace(
    MINISHOGI,
    name="gorogoro",
    rules="https://en.wikipedia.org/wiki/D%C5%8Dbutsu_sh%C5%8Dgi#Variation",
    ranks=6,
    start="sgkgs/5/1ppp1/1PPP1/5/SGKGS b - 1",
    pieces=(PAWN, SILVER, GOLD, KING, TOKIN, PROMOTED_SILVER),
    promotion_ranks=2,
    repetition_result=RepetitionResult.DRAW,
)

KYOTO = replace(
    MINISHOGI,
    name="kyoto",
    rules="https://en.wikipedia.org/wiki/Kyoto_shogi",
    start="p+nks+l/5/5/5/+LSK+NP b - 1",
    pieces=(
        replace(PAWN, most_per_file=0, no_drop_mate=False),
        *(LANCE, KNIGHT, SILVER),
        Piece("+P", slides=ORTHOGONALS, promotes_to="P"),
        Piece("+L", steps=GOLD_STEPS, promotes_to="L"),
        Piece("+N", steps=GOLD_STEPS, promotes_to="N"),
        Piece("+S", slides=DIAGONALS, promotes_to="S"),
        KING,
    ),
    promotion=Promotion.EVERY_MOVE,
    repetition_result=RepetitionResult.DRAW,
    drop_either_side=True,
    drop_anywhere=True,
)

MICRO = replace(
    KYOTO,
    name="micro",
    rules="https://en.wikipedia.org/wiki/Micro_shogi",
    files=4,
    start="kb+r+l/p3/4/3P/+L+RBK b - 1",
    pieces=(
        replace(PAWN, most_per_file=0, no_drop_mate=False),
        *(LANCE, BISHOP, ROOK),
        Piece("+P", steps=KNIGHT_STEPS, promotes_to="P"),
        Piece("+L", steps=SILVER.steps, promotes_to="L"),
        Piece("+B", steps=GOLD_STEPS, promotes_to="B"),
        Piece("+R", steps=GOLD_STEPS, promotes_to="R"),
        KING,
    ),
    promotion=Promotion.CAPTURE,
)

DOBUTSU = Variant(
    name="dobutsu",
    rules="https://en.wikipedia.org/wiki/D%C5%8Dbutsu_sh%C5%8Dgi",
    files=3,
    ranks=4,
    start="gle/1c1/1C1/ELG b - 1",
    pieces=(
        Piece("C", steps=(FORWARD,), promotes_to="+C"),
        Piece("E", steps=DIAGONALS),
        Piece("G", steps=ORTHOGONALS),
        replace(KING, letter="L"),
        Piece("+C", steps=GOLD_STEPS),
    ),
    drop_anywhere=True,
    king_capture=True,
    goal=True,
    repetition_result=RepetitionResult.DRAW,
    check_rule=CheckRule.NONE,
)

GENERALS = Variant(
    name="generals",
    rules="https://www.codeabbey.com/index/task_view/game-of-generals",
    files=6,
    ranks=6,
    start="ykcvsr/pppppp/6/6/PPPPPP/RSVCKY b - 1",
    pieces=(
        Piece("P", steps=(FORWARD,), promotes_to="+P"),
        Piece("Y", steps=(FORWARD_LEFT, FORWARD_RIGHT, BACK)),
        Piece("R", steps=(BACK_LEFT, BACK_RIGHT, FORWARD)),
        Piece("C", steps=(FORWARD, FORWARD_LEFT, FORWARD_RIGHT, BACK)),
        Piece("X", steps=DIAGONALS),
        Piece("S", steps=SILVER.steps),
        GOLD,
        Piece("V", steps=(LEFT, RIGHT), slides=(FORWARD, BACK)),
        Piece("H", steps=(FORWARD, BACK), slides=(LEFT, RIGHT)),
        KING,
        TOKIN,
    ),
    drop_anywhere=True,
    any_set_up=True,
    king_capture=True,
    repetition_result=RepetitionResult.NONE,
    check_rule=CheckRule.NONE,
)

ONITAMA = Variant(
    name="onitama",
    rules="https://www.codingame.com/multiplayer/bot-programming/onitama",
    files=5,
    ranks=5,
    start="ssmss/5/5/5/SSMSS b 10,15/2,9/6 1",
    pieces=(Piece("S"), Piece("M", royal=True)),
    king_capture=True,
    repetition_result=RepetitionResult.NONE,
    check_rule=CheckRule.NONE,
    max_plies=200,
    cards=True,
)


def can_be_held(variant: Variant, piece: Piece) -> bool:
    """Return whether a piece can be in hand. A king can before it is placed."""
    return not piece.letter.startswith("+") and (not piece.royal or variant.placements > 0)


BUILT_IN: dict[str, Variant] = {
    variant.name: variant
    for variant in (
        *(SHOGI, MINISHOGI, MINISHOGI_CODINGAME, DICE, DICE_HYPER, DICE_CODINGAME),
        *(JUDKINS, SHOGI66, GOROGORO, MICRO, KYOTO, DOBUTSU, GENERALS, ONITAMA),
    )
}

# Names under which Fairy-Stockfish plays the same games.
ALIASES = {"mini": "minishogi", "kyotoshogi": "kyoto"}

OWN = "KOGOMA_VARIANTS"  # environment variable that lists variant files
NAME = "[a-z][a-z0-9-]{0,29}"  # the pattern of a custom variant's name
CUSTOM_FILES: dict[str, Path] = {}  # files of custom variants, by name
VARIANTS: dict[str, Variant] = dict(BUILT_IN)
"""All games that are known, by name."""

DEFAULT = SHOGI  # the variant at the start: a GUI's `startpos` means its start position


def variants() -> dict[str, Variant]:
    """Return all known variants by name.

    >>> variants()["minishogi"].start
    'rbsgk/4p/5/P4/KGSBR b - 1'
    """
    return dict(VARIANTS)


def find(name: str) -> Variant:
    """Return the variant with the name or alias `name`. If there is none, raises ValueError with a list of the known
    names."""
    try:
        return VARIANTS[ALIASES.get(name.lower(), name.lower())]
    except KeyError:
        raise ValueError(f"unknown variant {name!r}; known: {', '.join(VARIANTS)}") from None


def infer_from_moves(moves: Sequence[str], preferred: Variant) -> Variant:
    """Return the variant whose start position `moves` are played from: `preferred`, or, if it has no pieces in hand at
    the start and the first move is a drop, the first variant with a placement phase that has the piece."""
    if moves and "*" in moves[0] and preferred.start.split()[2] == "-":
        for variant in VARIANTS.values():
            if variant.placements and moves[0].split("*")[0] in variant.letters:
                return variant
    return preferred


def shape(sfen: str) -> tuple[int, int]:
    """Return (files, ranks) of an SFEN's board. The files are counted in its first row. Raises ValueError if this row
    cannot be read."""
    board = (sfen.split() or [""])[0]
    first_row = board.split("/")[0]
    if "/" not in board:
        raise ValueError(f"sfen: not a board: {board[:40]!r}")
    if len(first_row) > 64 or not re.fullmatch(r"([0-9]+|\+?[A-Za-z])+", first_row):
        raise ValueError(f"sfen: cannot read the board's first row {first_row[:40]!r}")
    cells = re.findall(r"[0-9]+|\+?[A-Za-z]", first_row)
    return sum(int(cell) if cell.isdigit() else 1 for cell in cells), board.count("/") + 1


def infer(sfen: str, preferred: Variant) -> Variant:
    """Return the variant to which an SFEN belongs: `preferred` if board size and pieces fit, otherwise the first
    variant that fits. A king in hand fits those with a placement phase. If no variant has these pieces, the board size
    alone decides. Raises ValueError if no variant has this board size."""
    files, ranks = shape(sfen)
    fitting = [
        variant for variant in (preferred, *VARIANTS.values()) if (variant.files, variant.ranks) == (files, ranks)
    ]
    if not fitting:
        raise ValueError(f"sfen: no variant has a board of {files}x{ranks} squares")
    words = sfen.split()
    letters = set(re.findall(r"\+?[A-Z]", words[0].upper()))
    hands = words[2] if len(words) > 2 else "-"
    with_cards = "," in hands
    for variant in fitting:
        held = {piece.letter for piece in variant.pieces if can_be_held(variant, piece)}
        fits = letters <= variant.letters.keys() and set(re.findall("[A-Z]", hands.upper())) <= held
        if fits and variant.cards == with_cards:
            return variant
    return fitting[0]
