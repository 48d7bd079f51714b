"""Single rules of all variants of shogi, the ends of games, and the die."""

from __future__ import annotations

import re

import pytest

from kogoma.rules.position import Position
from oracles import shogi as oracle
from support import referee
from support.random_games import PEER_VARIANTS, plain

BLACK, WHITE = oracle.BLACK, oracle.WHITE


def turned_sfen(sfen: str) -> str:
    """Return the SFEN of the position with the board rotated and the colours exchanged."""
    board, turn, hands, number = sfen.split()
    rows = ["".join(reversed(re.findall(r"[0-9]|\+?[A-Za-z]", row))) for row in board.split("/")]
    return f"{'/'.join(reversed(rows)).swapcase()} {'wb'['bw'.index(turn)]} {hands.swapcase()} {number}"


def turned_move(rules: oracle.Rules, usi: str) -> str:
    """Return the move that corresponds to `usi` on the rotated board."""

    def turned(square: re.Match[str]) -> str:
        return f"{rules.files + 1 - int(square[1])}{'abcdefghi'[rules.ranks - 1 - 'abcdefghi'.index(square[2])]}"

    return re.sub("([1-9])([a-i])", turned, usi)


@pytest.mark.parametrize(
    ("variant", "sfen", "legal", "illegal"),
    [
        # Pieces promote in three rows. Pawns, lances and knights may not be moved or dropped to squares where they
        # cannot move.
        ("shogi", "k8/9/9/P8/9/9/9/9/K8 b - 1", "9d9c 9d9c+", ""),
        ("shogi", "4k4/P8/9/9/9/9/9/9/K8 b NLP 1", "9b9a+ P*1b L*1b N*1c", "9b9a P*1a L*1a N*1a N*1b P*9c"),
        ("shogi", "4k4/9/N7L/9/9/9/9/9/K8 b - 1", "9c8a+ 1c1b 1c1b+ 1c1a+", "9c8a 1c1a"),
        # Of these variants, only Kyoto allows a pawn drop that mates.
        ("shogi", "8k/9/8G/9/9/9/9/9/K6R1 b P 1", "P*1g", "P*1b"),
        ("judkins", "5k/6/5G/6/6/K3R1 b P 1", "P*1e", "P*1b"),
        ("gorogoro", "4k/2G2/4G/5/5/K4 b P 1", "P*1e 1c1b", "P*1b"),
        ("kyoto", "4k/5/4+L/5/K2+P1 b P 1", "P*1b +P*1b P*5a +P*5a", ""),
        # Pieces promote in two rows, also when they leave these rows.
        ("judkins", "k5/6/2P1N1/6/6/K5 b N 1", "4c4b 4c4b+ 2c1a+ N*1c", "2c1a N*1b N*1a"),
        ("gorogoro", "k4/3S1/5/5/5/K4 b - 1", "2b1c 2b1c+ 2b2a 2b2a+", ""),
        # Every move turns over the moved piece, except the king. A piece can be dropped with either side up and on any
        # square, and two pawns may be on one file.
        ("kyoto", "k4/5/2S2/5/K1P2 b L 1", "3c3b+ 3e3d+ 5e5d L*1a +L*1a", "3c3b 3e3d"),
        ("kyoto", "1k3/5/2+S2/5/K1P2 b P 1", "3c1e- P*3b +P*3b", "3c1e 3c1e+"),
        # A capture turns over the capturing piece, in either direction. Other moves do not turn it over.
        ("micro", "k3/1p2/1P2/4/K3 b - 1", "3c3b+", "3c3b"),
        ("micro", "k3/4/1P2/4/K3 b P 1", "3c3b P*3b +P*3a P*3a", "3c3b+"),
        ("micro", "3k/2p1/4/1+P2/K3 b - 1", "3d2b- 3d4b", "3d2b 3d4b-"),
        ("micro", "3k/1P2/4/4/K3 b - 1", "3b3a", "3b3a+"),  # a pawn may go to a square where it cannot move again
        # A chick must promote, and may be dropped where it cannot move.
        ("dobutsu", "l2/2C/3/2L b C 1", "1b1a+ C*1a C*2b", "1b1a"),
        # A move may leave the king to be captured.
        ("dobutsu", "1l1/3/1L1/3 b - 1", "2c2b 2c1b", ""),
        ("generals", "k5/6/6/6/5r/K5 b - 1", "6f5f 6f5e", ""),
        ("generals", "k5/P5/2P3/6/6/K5 b P 1", "6b6a+ P*1a P*4b 4c4b", "6b6a 4c4b+"),
        ("generals", "k5/6/2V3/6/6/KH4 b - 1", "4c4a 4c4f 4c5c 4c3c 5f1f 5f5e", "4c6c 5f5d 4c3b"),
    ],
)
def test_one_rule_at_a_time(variant: str, sfen: str, legal: str, illegal: str) -> None:
    position = oracle.parse_sfen(oracle.RULES[variant], sfen)
    expected = oracle.legal_moves(position)
    assert set(legal.split()) <= expected.keys()
    assert not set(illegal.split()) & expected.keys()
    assert plain(Position(variant, sfen).legal_moves()) == plain(list(expected))
    if variant in PEER_VARIANTS:
        mates = [] if position.rules.pawn_drop_mate else oracle.pawn_drop_mates(position)
        assert sorted([*expected, *mates]) == sorted(referee.legal_moves(sfen, variant=variant))
    turned = oracle.parse_sfen(oracle.RULES[variant], turned_sfen(sfen))
    assert sorted(oracle.legal_moves(turned)) == sorted(turned_move(turned.rules, usi) for usi in expected)
    assert plain(Position(variant, turned_sfen(sfen)).legal_moves()) == plain(list(oracle.legal_moves(turned)))


