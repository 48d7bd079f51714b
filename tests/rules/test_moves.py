"""Legal moves compared with other programs and the reference rules, making and taking back moves, and the key."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from kogoma.rules.position import Position
from oracles import shogi as oracle
from support import referee
from support.samples import Sample
from support.scope import part

pytestmark = pytest.mark.slow


def observed(position: Position) -> tuple[object, ...]:
    """Return all visible properties of a position."""
    return (
        position.sfen(),
        position.key,
        position.turn,
        position.ply,
        position.in_check,
        position.checkers,
        position.legal_moves(),
        position.moves.copy(),
        position.outcome(),
        str(position),
    )


def of_oracle(sfen: str) -> oracle.Position:
    return oracle.parse_sfen(oracle.MINISHOGI, sfen)


def compare(samples: Iterable[Sample], expected: Iterable[Iterable[str]]) -> int:
    """Check that the legal moves of samples equal the expected moves, without the pawn drops that mate. Return the
    number of such drops."""
    mates_seen = 0
    for sample, moves in zip(samples, expected, strict=True):
        mates = set(oracle.pawn_drop_mates(of_oracle(sample.sfen)))
        assert mates <= set(moves), sample.sfen
        assert sample.legal_moves == sorted(set(moves) - mates), sample.sfen
        mates_seen += len(mates)
    return mates_seen


@pytest.mark.long
def test_legal_moves_equal_fairy_stockfishs_without_pawn_drop_mates(
    samples: list[Sample], fairy_stockfish: referee.FairyStockfish
) -> None:
    mates_seen = compare(samples, (fairy_stockfish.divide(sample.sfen, 1) for sample in samples))
    assert mates_seen > 10, "too few positions with pawn-drop mates"


@pytest.mark.long
def test_legal_moves_equal_pyffishs_without_pawn_drop_mates(samples: list[Sample]) -> None:
    """Compare a part of the positions with pyffish too, which is a newer Fairy-Stockfish but takes 3 ms for each."""
    chosen = samples[::20]
    compare(chosen, referee.legal_moves_of_many([sample.sfen for sample in chosen]))


def test_legal_moves_and_checkers_equal_the_reference_rules(samples: list[Sample]) -> None:
    for sample in part(samples, 5)[::6]:
        position = of_oracle(sample.sfen)
        assert sample.legal_moves == sorted(oracle.legal_moves(position)), sample.sfen
        checkers = [oracle.square_name(oracle.MINISHOGI, square) for square in oracle.checkers(position, position.turn)]
        assert sorted(sample.checkers) == sorted(checkers), sample.sfen


def test_a_position_read_from_sfen_equals_the_played_one(samples: list[Sample]) -> None:
    for sample in samples[::4]:
        position = Position("minishogi", sample.sfen)
        assert (sorted(position.legal_moves()), position.key) == (sample.legal_moves, sample.key), sample.sfen
        assert position.checkers == sample.checkers
        assert position.in_check == bool(sample.checkers)


@pytest.mark.parametrize(
    ("sfen", "usi", "why"),
    [
        ("4k/5/4G/5/K2R1 b P 1", "P*1b", "the gold guards the pawn and the rook the last square"),
        ("k4/5/G4/5/1R2K b P 1", "P*5b", "the same on the other side of the board"),
        ("1r2k/5/g4/5/K4 w p 1", "P*5d", "the same for White"),
        ("4k/5/5/5/K2R1 b P 1", None, "the king may take the pawn"),
        ("4k/5/4G/5/K4 b P 1", None, "the king may step aside"),
        ("3gk/3p1/4G/5/K4 b P 1", None, "the white gold may take the pawn"),
        ("R2gk/3p1/4G/5/K4 b P 1", "P*1b", "the white gold is pinned"),
    ],
)
def test_pawn_drop_mate_is_illegal(sfen: str, usi: str | None, why: str) -> None:
    assert oracle.pawn_drop_mates(of_oracle(sfen)) == ([usi] if usi else []), why
    assert sorted(Position("minishogi", sfen).legal_moves()) == sorted(oracle.legal_moves(of_oracle(sfen))), why


@pytest.mark.parametrize(
    ("sfen", "legal", "illegal"),
    [
        # A pawn may mate by a move, but not by a drop. It may give check or stalemate by a drop.
        ("4k/5/1B1GP/5/K4 b - 1", ["1c1b"], []),
        ("4k/5/4G/5/K4 b P 1", ["P*1b"], []),
        ("4k/5/5/5/K2R1 b P 1", ["P*1c"], ["P*1a"]),
        # A pawn may not be dropped on a file with an unpromoted pawn of the same side. A promoted pawn does not count.
        ("4k/5/4P/5/K4 b P 1", ["P*2c"], ["P*1b", "P*1d", "P*1e"]),
        ("k4/5/4+P/5/K4 b P 1", ["P*1d", "P*1b"], ["P*1c", "P*1a"]),
        ("k4/5/4p/5/K4 b P 1", ["P*1d", "P*1b"], ["P*1a"]),
        # On the last row, a pawn must promote, and a silver may promote. Pieces do not promote elsewhere or twice. A
        # gold and a king never promote.
        ("k4/4P/5/5/K4 b - 1", ["1b1a+"], ["1b1a"]),
        ("k4/4S/5/5/K4 b - 1", ["1b1a+", "1b1a", "1b2c"], ["1b2c+"]),
        ("k3S/5/5/5/K4 b - 1", ["1a2b", "1a2b+"], []),
        ("k3+S/5/5/5/K4 b - 1", ["1a2a", "1a1b"], ["1a1b+", "1a2a+", "1a2b", "1a2b+"]),
        ("k4/4G/5/5/K4 b - 1", ["1b1a"], ["1b1a+"]),
        ("k4/5/5/4p/K4 w - 1", ["1d1e+"], ["1d1e"]),
        # Dragon and horse keep the moves of rook and bishop, and also step one square in the other directions.
        ("k4/5/2+R2/5/4K b - 1", ["3c2b", "3c4d", "3c3a", "3c1c"], ["3c1a", "3c5e", "3c3a+"]),
        ("3k1/5/2+B2/5/4K b - 1", ["3c3b", "3c2c", "3c1a"], ["3c3a", "3c1c"]),
    ],
)
def test_one_rule_at_a_time(sfen: str, legal: list[str], illegal: list[str]) -> None:
    moves = Position("minishogi", sfen).legal_moves()
    assert set(legal) <= set(moves)
    assert not set(illegal) & set(moves)
    assert sorted(moves) == sorted(oracle.legal_moves(of_oracle(sfen)))


@pytest.mark.long
def test_taking_back_any_move_restores_the_position() -> None:
    rng = random.Random(7)
    for _ in range(12):
        position, before = Position("minishogi"), []
        while position.legal_moves() and len(position.moves) < 80:
            here = observed(position)
            for usi in position.legal_moves():
                position.push(usi)
                position.pop()
                assert observed(position) == here
            before.append(here)
            position.push(rng.choice(position.legal_moves()))
        while before:
            position.pop()
            assert observed(position) == before.pop()
        with pytest.raises(ValueError):
            position.pop()


def test_a_game_of_3000_plies_can_be_played_and_taken_back() -> None:
    rng, position, before = random.Random(3000), Position("minishogi"), []
    for _ in range(3000):
        before.append((position.sfen(), position.key, position.checkers))
        quiet = [usi for usi in sorted(position.legal_moves()) if usi[0] in "15" and usi[1] != "*"]
        position.push(rng.choice(quiet or sorted(position.legal_moves())))
        if not position.legal_moves():
            position.pop()
            before.pop()
    assert position.ply == len(before) == len(position.moves)
    while before:
        position.pop()
        assert (position.sfen(), position.key, position.checkers) == before.pop()


def test_positions_have_one_key_each(samples: list[Sample]) -> None:
    assert len({sample.key for sample in samples}) == len(samples)


def played(start: Position, *moves: str) -> Position | None:
    """Return the position after the moves, or None if one of them is illegal."""
    position = start.copy()
    for usi in moves:
        if usi not in position.legal_moves():
            return None
        position.push(usi)
    return position


def test_transpositions_have_the_same_key(samples: list[Sample]) -> None:
    rng, transpositions = random.Random(8), 0
    for sample in samples[:: len(samples) // 500]:
        start = Position("minishogi", sample.sfen)
        line = [start]
        while len(line) < 4 and line[-1].legal_moves():
            line.append(line[-1].copy())
            line[-1].push(rng.choice(line[-1].legal_moves()))
        if len(line) < 4:
            continue
        first, reply, second = line[-1].moves
        other = played(start, second, reply, first)
        if other is not None and first != second and other.sfen() == line[-1].sfen():
            assert other.key == line[-1].key, (sample.sfen, first, reply, second)
            transpositions += 1
    assert transpositions > 50


def test_key_depends_on_turn_hands_promotion_and_owner() -> None:
    sfens = [
        "4k/1s3/5/5/K4 b - 1",
        "4k/1s3/5/5/K4 w - 1",  # the other side is to move
        "4k/1+s3/5/5/K4 b - 1",
        "4k/1S3/5/5/K4 b - 1",
        "4k/1+S3/5/5/K4 b - 1",
        "4k/1g3/5/5/K4 b - 1",
        "4k/2s2/5/5/K4 b - 1",
        "4k/5/5/5/K4 b s 1",
        "4k/5/5/5/K4 b S 1",
        "4k/5/5/5/K4 w S 1",
        "4k/5/5/5/K4 b - 1",
    ]
    assert len({Position("minishogi", sfen).key for sfen in sfens}) == len(sfens)


def test_the_number_of_pieces_in_hand_changes_the_key() -> None:
    hands = ["-", "P", "2P", "p", "2p", "Pp", "R", "2R", "r", "2r", "Rr", "RB", "Rb", "rB", "rb"]
    keys = {Position("minishogi", f"4k/5/5/5/K4 {turn} {hand} 1").key for hand in hands for turn in "bw"}
    assert len(keys) == 2 * len(hands)


def test_a_move_number_does_not_change_the_key() -> None:
    assert Position("minishogi", referee.START[:-1] + "77").key == Position("minishogi").key


def test_a_copy_is_independent() -> None:
    position = Position("minishogi")
    position.push("2e3d")
    twin, before = position.copy(), observed(position)
    assert observed(twin) == before
    twin.push(twin.legal_moves()[0])
    assert observed(position) == before
    twin.pop()
    position.pop()
    assert observed(twin) == before
    assert observed(position) == observed(Position("minishogi"))


NOT_MOVES = (
    "x 2e 2e3 2e2c 2e3d+ 2e3d++ P*3c p*3c P@3c d1c2 0a0b 6a6b 5a5b 2f2e resign 0000 G*3c K*3c +S*3c *3c 2E3D".split()
)


@pytest.mark.parametrize("usi", [*NOT_MOVES, "", "2e3d 2a2b", "2e３d", "２e3d", "2e3d\n", "9" * 5000])
def test_an_illegal_move_is_reported_and_changes_nothing(usi: str) -> None:
    position = Position("minishogi")
    before = observed(position)
    with pytest.raises(ValueError) as error:
        position.push(usi)
    assert usi[:4] in str(error.value).replace("\\n", "\n")
    assert "illegal" in str(error.value) and "\n" not in str(error.value) and len(str(error.value)) < 200
    assert observed(position) == before


def test_a_pinned_piece_stays_on_its_line() -> None:
    position = Position("minishogi", "4k/5/5/r2GK/5 b P 1")  # the gold is between the king and a rook
    assert [usi for usi in position.legal_moves() if usi.startswith("2d")] == ["2d3d"]
    with pytest.raises(ValueError, match="2d2c"):
        position.push("2d2c")
