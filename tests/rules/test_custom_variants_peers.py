"""The variants in docs/custom-variants/, compared with Fairy-Stockfish: legal moves after all first two plies, and in
random positions and after some of their moves."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from types import ModuleType

import pytest

from kogoma.rules.custom.registry import load_file
from kogoma.rules.position import Position
from kogoma.rules.variants import Variant
from support import referee
from support.usi_client import ENGINE, ROOT, UsiClient

pytestmark = pytest.mark.slow

FOLDER = ROOT / "docs" / "custom-variants"
PEER_NAMES = {
    "euroshogi": "euroshogi",
    "tori": "torishogi",
    "yari": "yarishogi",
    "gorogoro-plus": "gorogoroplus",
    "mansindam": "mansindam",
    "night-court": "nightcourt",
    "checkshogi": "checkshogi",
}
# The variants that Fairy-Stockfish must load from a file, in Fairy-Stockfish's format.
CONFIGURED = """
[gorogoroplus:gorogoro]
lance = l
shogiKnight = n
promotedPieceType = l:g n:g
startFen = sgkgs/5/1ppp1/1PPP1/5/SGKGS[LNln] w 0 1

[mansindam:shogi]
gold = -
silver = -
lance = -
shogiKnight = -
commoner = g
knight = n
centaur = e
archbishop = c
customPiece1 = i:BNW
chancellor = m
customPiece2 = s:RNF
queen = q
amazon = a
promotedPieceType = p:g n:e b:h r:d c:i m:s
mandatoryPiecePromotion = true
shogiPawnDropMateIllegal = false
flagPiece = k
flagRegionWhite = *9
flagRegionBlack = *1
startFen = rnbakqcnm/9/ppppppppp/9/9/9/PPPPPPPPP/9/MNCQKABNR[-] w 0 1

