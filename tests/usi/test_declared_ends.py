"""Ways to end a game that only some variants have, tested over USI: declaration of a win, capture of the king, and the
fourth repetition in shogi."""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from kogoma.rules.position import Position
from oracles import shogi as oracle
from support import referee
from support.peers import absent
from support.usi_client import UsiClient, info_fields

SHOGI_START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
MORE_THAN_ANYTHING = 20_000  # centipawns; no evaluation is as high


@pytest.fixture(scope="module")
def shared() -> Iterator[UsiClient]:
    """Yield an engine that all tests share, with the libraries for large and small boards loaded."""
    with UsiClient(variant=None).ready() as client:
        client.send("setoption name USI_Variant value minishogi")
        yield client.ready()
        assert client.errors() == ""


@pytest.fixture
def engine(shared: UsiClient) -> UsiClient:
    lines = ("setoption name USI_Variant value shogi", "setoption name EnteringKingRule value CSARule27")
    assert shared.answer("stop", *lines, "usinewgame") == []
    return shared


# ---- A win by declaration --------------------------------------------------------------------------------------------

# Black needs 28 points, White needs 27. In most positions, the rooks and bishops are worth 20 points and six other
# pieces 6. The pawns in hand supply the missing points: 2 for Black, 1 for White.
DECLARED = {
    "Black": "+R+R+B+BK4/GGGGSS3/9/9/9/9/9/9/4k4 b 2P 1",
    "Black, by the hand": "4K4/GGGGSSLLL/4N4/9/9/9/9/P8/4k4 b 2RB3P 1",
    "Black, with its king on the third row": "+R+R+B+B5/GGGG1SS2/4K4/9/9/9/9/9/4k4 b 2P 1",
    "Black, with the last piece on the third row": "+R+R+B+BK4/GGGGS4/2P6/9/9/9/9/9/4k4 b 2P 1",
    "White": "4K4/9/9/9/9/9/9/3ssgggg/4k+b+b+r+r w p 1",
}
NOT_DECLARED = {
    "a point less": "+R+R+B+BK4/GGGGSS3/9/9/9/9/9/9/4k4 b P 1",
    "a point less for White": "4K4/9/9/9/9/9/9/3ssgggg/4k+b+b+r+r w - 1",
    "a point less in hand": "4K4/GGGGSSLLL/4N4/9/9/9/9/P8/4k4 b 2RB2P 1",
    "a piece less": "+R+R+B+BK4/GGGGS4/9/9/9/9/9/9/4k4 b 9P 1",
    "a piece less for White": "4K4/9/9/9/9/9/9/4sgggg/4k+b+b+r+r w 9p 1",
    "a piece on the fourth row": "+R+R+B+BK4/GGGGS4/9/2P6/9/9/9/9/4k4 b 2P 1",
    "in check": "+R+R+B+B5/GGGGpSS2/4K4/9/9/9/9/9/4k4 b 2P 1",
    "the king on the fourth row": "+R+R+B+B5/GGGG1SS2/9/4K4/9/9/9/9/4k4 b 2P 1",
    "the other side to move": "+R+R+B+BK4/GGGGSS3/9/9/9/9/9/9/4k4 w 2P 1",
    "everything, but at home": "4k4/9/9/9/9/9/9/GGGGSS3/+R+R+B+BK4 b 2P 1",
}


def cshogi_says(sfen: str) -> bool:
    """Return whether cshogi allows the side to move to declare a win by the 27-point rule."""
    try:
        cshogi: Any = importlib.import_module("cshogi")
    except ImportError:
        absent("cshogi")
    board = cshogi.Board()
    board.set_sfen(sfen)
    return bool(board.is_nyugyoku())


@pytest.mark.parametrize("why", DECLARED)
def test_a_win_is_declared(engine: UsiClient, why: str) -> None:
    sfen = DECLARED[why]
    assert cshogi_says(sfen)
    engine.send(f"position sfen {sfen}")
    for go in ("nodes 1000", "movetime 50", "btime 10000 wtime 10000", "depth 3"):
        assert engine.go(go)[1] == "win"
    for go in ("go infinite", "go ponder btime 1000 wtime 1000"):
        engine.send(go)
        assert not any(line.startswith("bestmove") for line in engine.answer())
        engine.send("stop")
        assert engine.read_until("bestmove ")[-1] == "bestmove win"
    engine.send("setoption name EnteringKingRule value NoEnteringKing")
    assert engine.go("nodes", 1000)[1] in referee.legal_moves(sfen, variant="shogi")


