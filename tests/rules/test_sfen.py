"""SFEN: positions are written and read again, and errors are reported."""

from __future__ import annotations

import pytest

from kogoma.rules.position import Position
from support import referee
from support.samples import Sample
from support.scope import part

START = "rbsgk/4p/5/P4/KGSBR b - 1"


def test_the_start() -> None:
    for variant in ("minishogi", "minishogi-codingame"):
        assert Position(variant).sfen() == Position(variant, START).sfen() == START
        assert Position(variant).start_sfen == START


def test_round_trip_on_random_positions(samples: list[Sample]) -> None:
    for sample in part(samples, 10):
        position = Position("minishogi", sample.sfen)
        assert position.sfen() == position.start_sfen == sample.sfen
        assert position.ply == int(sample.sfen.split()[3]) - 1
        assert position.turn == "bw".index(sample.sfen.split()[1])


def test_pyffish_understands_what_is_written(samples: list[Sample]) -> None:
    """Check that SFENs can be converted to FENs that pyffish understands, and back."""
    for sample in samples[::100]:
        fen = referee.sfen_to_fen(sample.sfen)
        assert referee.pyffish().validate_fen(fen, "minishogi") == 1, sample.sfen
        assert referee.fen_to_sfen(referee.pyffish().get_fen("minishogi", fen, [])) == sample.sfen


def test_hands_are_written_strongest_first_and_blacks_first() -> None:
    assert Position("minishogi", "4k/5/5/5/K4 b 2psGbR 9").sfen() == "4k/5/5/5/K4 b RGbs2p 9"
    assert Position("minishogi", "4k/5/5/5/K4 w PpSsGgBbRr 9").sfen() == "4k/5/5/5/K4 w RBGSPrbgsp 9"


def test_promoted_pieces_are_read_and_captured_as_unpromoted() -> None:
    position = Position("minishogi", "4k/5/1+r3/+S+b2+P/K4 b - 1")
    assert position.sfen() == "4k/5/1+r3/+S+b2+P/K4 b - 1"
    position.push("5d4d")
    assert position.sfen() == "4k/5/1+r3/1+S2+P/K4 w B 2"


def test_the_move_number_counts_plies() -> None:
    position = Position("minishogi", "rbsgk/4p/5/P4/KGSBR b - 57")
    assert position.ply == 56
    position.push("2e3d")
    assert (position.ply, position.sfen().split()[3]) == (57, "58")
    position.pop()
    assert (position.ply, position.sfen().split()[3]) == (56, "57")


