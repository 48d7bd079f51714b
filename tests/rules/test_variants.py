"""Every shogi variant: published perft counts, the oracle against pyffish, the engine against all of them."""

from __future__ import annotations

import random
from functools import cache
from typing import NamedTuple

import pytest

from conftest import absent
from oracles import shogi as oracle
from rules.position import Position
from support import referee

VARIANTS = tuple(oracle.RULES)
BLACK = oracle.BLACK
PEER_VARIANTS = ("shogi", "judkins", "gorogoro", "micro", "kyoto", "dobutsu")
LONGEST = 150  # plies of a random game
PLIES = 400  # of them together, at least
PERFT_DEPTH = {"shogi": 3, "gorogoro": 3, "judkins": 3, "kyoto": 3, "micro": 4}


class Ply(NamedTuple):
    """A position of a random game as the oracle sees it, and the move that was played in it ("" for the last)."""

    sfen: str
    legal_moves: list[str]
    checkers: list[str]
    outcome: oracle.Outcome | None
    drop_mates: list[str]
    played: str


def plain(moves: list[str]) -> list[str]:
    """Sort the moves; a piece that turns back may be written with "-" or "+", there is one way to turn."""
    return sorted(move.replace("-", "+") for move in moves)


def start_of(rng: random.Random, variant: str) -> str:
    """Return the start of the game; in generals any pieces may be behind the pawns."""
    if variant != "generals":
        return oracle.RULES[variant].start
    rows = [[*rng.sample("GSCYXRVH", 5), "K"] for _ in range(2)]
    for row in rows:
        rng.shuffle(row)
    return f"{''.join(rows[0]).lower()}/pppppp/6/6/PPPPPP/{''.join(rows[1])} b - 1"


def next_move(rng: random.Random, moves: list[str], played: list[str]) -> str:
    """Pick any move, but often the one of four plies ago, so that positions come up again."""
    if len(played) >= 4 and rng.random() < 0.4 and played[-4] in moves:
        return played[-4]
    if len(played) >= 2 and rng.random() < 0.1 and (back := played[-2][2:4] + played[-2][:2]) in moves:
        return back
    return rng.choice(moves)


def random_game(rng: random.Random, variant: str) -> list[Ply]:
    """Play a game of the oracle's to its end, or LONGEST plies."""
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
    """Return the random games that all tests here look at."""
    rng, found = random.Random(variant), list[list[Ply]]()
    while sum(map(len, found)) < PLIES:
        found.append(random_game(rng, variant))
    return found


def random_position(rng: random.Random, variant: str) -> oracle.Position:
    """Return a position with each of the game's pieces anywhere: on the board, in a hand, or missing."""
    rules = oracle.RULES[variant]
    pieces = [letter for letter in rules.start.split()[0].upper() if letter.isalpha() and letter != rules.king]
    while True:
        squares = [(x, y) for x in range(rules.files) for y in range(rules.ranks)]
        rng.shuffle(squares)
        board = {squares.pop(): rules.king, squares.pop(): rules.king.lower()}
        hands = ["", ""]
        crowd = rng.random()  # the fewer pieces on the board, the more mates
        for letter in pieces:
            side, fate = rng.randrange(2), rng.random()
            faces = [face for face in (letter, "+" + letter) if face in rules.pieces]
            if fate < crowd:
                face = rng.choice(faces)
                board[squares.pop()] = face if side == BLACK else face.lower()
            elif fate < (crowd + 1) / 2:
                hands[side] += letter
        black, white = ("".join(sorted(hand)) for hand in hands)
        position = oracle.Position(rules, board, (black, white), rng.randrange(2))
        if can_arise(position):
            return position


def can_arise(position: oracle.Position) -> bool:
    """Tell whether a game could still be going on here: no second pawn on a file, no stuck piece, no king to take."""
    rules, board = position.rules, position.board
    pawns = [(piece, square[0]) for square, piece in board.items() if piece in "Pp"]
    if rules.nifu and len(set(pawns)) < len(pawns):
        return False
    if not rules.drops_where_stuck and not all(oracle.rays(rules, piece, square) for square, piece in board.items()):
        return False
    return not oracle.decided(position) and (rules.king_capture or not oracle.in_check(position, 1 - position.turn))