@pytest.mark.parametrize(("variant", "sfen"), [("kyoto", "1k3/5/2+S2/5/K4 b - 1"), ("micro", "k3/2p1/4/1+P2/K3 b - 1")])
def test_turning_back_is_read_as_plus_and_as_minus(variant: str, sfen: str) -> None:
    square = "3c1e" if variant == "kyoto" else "3d2b"
    ends = []
    for sign in "+-":
        position = Position(variant, sfen)
        position.push(square + sign)
        ends.append((position.sfen(), position.key))
    assert ends[0] == ends[1]


# ---- Ends of games ---------------------------------------------------------------------------------------------------

KINGS = "k5/6/6/6/6/5K b - 1"
CORNER = "4k/5/5/5/K2R1 b - 1"
CHECKS_IN_CORNER = "2e1e 1a2a 1e2e 2a1a"
ROOK_CHECKS = ("8k/9/9/9/9/9/9/9/K6R1 b - 1", "2i1i 1a2a 1i2i 2a1a")
CYCLES = [  # a start, four moves that lead back to it, and winner and reason at the 4th occurrence
    ("shogi", None, "2h3h 8b7b 3h2h 7b8b", None, "repetition"),
    ("shogi", *ROOK_CHECKS, WHITE, "perpetual_check"),
    ("judkins", None, "1f1e 6a6b 1e1f 6b6a", None, "repetition"),
    ("judkins", "5k/6/6/6/6/K3R1 b - 1", "2f1f 1a2a 1f2f 2a1a", WHITE, "perpetual_check"),
    ("gorogoro", None, "3f3e 3a3b 3e3f 3b3a", None, "repetition"),
    ("gorogoro", "5/5/5/k4/5/S3K b - 1", "5f4e 5d5e 4e5f 5e5d", WHITE, "perpetual_check"),
    ("micro", None, "1e2d 4a3b 2d1e 3b4a", None, "repetition"),
    ("micro", "1k2/4/1B2/4/2K1 b - 1", "3c2b 3a4b 2b3c 4b3a", WHITE, "perpetual_check"),
    ("kyoto", None, "3e3d 3a3b 3d3e 3b3a", None, "repetition"),
    ("kyoto", "4K/4+P/3+N1/k1S2/5 b - 1", "3d4c+ 5d4e 4c3d- 4e5d", WHITE, "perpetual_check"),
    ("dobutsu", None, "1d1c 3a3b 1c1d 3b3a", None, "repetition"),
    ("dobutsu", "2l/3/1G+C/E1L b - 1", "1c1b 1a2b 1b1c 2b1a", None, "repetition"),  # all moves are attacks
    ("dice", None, "1e1d 5a5b 1d1e 5b5a", WHITE, "repetition"),
    ("dice", CORNER, CHECKS_IN_CORNER, WHITE, "perpetual_check"),
    ("dice-hyper", None, "1e1d 5a5b 1d1e 5b5a", WHITE, "repetition"),
    ("dice-hyper", CORNER, CHECKS_IN_CORNER, WHITE, "perpetual_check"),
]
DROP_MATE = "4k/5/4+L/5/K2+P1 b P 1"
LION_RUNS = "1g1/L2/2l/3 b C 1"  # the lion moves to a square that the giraffe attacks
ENDS = [  # a start, moves up to the end of the game, winner and reason (an empty reason: the game goes on)
    ("shogi", "8k/9/8G/8P/9/9/9/9/K8 b G 1", "G*1b", BLACK, "checkmate"),
    ("shogi", "8k/9/8G/9/9/9/9/9/KR7 b - 1", "8i2i", BLACK, "stalemate"),
    ("judkins", "5k/6/5G/6/6/KR4 b - 1", "5f2f", BLACK, "stalemate"),
    ("gorogoro", "4k/5/4G/5/5/K4 b G 1", "G*1b", BLACK, "checkmate"),
    ("kyoto", DROP_MATE, "P*1b", BLACK, "checkmate"),
    ("dobutsu", "3/L2/2l/3 b - 1", "3b3a", BLACK, "goal"),
    ("dobutsu", LION_RUNS, "3b3a", None, ""),
    ("dobutsu", LION_RUNS, "3b3a 2a3a", WHITE, "king_captured"),
    ("dobutsu", LION_RUNS, "3b3a 2a1a", BLACK, "goal"),  # the lion is no longer attacked
    ("dobutsu", LION_RUNS, "3b3a 1c1b", None, ""),  # the lion is still attacked
    ("dobutsu", LION_RUNS, "3b3a 1c1b C*1c 2a1a", BLACK, "goal"),
    ("dobutsu", LION_RUNS, "3b3a 1c1b C*1c 1b1c 3a3b", None, ""),
    ("dobutsu", "3/L2/2l/G2 b - 1", "3d3c 1c1d", WHITE, "goal"),
    ("dobutsu", "1l1/1C1/3/2L b - 1", "2b2a+", BLACK, "king_captured"),
    ("generals", "k5/P5/6/6/6/K5 b - 1", "6b6a+", BLACK, "king_captured"),
    ("generals", KINGS, "1f1e 6a6b 1e1f 6b6a " * 5, None, ""),
    ("generals", "kp4/pp4/6/6/6/5K b - 1", "1f1e", None, ""),
    ("dice", "4k/5/4G/5/K1R2 b - 1", "3e2e", WHITE, "stalemate"),
    ("dice-hyper", "4k/5/4G/5/K1R2 b - 1", "3e2e", WHITE, "stalemate"),
    ("dice-codingame", "4k/5/4G/5/K1R2 b - 1", "3e2e", BLACK, "stalemate"),
    ("dice", "4k/5/3GG/5/K4 b - 1", "1c1b", BLACK, "checkmate"),
    ("dice-codingame", "4k/5/3GG/5/K4 b - 300", "1c1b", BLACK, "checkmate"),
    ("dice-codingame", "4k/5/4G/5/K1R2 b - 300", "3e2e", BLACK, "stalemate"),
    ("dice-codingame", "rbsgk/4p/5/P4/KGSBR b - 300", "1e1d", None, "max_plies"),
    ("dice-codingame", None, "1e1d 5a5b 1d1e 5b5a " * 5, None, ""),
    ("dice-codingame", CORNER, (CHECKS_IN_CORNER + " ") * 5, None, ""),
    # The last four moves give no check, so this repetition is no perpetual check.
    ("shogi", ROOK_CHECKS[0], (ROOK_CHECKS[1] + " ") * 2 + "2i2h 1a1b 2h2i 1b1a", None, "repetition"),
    *((variant, sfen, (cycle + " ") * 3, winner, reason) for variant, sfen, cycle, winner, reason in CYCLES),
]