@pytest.mark.parametrize("why", NOT_DECLARED)
def test_no_win_is_declared_without_the_conditions(engine: UsiClient, why: str) -> None:
    sfen = NOT_DECLARED[why]
    assert not cshogi_says(sfen)
    engine.send(f"position sfen {sfen}")
    assert engine.go("nodes", 2000)[1] in referee.legal_moves(sfen, variant="shogi")


def entered(rng: random.Random) -> oracle.Position:
    """Return a random position close to the limits of the 27-point rule. Black's king is usually far advanced, together
    with other pieces, and Black has pieces in hand."""
    squares = [(column, row) for row in range(9) for column in range(9)]
    pieces = rng.sample(found := [*"RRBB", *"GSNL" * 4, *"P" * 18], len(found))
    board, advanced = dict[oracle.Square, str](), rng.randrange(9, 13)
    places = [*rng.sample(squares[:27], advanced), *rng.sample(squares[27:54], 2)]
    for square in rng.sample(places, len(places)):
        piece = pieces.pop()
        board[square] = piece if piece == "G" else "+" + piece
    board[places[-1 if rng.random() < 0.2 else 0]] = "K"
    for square in rng.sample([square for square in squares if square not in board], 3):
        piece = pieces.pop().lower()
        board[square] = piece if piece == "g" else "+" + piece
    board[rng.choice([square for square in squares[54:] if square not in board])] = "k"
    hand = "".join(sorted(pieces[: rng.randrange(4, 16)]))
    return oracle.Position(oracle.RULES["shogi"], board, (hand, ""), oracle.BLACK)


def turned(position: oracle.Position) -> oracle.Position:
    """Return the same position with the board rotated and the colours exchanged."""
    board = {(8 - column, 8 - row): piece.swapcase() for (column, row), piece in position.board.items()}
    return replace(position, board=board, hands=position.hands[::-1], turn=1 - position.turn)


def test_cshogi_agrees_about_declarations() -> None:
    """Check that Kogoma and cshogi agree whether a win may be declared. The positions are random, close to the limits
    of the 27-point rule, and tested with both colours."""
    rng, found = random.Random(27), list[bool]()
    while len(found) < 300:
        black = entered(rng)
        for sfen in (oracle.write_sfen(black), oracle.write_sfen(turned(black))):
            try:
                position = Position("shogi", sfen)
            except ValueError:  # the king of the side that is not to move is in check
                continue
            assert position.may_declare() == cshogi_says(sfen), sfen
            found.append(position.may_declare())
    assert 50 < sum(found) < 250


def test_the_search_foresees_a_declaration(engine: UsiClient) -> None:
    """Check that the search sees a win after the king steps into the promotion zone, because the opponent then cannot
    prevent a declaration. If the option EnteringKingRule is NoEnteringKing, the search must not see a win."""
    engine.send("position sfen +R+R+B+B5/GGGG1SS2/9/4K4/9/9/9/9/4k4 b 2P 1")
    infos, best = engine.go("depth", 4, "searchmoves", "5d5c")
    assert best == "5d5c" and int(info_fields(infos[-1])["cp"]) > MORE_THAN_ANYTHING
    engine.send("setoption name EnteringKingRule value NoEnteringKing", "usinewgame")
    engine.send("position sfen +R+R+B+B5/GGGG1SS2/9/4K4/9/9/9/9/4k4 b 2P 1")
    infos, _ = engine.go("depth", 4, "searchmoves", "5d5c")
    assert int(info_fields(infos[-1]).get("cp", "0")) < MORE_THAN_ANYTHING


@pytest.mark.parametrize(
    ("variant", "sfen"),
    [
        ("minishogi", "+R+R+B+BK/GG3/5/5/4k b 2SP 1"),
        ("judkins", "+R+R+B+BK1/GG4/6/6/6/5k b 2S2NP 1"),
        ("gorogoro", "1GGK1/5/5/5/5/4k b 4S4P 1"),
        ("kyoto", "+P+PK2/+S+S3/5/5/2k2 b 2L2N 1"),
    ],
)
def test_other_games_have_no_declaration(engine: UsiClient, variant: str, sfen: str) -> None:
    engine.answer(f"setoption name USI_Variant value {variant}", f"position sfen {sfen}")
    legal = oracle.legal_moves(oracle.parse_sfen(oracle.RULES[variant], sfen))
    assert engine.go("nodes", 1000)[1] in {move.replace("-", "+") for move in legal}


# ---- Capture of the king ---------------------------------------------------------------------------------------------


def captures(position: oracle.Position) -> set[str]:
    """Return the moves that capture the king."""
    followed = ((move, oracle.decided(after)) for move, after in oracle.legal_moves(position).items())
    return {move for move, end in followed if end and end.reason == "king_captured" and end.winner == position.turn}


