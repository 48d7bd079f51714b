"""The variants of the reference rules as data: the moves of the pieces, and the rules that hold.

Steps are (columns to the right, rows down) for Black, who moves up the board. The sources are Wikipedia's pages on the
variants, pyffish where these say nothing, and the arenas' statements for Generals and the variants with a die.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

Square = tuple[int, int]

N, S, E, W = (0, -1), (0, 1), (1, 0), (-1, 0)
NE, NW, SE, SW = (1, -1), (-1, -1), (1, 1), (-1, 1)
ORTHOGONAL, DIAGONAL = (N, S, E, W), (NE, NW, SE, SW)


class Piece(NamedTuple):
    """The moves of a piece: single `steps`, `slides` that continue up to the next piece, and `short_slides` (columns,
    rows, maximum number of squares)."""

    steps: tuple[Square, ...] = ()
    slides: tuple[Square, ...] = ()
    short_slides: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True, eq=False)
class Rules:
    """The rules of a variant. The keys of `pieces` are letters; the promoted side of P is "+P"."""

    name: str
    files: int
    ranks: int
    start: str
    pieces: dict[str, Piece] = field(repr=False)
    hand_order: str
    king: str = "K"
    zone: int = 1  # the number of last rows in which pieces promote
    flips: str = "in_zone"  # the moves at which a piece turns over: in_zone, every_move or on_capture
    drops_either_side: bool = False
    drops_where_stuck: bool = False  # a piece may be dropped on a square from which it can never move
    forced: bool = False  # a piece that can promote must do so
    one_way: str = ""  # pieces that stay promoted although other pieces of the variant turn back
    per_file: dict[str, int] = field(default_factory=lambda: {"P": 1})  # maximum number on a file after a drop
    no_drop_mate: frozenset[str] = frozenset("P")  # pieces that may not mate by a drop
    king_capture: bool = False  # there is no check: the game is won by capturing the king
    goal: bool = False  # a king wins if it is on its last row and not attacked
    check_wins: bool = False
    stalemated_wins: bool = False
    fold: int | None = 4  # the game ends at this occurrence of a position
    fold_is_draw: bool = False  # if False, Black loses by a repetition
    repeater_loses: bool = False  # the side that moved last loses
    checks: str | None = "perpetual"  # checks that lose at a repetition: perpetual, standing (a check now) or none
    max_plies: int | None = None
    die: str | None = None  # filter, or filter_unless_in_check
    declaration: tuple[int, int] = (0, 0)  # points that Black and White need
    points: dict[str, int] = field(default_factory=dict)  # the points of pieces that do not have 1 point
    placing_rows: int = 0  # the number of first rows on which the pieces in hand at the start are placed
    one_of: tuple[str, ...] = ()  # groups of pieces of which each side places one only

    @property
    def pawn_drop_mate(self) -> bool:
        """Return whether every piece may mate by a drop, including a pawn."""
        return not self.no_drop_mate


# ---- Shogi with the usual pieces -------------------------------------------------------------------------------------

KING = Piece(steps=ORTHOGONAL + DIAGONAL)
GOLD = Piece(steps=(N, NE, NW, E, W, S))
SILVER = Piece(steps=(N, *DIAGONAL))
BISHOP, ROOK = Piece(slides=DIAGONAL), Piece(slides=ORTHOGONAL)
LANCE, KNIGHT = Piece(slides=(N,)), Piece(steps=((-1, -2), (1, -2)))
PAWN = Piece(steps=(N,))
SHOGI_PIECES = {
    "K": KING,
    "G": GOLD,
    "S": SILVER,
    "L": LANCE,
    "N": KNIGHT,
    "B": BISHOP,
    "R": ROOK,
    "P": PAWN,
    "+S": GOLD,
    "+L": GOLD,
    "+N": GOLD,
    "+B": Piece(steps=ORTHOGONAL, slides=DIAGONAL),
    "+R": Piece(steps=DIAGONAL, slides=ORTHOGONAL),
    "+P": GOLD,
}


def some(letters: str) -> dict[str, Piece]:
    """Return the usual pieces with these letters, and their promoted sides."""
    return {letter: piece for letter, piece in SHOGI_PIECES.items() if letter[-1] in letters}


MINISHOGI = Rules(
    name="minishogi", files=5, ranks=5, start="rbsgk/4p/5/P4/KGSBR b - 1", pieces=some("KRBGSP"), hand_order="RBGSP"
)
MINISHOGI_CODINGAME = replace(MINISHOGI, name="minishogi-codingame", fold=3, checks="standing", max_plies=300)
SHOGI = Rules(
    name="shogi",
    files=9,
    ranks=9,
    start="lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    pieces=SHOGI_PIECES,
    hand_order="RBGSNLP",
    zone=3,
    fold_is_draw=True,
)
JUDKINS = replace(
    SHOGI,
    name="judkins",
    files=6,
    ranks=6,
    start="rbnsgk/5p/6/6/P5/KGSNBR b - 1",
    pieces=some("KRBGSNP"),
    hand_order="RBGSNP",
    zone=2,
)
GOROGORO = replace(
    JUDKINS, name="gorogoro", files=5, start="sgkgs/5/1ppp1/1PPP1/5/SGKGS b - 1", pieces=some("KGSP"), hand_order="GSP"
)

SHOGI66 = replace(  # https://github.com/CieL2186/RokuRokuGUI
    JUDKINS,
    name="66shogi",
    start="6/pppppp/6/6/PPPPPP/6 b KRBGSNLkrbgsnl 1",
    pieces=SHOGI_PIECES,
    hand_order="KRBGSNLP",
    placing_rows=1,
    one_of=("RB",),
)

# ---- Pieces with two sides -------------------------------------------------------------------------------------------

KYOTO = Rules(
    name="kyoto",
    files=5,
    ranks=5,
    start="p+nks+l/5/5/5/+LSK+NP b - 1",
    pieces={
        "K": KING,
        "P": PAWN,
        "+P": ROOK,
        "S": SILVER,
        "+S": BISHOP,
        "L": LANCE,
        "+L": GOLD,
        "N": KNIGHT,
        "+N": GOLD,
    },
    hand_order="SNLP",
    flips="every_move",
    drops_either_side=True,
    drops_where_stuck=True,
    per_file={},
    no_drop_mate=frozenset(),
    fold_is_draw=True,
)
MICRO = replace(
    KYOTO,
    name="micro",
    files=4,
    start="kb+r+l/p3/4/3P/+L+RBK b - 1",
    pieces={
        "K": KING,
        "P": PAWN,
        "+P": KNIGHT,
        "L": LANCE,
        "+L": SILVER,
        "B": BISHOP,
        "+B": GOLD,
        "R": ROOK,
        "+R": GOLD,
    },
    hand_order="RBLP",
    flips="on_capture",
)

# ---- Variants won by capturing the king ------------------------------------------------------------------------------

DOBUTSU = Rules(
    name="dobutsu",
    files=3,
    ranks=4,
    start="gle/1c1/1C1/ELG b - 1",
    pieces={"L": KING, "G": Piece(steps=ORTHOGONAL), "E": Piece(steps=DIAGONAL), "C": PAWN, "+C": GOLD},
    hand_order="GEC",
    king="L",
    drops_where_stuck=True,
    per_file={},
    no_drop_mate=frozenset(),
    king_capture=True,
    goal=True,
    fold_is_draw=True,
    checks=None,
)
GENERALS = Rules(
    name="generals",
    files=6,
    ranks=6,
    start="ykcvsr/pppppp/6/6/PPPPPP/RSVCKY b - 1",
    pieces={
        "K": KING,
        "G": GOLD,
        "S": SILVER,
        "C": Piece(steps=(N, NE, NW, S)),
        "Y": Piece(steps=(NE, NW, S)),
        "X": Piece(steps=DIAGONAL),
        "R": Piece(steps=(N, SE, SW)),
        "V": Piece(steps=(E, W), slides=(N, S)),
        "H": Piece(steps=(N, S), slides=(E, W)),
        "P": PAWN,
        "+P": GOLD,
    },
    hand_order="HVGSXCRYP",
    drops_where_stuck=True,
    per_file={},
    no_drop_mate=frozenset(),
    king_capture=True,
    fold=None,
    checks=None,
)

# ---- With a die ------------------------------------------------------------------------------------------------------

DICE = replace(MINISHOGI, name="dice", die="filter", stalemated_wins=True)
DICE_HYPER = replace(DICE, name="dice-hyper", die="filter_unless_in_check")
DICE_CODINGAME = replace(MINISHOGI, name="dice-codingame", die="filter", fold=None, checks=None, max_plies=300)

RULES = {
    rules.name: rules
    for rules in (
        SHOGI,
        MINISHOGI,
        MINISHOGI_CODINGAME,
        DICE,
        DICE_HYPER,
        DICE_CODINGAME,
        JUDKINS,
        SHOGI66,
        GOROGORO,
        MICRO,
        KYOTO,
        DOBUTSU,
        GENERALS,
    )
}