@pytest.mark.parametrize("colour", [BLACK, WHITE])
@pytest.mark.parametrize(("variant", "sfen", "moves", "winner", "reason"), ENDS)
def test_ends_of_games(
    variant: str, sfen: str | None, moves: str, winner: int | None, reason: str, colour: int
) -> None:
    """Check that each game ends by the rules. Each game is also played with the colours exchanged, and then the other
    side must win. There is one exception: if a rule says that Black loses by a repetition, Black also loses with the
    colours exchanged."""
    rules, played = oracle.RULES[variant], moves.split()
    sfen = sfen or rules.start
    if colour == WHITE:
        sfen, played = turned_sfen(sfen), [turned_move(rules, usi) for usi in played]
        if winner is not None and not (reason == "repetition" and not rules.fold_is_draw):
            winner = 1 - winner
    expected = (winner, reason) if reason else None
    game, position = oracle.Game(rules, sfen), Position(variant, sfen)
    for usi in played:
        assert game.outcome() is None and position.outcome() is None, (sfen, position.moves)
        game.push(usi)
        position.push(usi)
    outcome = position.outcome()
    assert game.outcome() == expected
    assert (outcome and (outcome.winner, outcome.reason)) == expected
    if outcome and outcome.reason in ("goal", "king_captured"):
        assert position.legal_moves() == []
    if variant in PEER_VARIANTS:
        verdict = referee.judge(played, sfen, variant)
        assert (verdict and (verdict.winner, verdict.plies)) == (expected and (winner, len(played)))