@cache
def random_positions(variant: str) -> list[oracle.Position]:
    """Return the random positions that all tests here look at."""
    rng = random.Random(variant)
    return [random_position(rng, variant) for _ in range(200)]


def picked(variant: str, count: int) -> list[Ply]:
    """Return positions of the random games, spread over them, in which there is a move."""
    playable = [ply for game in games(variant) for ply in game if ply.legal_moves]
    return random.Random(count).sample(playable, count)


# ---- Published counts ------------------------------------------------------------------------------------------------

PUBLISHED = {
    "shogi": (30, 900, 25470, 719731, 19861490),
    "kyoto": (12, 137, 1636, 18268, 225903),
    "dobutsu": (4, 17, 123, 976, 8122, 71677),
    "dice": (14, 181, 2512, 35401),
}


@pytest.mark.parametrize("variant", PUBLISHED)
def test_published_counts(variant: str) -> None:
    counts = PUBLISHED[variant]
    assert tuple(Position(variant).perft(depth) for depth in range(1, len(counts) + 1)) == counts


@pytest.mark.parametrize("variant", PUBLISHED)
def test_oracle_counts_as_published(variant: str) -> None:
    start = oracle.parse_sfen(oracle.RULES[variant], oracle.RULES[variant].start)
    assert tuple(oracle.perft(start, depth) for depth in (1, 2, 3)) == PUBLISHED[variant][:3]


# ---- The oracle against pyffish --------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", PEER_VARIANTS)
def test_oracle_has_pyffishs_legal_moves(variant: str) -> None:
    for ply in picked(variant, 60):
        theirs = referee.legal_moves(ply.sfen, variant=variant)
        assert sorted(ply.legal_moves + ply.drop_mates) == sorted(theirs), ply.sfen


@pytest.mark.parametrize("variant", PEER_VARIANTS)
def test_oracle_has_pyffishs_legal_moves_anywhere(variant: str) -> None:
    for position in random_positions(variant)[:60]:
        theirs = referee.legal_moves(oracle.write_sfen(position), variant=variant)
        mates = [] if position.rules.pawn_drop_mate else oracle.pawn_drop_mates(position)
        assert sorted([*oracle.legal_moves(position), *mates]) == sorted(theirs), oracle.write_sfen(position)


@pytest.mark.parametrize("variant", PEER_VARIANTS)
def test_oracle_ends_games_as_pyffish(variant: str) -> None:
    shortest = sorted((game for game in games(variant) if game[-1].outcome), key=len)[:2]
    for game in shortest:
        verdict, outcome = referee.judge([ply.played for ply in game[:-1]], game[0].sfen, variant), game[-1].outcome
        assert verdict is not None and outcome is not None, game[-1].sfen
        assert (verdict.winner, verdict.plies) == (outcome.winner, len(game) - 1), game[-1].sfen
        if outcome.reason != "perpetual_check":  # pyffish does not tell it from a repetition
            assert verdict.reason == outcome.reason, game[-1].sfen


# ---- The engine against Fairy-Stockfish and pyffish ------------------------------------------------------------------


def drop_mates_behind(position: oracle.Position, plies: int) -> int:
    """Count the games of so many legal plies and a pawn drop that mates."""
    if position.rules.pawn_drop_mate:
        return 0
    if plies == 0:
        return len(oracle.pawn_drop_mates(position))
    return sum(drop_mates_behind(after, plies - 1) for after in oracle.legal_moves(position).values())


@pytest.mark.parametrize("variant", PERFT_DEPTH)
def test_divide_is_fairy_stockfishs_on_20_positions(variant: str) -> None:
    """A pawn-drop mate has no moves after it, so all that Fairy-Stockfish may have more are those on the last ply."""
    path, depth, rules = referee.find_fairy_stockfish(), PERFT_DEPTH[variant], oracle.RULES[variant]
    if path is None:
        absent("fairy-stockfish")
    with referee.FairyStockfish(path, variant) as peer:
        for ply in picked(variant, 20):
            ours = {move.replace("-", "+"): n for move, n in Position(variant, ply.sfen).divide(depth).items()}
            theirs = {move.replace("-", "+"): n for move, n in peer.divide(ply.sfen, depth).items()}
            for usi in ply.drop_mates:
                assert theirs.pop(usi) == 0, (ply.sfen, usi)
            surplus = {move: theirs[move] - ours.get(move, 0) for move in theirs if theirs[move] != ours.get(move)}
            after = oracle.legal_moves(oracle.parse_sfen(rules, ply.sfen)) if surplus else {}
            behind = {usi.replace("-", "+"): position for usi, position in after.items()}
            mates = {move: drop_mates_behind(behind[move], depth - 2) for move in surplus}
            assert ours.keys() == theirs.keys() and surplus == mates, ply.sfen