[nightcourt:minishogi]
maxFile = 6
maxRank = 7
bishop = -
rook = -
customPiece1 = n:NN
queen = q
promotionRegionWhite = *6 *7
promotionRegionBlack = *1 *2
promotedPieceType = p:g s:g
startFen = nsgkqn/6/pppppp/6/PPPPPP/6/NQKGSN[-] w 0 1
"""
POSITIONS = 20
LONGEST = 120  # plies of a random game
MOVES = 6  # the legal moves are also compared after this many of the moves of each position


@pytest.fixture(scope="module")
def peer() -> ModuleType:
    pyffish = referee.pyffish()
    pyffish.load_variant_config(CONFIGURED)
    return pyffish


class Peer:
    """The rules of a variant as Fairy-Stockfish applies them."""

    def __init__(self, pyffish: ModuleType, variant: Variant) -> None:
        self.pyffish, self.name, self.shape = pyffish, PEER_NAMES[variant.name], (variant.files, variant.ranks)
        self.no_drop_mate = {piece.letter for piece in variant.pieces if piece.no_drop_mate}

    def moves(self, sfen: str, played: Sequence[str] = ()) -> set[str]:
        """Return Fairy-Stockfish's legal moves after the moves `played`. Fairy-Stockfish also lists drops that mate.
        These drops are removed if the rules forbid them."""
        fen, before = referee.sfen_to_fen(sfen), [referee.move_to_uci(usi, *self.shape) for usi in played]
        if self.pyffish.is_immediate_game_end(self.name, fen, before)[0]:
            return set()  # Fairy-Stockfish still lists moves after the end
        found = self.pyffish.legal_moves(self.name, fen, before)
        return {
            referee.move_to_usi(move, *self.shape)
            for move in found
            if move.split("@")[0] not in self.no_drop_mate or not self._mates(fen, [*before, move])
        }

    def repeated(self, sfen: str, played: Sequence[str]) -> int | None:
        """Return the result of a repetition from the point of view of the side to move (1, 0 or -1), or None if there
        is no repetition."""
        moves = [referee.move_to_uci(usi, *self.shape) for usi in played]
        ended, value = self.pyffish.is_optional_game_end(self.name, referee.sfen_to_fen(sfen), moves)
        return (value > 0) - (value < 0) if ended else None

    def _mates(self, fen: str, moves: list[str]) -> bool:
        return bool(self.pyffish.gives_check(self.name, fen, moves)) and not self.pyffish.legal_moves(
            self.name, fen, moves
        )


def random_positions(variant: Variant, seed: int) -> list[str]:
    """Return SFENs of positions from random games. In these games, a drop or a promotion is more likely to be played
    than another move."""
    rng, found = random.Random(seed), list[str]()
    while len(found) < POSITIONS:
        position, sfens = Position(variant), list[str]()
        while len(sfens) < LONGEST and position.outcome() is None:
            moves = position.legal_moves()
            lively = [move for move in moves if "*" in move or "+" in move]
            position.push(rng.choice(lively if lively and rng.random() < 0.4 else moves))
            sfens.append(position.sfen())
        found += rng.sample(sfens[4:-1], min(5, len(sfens[4:-1])))
    return found[:POSITIONS]


def checks(position: Position) -> list[str]:
    """Return the legal moves that give check."""
    found = list[str]()
    for move in position.legal_moves():
        position.push(move)
        found += [move] * position.in_check
        position.pop()
    return found


GAMES = sorted(PEER_NAMES)  # Fairy-Stockfish has no placement phase: see test_placement.py


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_legal_moves_equal_fairy_stockfishs(name: str, peer: ModuleType) -> None:
    variant = load_file(str(FOLDER / f"{name}.toml"))
    theirs, start = Peer(peer, variant), Position(variant)
    leaves = 0
    for first in start.legal_moves():
        start.push(first)
        for second in start.legal_moves():
            leaves += len(theirs.moves(variant.start, [first, second]))
        assert theirs.moves(variant.start, [first]) == set(start.legal_moves())
        start.pop()
    assert leaves == start.perft(3)
    rng = random.Random(2)
    met = {"drops": 0, "promotions": 0, "checks": 0}
    for sfen in random_positions(variant, 1):
        position = Position(variant, sfen)
        moves = position.legal_moves()
        assert theirs.moves(sfen) == set(moves), sfen
        met["drops"] += sum("*" in move for move in moves)
        met["promotions"] += sum("+" in move for move in moves)
        met["checks"] += position.in_check
        for move in (*rng.sample(moves, min(MOVES, len(moves))), *checks(position)[:1]):
            position.push(move)
            met["checks"] += position.in_check
            assert theirs.moves(sfen, [move]) == set(position.legal_moves()), (sfen, move)
            position.pop()
    assert all(met.values()), met


QUIET = ("3g3f", "5a5b", "3f3g", "5b5a")
# A variant, its start position if it is not the usual one, and moves that lead back to it.
REPETITIONS = {
    "tori, by White": ("tori", None, QUIET),
    "tori, by Black": ("tori", "6k/7/7/7/7/7/K6 w - 1", ("1a1b", "7g7f", "1b1a", "7f7g")),
    "tori, by White, in check": ("tori", "5k1/7/7/3+F3/7/7/K6 b - 1", ("4d5d", "2a1a", "5d4d", "1a2a")),
    "tori, by Black, who checks": ("tori", "6k/7/7/3+F3/7/7/K6 w - 1", ("1a2a", "4d5d", "2a1a", "5d4d")),
    "yari": ("yari", None, ("4i4h", "4a4b", "4h4i", "4b4a")),
}


@pytest.mark.parametrize("case", REPETITIONS)
def test_repetitions_end_like_in_fairy_stockfish(case: str, peer: ModuleType) -> None:
    name, sfen, cycle = REPETITIONS[case]
    variant = load_file(str(FOLDER / f"{name}.toml"))
    theirs, position, played = Peer(peer, variant), Position(variant, sfen), list[str]()
    while (outcome := position.outcome()) is None:
        assert theirs.repeated(sfen or variant.start, played) is None
        played.append(cycle[len(played) % len(cycle)])
        position.push(played[-1])
    assert len(played) == (8 if name == "yari" else 12)
    won = 0 if outcome.winner is None else 1 if outcome.winner == position.turn else -1
    assert theirs.repeated(sfen or variant.start, played) == won


def test_a_search_knows_these_rules() -> None:
    files = [FOLDER / "checkshogi.toml", FOLDER / "tori.toml"]
    with UsiClient((*ENGINE, *(f"--variants={path}" for path in files)), variant="checkshogi").ready() as engine:
        engine.send("position sfen 4k4/9/9/9/9/9/9/9/K8 b P 1")
        infos, move = engine.go("depth", 2)
        assert move == "P*5b" and "score mate 1 " in infos[-1]
        engine.send("go mate infinite")
        assert engine.read_until("checkmate", 300)[-1] == "checkmate P*5b"  # the solver may have to be compiled
        engine.answer("setoption name USI_Variant value tori")
        engine.send(f"position startpos moves {' '.join((*QUIET, *QUIET, *QUIET[:3]))}")
        infos, _ = engine.go("depth", 2, "searchmoves", QUIET[3], timeout=300)
        score = re.search(r"score cp (-\d+)", infos[-1])
        assert score and int(score[1]) < -10_000