def dice_game(variant: str, sfen: str) -> tuple[list[str], list[list[str]]]:
    """Return the legal moves by the reference rules, and the moves that each roll from 1 to 6 allows."""
    position = oracle.parse_sfen(oracle.RULES[variant], sfen)
    rolls = [sorted(oracle.dice_moves(position, roll)) for roll in range(1, 7)]
    return sorted(oracle.legal_moves(position)), rolls


@pytest.mark.parametrize("variant", ["dice", "dice-hyper", "dice-codingame"])
def test_the_die_names_a_file(variant: str) -> None:
    everything, rolls = dice_game(variant, "4k/5/5/5/K2S1 b P 1")  # a king, a silver, and a pawn to drop
    assert rolls[5] == everything
    assert rolls[0] == sorted("2e1d P*1b P*1c P*1d P*1e".split())
    assert sorted(usi for moves in rolls[:5] for usi in moves) == everything
    everything, rolls = dice_game(variant, "4k/5/5/5/K4 b - 1")
    assert everything == ["5e4d", "5e4e", "5e5d"]
    assert rolls == [everything, everything, everything, ["5e4d", "5e4e"], ["5e5d"], everything]


def test_the_die_does_not_count_in_check_in_dice_hyper() -> None:
    sfen = "4k/5/5/5/KG2r b - 1"
    everything, rolls = dice_game("dice", "4k/5/5/5/K3r b - 1")
    assert everything == ["5e4d", "5e5d"]
    assert rolls == [everything, everything, everything, ["5e4d"], ["5e5d"], everything]
    assert dice_game("dice-codingame", "4k/5/5/5/K3r b - 1") == (everything, rolls)
    assert dice_game("dice-hyper", "4k/5/5/5/K3r b - 1") == (everything, [everything] * 6)
    assert dice_game("dice-hyper", sfen) == dice_game("dice", sfen)  # the gold is between the king and the rook
