"""Random games and random positions of all variants of shogi, played with the reference rules."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from oracles import shogi as oracle

BLACK = oracle.BLACK
PEER_VARIANTS = ("shogi", "judkins", "gorogoro", "micro", "kyoto", "dobutsu")  # the variants that pyffish knows
LONGEST = 150  # maximum plies of a random game
PLIES = 400  # minimum total number of plies of all games of a variant


class Ply(NamedTuple):
    """A position of a random game, described by the reference rules, and the move played in this position. In the last
    position of a game, the move is ""."""

    sfen: str
    legal_moves: list[str]
    checkers: list[str]
    outcome: oracle.Outcome | None
    drop_mates: list[str]
    played: str


def plain(moves: list[str]) -> list[str]:
    """Return the moves in sorted order, with "+" instead of "-". Some programs write "+" for turning a promoted piece
    back, and others write "-"."""
    return sorted(move.replace("-", "+") for move in moves)


def start_of(rng: random.Random, variant: str) -> str:
    """Return the start position of a game. In Generals, the pieces behind the pawns are random."""
    if variant != "generals":
        return oracle.RULES[variant].start
    rows = [[*rng.sample("GSCYXRVH", 5), "K"] for _ in range(2)]
    for row in rows:
        rng.shuffle(row)
    return f"{''.join(rows[0]).lower()}/pppppp/6/6/PPPPPP/{''.join(rows[1])} b - 1"


def next_move(rng: random.Random, moves: list[str], played: list[str]) -> str:
    """Return a random move. The move is often the one played four plies ago, so that positions are repeated."""
    if len(played) >= 4 and rng.random() < 0.4 and played[-4] in moves:
        return played[-4]
    if len(played) >= 2 and rng.random() < 0.1 and (back := played[-2][2:4] + played[-2][:2]) in moves:
        return back
    return rng.choice(moves)


def random_game(rng: random.Random, variant: str) -> list[Ply]:
    """Play a random game with the reference rules, to its end or for LONGEST plies, and return its positions."""
    rules = oracle.RULES[variant]
    game, plies, played = oracle.Game(rules, start_of(rng, variant)), list[Ply](), list[str]()
    while True:
        position = game.position
        moves, outcome = sorted(oracle.legal_moves(position)), game.outcome()
        move = "" if outcome or len(plies) == LONGEST else next_move(rng, moves, played)
        plies.append(
            Ply(
                sfen=oracle.write_sfen(position),
                legal_moves=moves,
                checkers=sorted(oracle.square_name(rules, at) for at in oracle.checkers(position, position.turn)),
                outcome=outcome,
                drop_mates=[] if rules.pawn_drop_mate else oracle.pawn_drop_mates(position),
                played=move,
            )
        )
        if not move:
            return plies
        game.push(move)
        played.append(move)


@cache
def games(variant: str) -> list[list[Ply]]:
    """Return random games of a variant. All tests use the same games."""
    rng, found = random.Random(variant), list[list[Ply]]()
    while sum(map(len, found)) < PLIES:
        found.append(random_game(rng, variant))
    return found


def random_position(rng: random.Random, variant: str) -> oracle.Position:
    """Return a random position in which each piece of the start position is on the board, in a hand, or missing."""
    rules = oracle.RULES[variant]
    return random_placement(rng, rules, lambda: ({}, pieces_of(rules)))


def pieces_of(rules: oracle.Rules) -> list[str]:
    """Return the letters of the pieces of the start position, without the kings. Of a group of which each side places
    one piece, these are its first two letters."""
    board, _, hands, _ = rules.start.upper().split()
    found = [letter for letter in board + hands if letter.isalpha() and letter != rules.king]
    for group in rules.one_of:
        found = [letter for letter in found if letter not in group] + [*group[:2]]
    return found


def random_placement(
    rng: random.Random, rules: oracle.Rules, begin: Callable[[], tuple[dict[tuple[int, int], str], list[str]]]
) -> oracle.Position:
    """Return a random position. `begin` returns the pieces that are already on the board, by square, and the others,
    each of which is put on the board, into a hand, or nowhere; it is called again if no game may start from the
    position."""
    while True:
        placed, pieces = begin()
        squares = [(x, y) for x in range(rules.files) for y in range(rules.ranks) if (x, y) not in placed]
        rng.shuffle(squares)
        board = placed | {squares.pop(): rules.king, squares.pop(): rules.king.lower()}
        hands = ["", ""]
        crowd = rng.random()  # the share of the pieces that are on the board; with few pieces, mates are more frequent
        for letter in pieces:
            side, fate = rng.randrange(2), rng.random()
            faces = [face for face in (letter, "+" + letter) if face in rules.pieces]
            if fate < crowd:
                face = rng.choice(faces)
                board[squares.pop()] = face if side == BLACK else face.lower()
            elif fate < (crowd + 1) / 2:
                hands[side] += letter
        black, white = ("".join(sorted(hand)) for hand in hands)
        position = oracle.Position(rules, board, (black, white), rng.randrange(2), oracle.placements(rules) + 1)
        if can_start(position):
            return position


def can_start(position: oracle.Position) -> bool:
    """Return whether a game may start from a position. Unless the rules allow such positions, there must be no piece
    that can never move, and no king that can be captured. Pawns may share a file."""
    rules, board = position.rules, position.board
    if not rules.drops_where_stuck and not all(oracle.rays(rules, piece, square) for square, piece in board.items()):
        return False
    return not oracle.decided(position) and (rules.king_capture or not oracle.in_check(position, 1 - position.turn))


@cache
def random_positions(variant: str) -> list[oracle.Position]:
    """Return random positions of a variant. All tests use the same positions."""
    rng = random.Random(variant)
    return [random_position(rng, variant) for _ in range(200)]


def without_a_king(name: str) -> Iterator[oracle.Position]:
    """Yield random positions without one of the two kings. In some positions Black's king is missing, in the others
    White's king. The remaining king cannot be captured at once."""
    for number, position in enumerate(random_positions(name)):
        king = oracle.king_of(position.rules, number % 2)
        board = {square: piece for square, piece in position.board.items() if piece != king}
        kingless = replace(position, board=board)
        if not oracle.in_check(kingless, 1 - kingless.turn):
            yield kingless


def picked(variant: str, count: int) -> list[Ply]:
    """Return `count` random positions from the games of `games`. Each of these positions has a legal move."""
    playable = [ply for game in games(variant) for ply in game if ply.legal_moves]
    return random.Random(count).sample(playable, count)
