"""Positions as drawings and as text, and positions from USI commands."""

from __future__ import annotations

import random
from xml.etree.ElementTree import Element, fromstring

import pytest

from kogoma import BLACK, WHITE, Game, Position, game_text, variants
from kogoma.rules.custom.registry import load_file
from kogoma.rules.onitama_cards import CARDS
from kogoma.web.piece_faces import face_text
from support.usi_client import ROOT

SVG = "{http://www.w3.org/2000/svg}"
UPSIDE_DOWN = "rotate(180)"


def played(position: Position, plies: int = 20) -> Position:
    chance = random.Random(1)
    while len(position.moves) < plies and not position.is_game_over():
        position.push(chance.choice(sorted(position.legal_moves())))
    if position.is_game_over():
        position.pop()
    return position


def parts(svg: str, tag: str) -> list[Element]:
    return list(fromstring(svg).iter(SVG + tag))


def texts(svg: str) -> list[str]:
    return [part.text or "" for part in parts(svg, "text")]


def pieces(svg: str) -> list[tuple[str, bool]]:
    """Return the text and the orientation of each drawn piece, sorted."""
    groups = [group for group in parts(svg, "g") if len(group) == 2 and group[0].tag == f"{SVG}path"]
    return sorted((group[1].text or "", UPSIDE_DOWN in group.attrib["transform"]) for group in groups)


def wanted(position: Position, flipped: bool) -> list[tuple[str, bool]]:
    """Return the text and the orientation of each piece of a position on the board, and of each kind in hand."""
    letters = [*position.pieces().values(), *position.hand(BLACK), *map(str.lower, position.hand(WHITE))]
    faces = [(face_text(position.variant, letter.upper()), letter.islower()) for letter in letters]
    return sorted((face.replace("玉", "王") if white else face, white != flipped) for face, white in faces)


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("variant", variants())
def test_a_drawing_shows_the_whole_position(variant: str, flipped: bool) -> None:
    position = played(Position(variant))
    svg = position.svg(flipped=flipped)
    assert pieces(svg) == wanted(position, flipped)
    rest = texts(svg)
    for side in (BLACK, WHITE):
        assert all(str(count) in rest for count in position.hand(side).values() if count > 1)
    assert ("?" in rest) == bool(position.variant.die)
    if position.variant.cards:
        cards = map(int, position.sfen().split()[2].replace("/", ",").split(","))
        assert {f"{card} {CARDS[card].name}" for card in cards} <= set(rest)
    assert svg == position.svg(flipped=flipped) != position.svg(flipped=not flipped)
    assert position._repr_svg_() == position.svg() != Position(variant)._repr_svg_()


def test_a_drawing_shows_the_roll_of_the_die() -> None:
    for roll in range(1, 7):
        svg = Position("dice").svg(dice=roll)
        assert len(parts(svg, "circle")) == roll and "?" not in texts(svg)
    for variant, roll in (("dice", 0), ("dice", 7), ("minishogi", 1)):
        with pytest.raises(ValueError, match="dice must be a roll from 1 to 6 in a variant with a die"):
            Position(variant).svg(dice=roll)


def test_pieces_of_custom_variants_are_drawn() -> None:
    variant = load_file(str(ROOT / "docs" / "custom-variants" / "tori.toml"))
    position = played(Position(variant))
    assert pieces(position.svg()) == wanted(position, False)
    assert all(face_text(variant, piece.letter) for piece in variant.pieces)


def test_pieces_of_built_in_variants_have_a_kanji() -> None:
    for variant in variants().values():
        for piece in variant.pieces:
            assert not face_text(variant, piece.letter).isascii(), (variant.name, piece.letter)


def test_kanji_diagrams_are_those_of_kif() -> None:
    for name in ("shogi", "minishogi", "kyoto", "micro"):
        position = played(Position(name))
        assert position.kanji() in game_text(Game.played(name, [], start=position.sfen()), "kif")
    for name in ("onitama", "dobutsu"):
        with pytest.raises(ValueError, match=f"the pieces of {name} have no Japanese names"):
            Position(name).kanji()


@pytest.mark.parametrize("variant", variants())
def test_positions_from_usi_commands(variant: str) -> None:
    position = played(Position(variant))
    moves = " ".join(position.moves)
    for command in (f"position startpos moves {moves}", f"startpos moves {moves}"):
        assert Position.from_usi(command, variant) == position
    found = Position.from_usi(f"position sfen {Position(variant).sfen()} moves {moves}\n", variants()[variant])
    assert found == position and found.moves == position.moves
    assert Position.from_usi(f"sfen {position.sfen()}", variant) == position
    assert Position.from_usi("position startpos", variant) == Position(variant)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("", "position needs 'startpos' or 'sfen'"),
        ("position", "position needs 'startpos' or 'sfen'"),
        ("position here", "expected 'startpos' or 'sfen'"),
        ("position startpos 7g7f", "expected 'moves'"),
        ("position startpos moves 7g7e", "illegal move '7g7e'"),
        ("position sfen 9/9 b - 1", "no variant has a board of 9x2 squares"),
    ],
)
def test_invalid_usi_commands_are_errors(command: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Position.from_usi(command)


def test_sides_and_the_end_of_a_game() -> None:
    position = Position()
    assert (position.turn, BLACK, WHITE) == (BLACK, 0, 1) and not position.is_game_over()
    position.push("7g7f")
    assert position.turn == WHITE
    assert Position(sfen="4k/4G/4P/5/K4 w - 1").is_game_over()


@pytest.mark.parametrize("variant", variants())
def test_repetitions_and_declarations(variant: str) -> None:
    position = Position(variant)
    assert position.times_seen == 1 and not position.may_declare()


def test_a_position_counts_its_repetitions() -> None:
    position = Position("minishogi", moves=["1e1d", "5a5b", "1d1e", "5b5a"] * 2)
    assert position.times_seen == 3
    entered = Position(sfen="+R+R+B+B1G1K1/PPPPPPP2/9/9/9/9/9/9/4k4 b 8P 1")
    assert entered.may_declare() and not Position("shogi").may_declare()