@pytest.mark.parametrize("variant", ["dobutsu", "generals"])
def test_the_king_is_captured_and_not_lost(engine: UsiClient, variant: str) -> None:
    """Check that the engine captures the opponent's king if it can. If it cannot, it must choose a move after which its
    own king cannot be captured, unless there is no such move. Even a search to depth 1 must do this."""
    engine.answer(f"setoption name USI_Variant value {variant}")
    rng, taken, saved = random.Random(5), 0, 0
    while taken < 8 or saved < 8:
        position = Position(variant)
        while position.outcome() is None and len(position.moves) < 60:
            sfen = position.sfen()
            here = oracle.parse_sfen(oracle.RULES[variant], sfen)
            winning, moves = captures(here), oracle.legal_moves(here)
            safe = {move for move, after in moves.items() if not captures(after)}
            if (winning and taken < 8) or (len(safe) < len(moves) and not winning and saved < 8):
                engine.send(f"position sfen {sfen}")
                for go in ("depth 1", "nodes 500"):
                    best = engine.go(go)[1]
                    assert best in (winning or safe or moves), sfen
                taken, saved = taken + bool(winning), saved + (not winning and 0 < len(safe) < len(moves))
            position.push(rng.choice(sorted(position.legal_moves())))


@pytest.mark.parametrize(
    ("sfen", "best"),
    [
        ("1l1/1C1/3/1L1 b - 1", {"2b2a+"}),
        ("l2/2L/3/3 b - 1", {"1b1a"}),  # a lion that reaches the last rank and is not attacked has won
    ],
)
def test_dobutsu_is_won_at_once(engine: UsiClient, sfen: str, best: set[str]) -> None:
    engine.send(f"position sfen {sfen}")
    infos, move = engine.go("nodes", 500)
    assert move in best and info_fields(infos[-1])["mate"] == "1"


@pytest.mark.parametrize(
    ("variant", "position"),
    [
        ("dobutsu", "1l1/1C1/3/1L1 b - 1 moves 2b2a+"),
        ("dobutsu", "l2/2L/3/3 b - 1 moves 1b1a"),
        ("generals", "2k3/2P3/6/6/6/2K3 b - 1 moves 4b4a+"),
    ],
)
def test_the_engine_resigns_if_the_game_is_over(engine: UsiClient, variant: str, position: str) -> None:
    assert engine.answer(f"setoption name USI_Variant value {variant}", f"position sfen {position}") == []
    assert engine.go("nodes", 100)[1] == "resign"


# ---- The fourth repetition in 9x9 ------------------------------------------------------------------------------------


def test_the_fourth_occurrence_is_a_draw(engine: UsiClient) -> None:
    moves = ["5i5h", "5a5b", "5h5i", "5b5a"] * 3
    verdict = referee.judge(moves, SHOGI_START, "shogi")
    assert verdict is not None and verdict.winner is None and verdict.plies == len(moves)
    engine.send("setoption name DrawValueWhite value -33", f"position startpos moves {' '.join(moves[:-1])}")
    infos, _ = engine.go("depth", 4, "searchmoves", moves[-1])
    assert info_fields(infos[-1])["cp"] == "-33"
    engine.send("setoption name DrawValueWhite value 0")
    infos, _ = engine.go("depth", 4, "searchmoves", moves[-1])
    assert info_fields(infos[-1])["cp"] == "0"
    engine.send("usinewgame", f"position startpos moves {' '.join(moves[:-5])}")
    infos, _ = engine.go("depth", 2, "searchmoves", moves[-5])
    assert info_fields(infos[-1])["cp"] != "0", "the third occurrence is no draw"


@pytest.mark.parametrize("colour", ["black", "white"])
def test_perpetual_check_loses(engine: UsiClient, colour: str) -> None:
    """Check that perpetual check by a rook loses, for either side. The engine must give the last move of the repetition
    a losing score, and must choose another move."""
    sfen, cycle = "8k/9/9/9/9/9/9/9/K7R w - 1", ["1a2a", "1i2i", "2a1a", "2i1i"]
    if colour == "white":
        sfen, cycle = "r7k/9/9/9/9/9/9/9/K8 b - 1", ["9i8i", "9a8a", "8i9i", "8a9a"]
    moves, checker = cycle * 3, ("black", "white").index(colour)
    verdict = referee.judge(moves, sfen, "shogi")
    assert verdict is not None and verdict.winner == 1 - checker and verdict.plies == len(moves)
    engine.send(f"position sfen {sfen} moves {' '.join(moves[:-1])}")
    infos, _ = engine.go("depth", 4, "searchmoves", moves[-1])
    assert int(info_fields(infos[-1])["cp"]) < -MORE_THAN_ANYTHING
    assert engine.go("depth", 4)[1] != moves[-1]