def pyffish_perft(sfen: str, moves: list[str], depth: int, variant: str) -> int:
    """Count the move sequences of `depth` plies by pyffish's lists."""
    found = referee.legal_moves(sfen, moves, variant)
    return len(found) if depth == 1 else sum(pyffish_perft(sfen, [*moves, usi], depth - 1, variant) for usi in found)


def test_dobutsu_divide_is_pyffishs_on_20_positions() -> None:
    for ply in picked("dobutsu", 20):
        expected = {usi: pyffish_perft(ply.sfen, [usi], 1, "dobutsu") for usi in ply.legal_moves}
        assert Position("dobutsu", ply.sfen).divide(2) == expected, ply.sfen
    for ply in picked("dobutsu", 4):
        assert Position("dobutsu", ply.sfen).perft(3) == pyffish_perft(ply.sfen, [], 3, "dobutsu"), ply.sfen


# ---- The engine against the oracle, move by move ---------------------------------------------------------------------


def seen(position: Position) -> tuple[object, ...]:
    """Return what must not be changed by playing a move and taking it back."""
    return position.sfen(), position.key, position.in_check, position.ply, position.moves.copy()


@pytest.mark.parametrize("variant", VARIANTS)
def test_random_games_are_the_oracles(variant: str) -> None:
    for game in games(variant):
        position = Position(variant, game[0].sfen)
        for ply in game:
            outcome = position.outcome()
            assert position.sfen() == ply.sfen
            assert plain(position.legal_moves()) == plain(ply.legal_moves), ply.sfen
            assert (outcome and (outcome.winner, outcome.reason)) == ply.outcome, (ply.sfen, position.moves)
            if not oracle.RULES[variant].king_capture:
                assert sorted(position.checkers) == ply.checkers, ply.sfen
                assert position.in_check == bool(ply.checkers)
            if ply.played:
                position.push(ply.played)


@pytest.mark.parametrize("variant", VARIANTS)
def test_legal_moves_anywhere_are_the_oracles(variant: str) -> None:
    for theirs in random_positions(variant):
        ours, rules = Position(variant, oracle.write_sfen(theirs)), theirs.rules
        assert ours.sfen() == oracle.write_sfen(theirs)
        assert plain(ours.legal_moves()) == plain(list(oracle.legal_moves(theirs))), ours.sfen()
        if not rules.king_capture:
            checkers = [oracle.square_name(rules, square) for square in oracle.checkers(theirs, theirs.turn)]
            assert sorted(ours.checkers) == sorted(checkers), ours.sfen()


@pytest.mark.parametrize("variant", VARIANTS)
def test_sfen_of_any_position_can_be_read(variant: str) -> None:
    for game in games(variant):
        position = Position(variant, game[0].sfen)
        for ply in game[:-1]:
            read = Position(variant, ply.sfen)
            assert (read.sfen(), read.key) == (ply.sfen, position.key)
            assert plain(read.legal_moves()) == plain(ply.legal_moves), ply.sfen
            position.push(ply.played)


@pytest.mark.parametrize("variant", VARIANTS)
def test_moves_taken_back_leave_nothing_behind(variant: str) -> None:
    for game in games(variant):
        position, before = Position(variant, game[0].sfen), []
        for number, ply in enumerate(game[:-1]):
            here = seen(position)
            for usi in position.legal_moves() if number % 5 == 0 else []:
                position.push(usi)
                position.pop()
                assert seen(position) == here, usi
            before.append(here)
            position.push(ply.played)
        while before:
            position.pop()
            assert seen(position) == before.pop()