@pytest.mark.parametrize(
    ("sfen", "says"),
    [
        ("", r"field|empty"),
        ("   ", r"field|empty"),
        ("/ b - 1", r"rank"),
        ("//// b - 1", r"rank .* wide|empty"),
        (f"{START} extra", r"field"),
        # number of ranks and their width
        ("rbsgk/4p/5/P4 b - 1", r"5 ranks .* 4|ranks"),
        ("rbsgk/4p/5/P4/KGSBR/5 b - 1", r"5 ranks .* 6|ranks"),
        ("rbsgk/3p/5/P4/KGSBR b - 1", r"rank b .* wide"),
        ("rbsgk/5p/5/P4/KGSBR b - 1", r"rank b .* wide"),
        ("rbsgk/4p/5/P4/KGSBRR b - 1", r"rank e .* wide"),
        ("rbsgk/4p/6/P4/KGSBR b - 1", r"rank c .* wide"),
        ("rbsgk/4p/99999999999/P4/KGSBR b - 1", r"rank c .* wide"),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", r"ranks"),
        # letters
        ("rbsgk/4n/5/P4/KGSBR b - 1", r"unknown .*'n'"),
        ("rbsgk/4p/5/L4/KGSBR b - 1", r"unknown .*'L'"),
        ("rbsgk/4p/5/+G4/KGSBR b - 1", r"unknown .*G|promot"),
        ("rbsgk/4p/5/P4/+KGSBR b - 1", r"unknown .*K|promot"),
        ("rbsgk/4p/5/P4/KGSB? b - 1", r"rank e|unknown"),
        ("rbsgk/4p/5/P4+/KGSBR b - 1", r"rank d"),
        ("rbsgk/4p/5/++P4/KGSBR b - 1", r"rank d"),
        ("rbsgk/4p/5/P+4/KGSBR b - 1", r"rank d"),
        ("rbsgk/4p/٥/P4/KGSBR b - 1", r"rank c|unknown"),
        # kings
        ("rbsg1/4p/5/P4/1GSBR b - 1", r"neither side has a king"),
        ("rbsgk/4p/2K2/P4/KGSBR b - 1", r"Black has 2 kings"),
        ("5/5/5/5/5 b - 1", r"king"),
        # pawns
        ("2P1k/5/5/5/K4 w - 1", r"Black.*P on 3a can never move"),
        ("4k/5/5/5/K2p1 b - 1", r"White.*P on 2e can never move"),
        # kings that could be captured
        ("4k/5/5/5/K3R b - 1", r"Black .*could capture the king"),
        ("r3k/5/5/5/K4 w - 1", r"White .*could capture the king"),
        ("Kk3/5/5/5/5 b - 1", r"could capture the king"),
        # number of pieces
        ("rrr1k/5/5/5/K4 b - 1", r"too many .*R"),
        ("4k/5/5/5/K2G1 b Gg 1", r"too many .*G"),
        ("4k/+P+p+P2/5/5/K4 w - 1", r"too many .*P"),
        ("4k/5/5/5/K4 b 3S 1", r"too many .*S"),
        ("4k/1+b3/5/5/K4 b Bb 1", r"too many .*B"),
        # hands
        ("4k/5/5/5/K4 b K 1", r"K.* in hand"),
        ("4k/5/5/5/K4 b N 1", r"N.* in hand|unknown"),
        ("4k/5/5/5/K4 b P2 1", r"hand"),
        ("4k/5/5/5/K4 b 0P 1", r"hand"),
        ("4k/5/5/5/K4 b +P 1", r"hand"),
        ("4k/5/5/5/K4 b 99999999999999999999P 1", r"hand|too many"),
        ("4k/5/5/5/K4 b P- 1", r"hand"),
        ("4k/5/5/5/K4 b 2 1", r"hand"),
        # turn and move number
        ("rbsgk/4p/5/P4/KGSBR x - 1", r"side to move .*x"),
        ("rbsgk/4p/5/P4/KGSBR B - 1", r"side to move .*B"),
        ("rbsgk/4p/5/P4/KGSBR - b 1", r"side to move"),
        ("rbsgk/4p/5/P4/KGSBR b - 0", r"move number .*0"),
        ("rbsgk/4p/5/P4/KGSBR b - -3", r"move number .*-3"),
        ("rbsgk/4p/5/P4/KGSBR b - one", r"move number .*one"),
        ("rbsgk/4p/5/P4/KGSBR b - 1.5", r"move number"),
        ("rbsgk/4p/5/P4/KGSBR b - ²", r"move number"),
        (f"rbsgk/4p/5/P4/KGSBR b - {10**30}", r"move number"),
        # length
        ("r" * 10_000, r"rank"),
        ("/" * 10_000, r"rank"),
        (f"rbsgk/4p/5/P4/KGSBR b {'P' * 10_000} 1", r"hand|too many"),
    ],
)
def test_errors_are_reported_in_one_line(sfen: str, says: str) -> None:
    with pytest.raises(ValueError, match=says) as error:
        Position("minishogi", sfen)
    assert "\n" not in str(error.value) and len(str(error.value)) < 200
    with pytest.raises(ValueError, match=says):
        Position("minishogi-codingame", sfen)


@pytest.mark.parametrize("name", ["", "shogi9000", "mini shogi"])
def test_an_unknown_variant_gives_an_error_with_the_known_ones(name: str) -> None:
    with pytest.raises(ValueError, match=r"minishogi.*minishogi-codingame"):
        Position(name)
