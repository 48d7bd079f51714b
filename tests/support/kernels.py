"""Functions that call the kernels of one variant through `support.kernel_entries`, and positions for these calls."""

from __future__ import annotations

import random
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from kogoma.native.library import Library
from kogoma.rules.base_position import BasePosition
from kogoma.rules.layout import MAX_MOVES
from kogoma.rules.move_encoding import DROP, PROMOTION, SQUARE_MASK
from kogoma.rules.position import Position, new_position
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.variants import VARIANTS, Promotion, Variant
from kogoma.search.game import search_game
from oracles import onitama as onitama_oracle
from oracles import shogi as oracle
from support.random_games import games, random_positions
from support.samples import samples
from support.scope import part

Array = np.ndarray[Any, Any]
LAYOUTS = ("64", "128", "onitama")
SHOGI_GAMES = ("minishogi", "shogi", "judkins", "66shogi", "gorogoro", "micro", "kyoto", "dobutsu", "generals")
GAMES = (*SHOGI_GAMES, "onitama")  # without variants that differ from minishogi only in how a game ends


@cache
def entries_library(layout: str) -> Library:
    """Return the native library with all entry points of `support.kernel_entries` for a layout."""
    return Library("tests", ("support.kernel_entries",), layout, "tests")


class Kernels:
    """The kernels of one variant. They get the same rules and weights as in a search. A position is an array with one
    struct."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.layout = layout_of(self.variant)
        self.call = entries_library(self.layout)
        self.game = search_game(self.variant)
        self.rules, self.weights = self.game["rules"], self.game["weights"]
        self._moves = np.zeros(1 << 16, np.uint16)

    def struct(self, position: BasePosition) -> Array:
        """Return a copy of the position's struct for searches. The struct's fields are computed with the rules that
        searches use. Under these rules, a check must be answered. The struct also has running scores."""
        record: Array = position.struct.copy()
        if self.variant.cards:  # the new struct starts at ply 0, so the current cards belong there
            record["cards"][0, 0] = record["cards"][0, int(record["ply"][0])]
        record["game_ply"] += int(record["ply"][0])
        self.call("derive_fields", self.rules, record)
        return record

    def _written(self, count: int) -> list[int]:
        return [int(move) for move in self._moves[:count]]

    def stage(self, record: Array, number: int) -> list[int]:
        """Return the moves of one generator. `number` is 0 for tactical moves, 1 for quiet moves, 2 for drops, 3 for
        quiet checks, and 4 for checking drops."""
        return self._written(self.call("generate_stage", self.rules, record, self._moves, number))

    def generated(self, record: Array) -> list[int]:
        """Return the moves of the tactical, quiet and drop generators. Together, these are all moves."""
        return [move for number in range(3) for move in self.stage(record, number)]

    def legal_codes(self, record: Array) -> list[int]:
        """Return all move codes that `is_legal` accepts."""
        return self._written(self.call("legal_codes", self.rules, record, self._moves))

    def picked(self, record: Array, thread: Array, tt_move: int, stage: int, skip_quiets: bool = False) -> list[int]:
        """Return the moves in the order in which the move picker returns them."""
        arguments = (self.game, record, thread, self._moves)
        return self._written(self.call("picked_moves", *arguments, tt_move, stage, int(skip_quiets)))

    def mate_in_one(self, record: Array) -> int:
        """Return a move that mates, or 0 if none is found."""
        return self.call("mate_in_one", self.rules, record, np.zeros(MAX_MOVES, np.uint16))

    def wins_exchange(self, record: Array, move: int, threshold: int) -> bool:
        """Return whether the side to move gains at least `threshold` centipawns by the move and the captures that
        follow on the same square."""
        return bool(self.call("wins_exchange", self.game, record, move, threshold))

    def is_tactical(self, record: Array, move: int) -> bool:
        """Return whether a move is a capture or a promotion, judged by the board alone. In variants where pieces
        promote at every move, only captures count."""
        if move & int(DROP):
            return False
        turns = not self.variant.cards and self.variant.promotion is not Promotion.EVERY_MOVE
        return bool(turns and move & int(PROMOTION)) or bool(record[0]["board"][move & int(SQUARE_MASK)])


@cache
def kernels(name: str) -> Kernels:
    """Return the kernels of a variant."""
    return Kernels(VARIANTS[name])


class Case(NamedTuple):
    """A position of a shogi variant, the same position in the reference rules, and the moves that a search considers:
    the legal moves after which the mover's king cannot be captured. The moves are in USI notation with "+" both for
    promoting a piece and for turning it back."""

    position: Position
    board: oracle.Position
    moves: dict[str, tuple[oracle.Move, oracle.Position]]


@cache
def cases(name: str) -> list[Case]:
    """Return cases from random games and from random positions. In each case, no king has been captured or can be
    captured at once.

    Without --all, only every third position of 9x9 shogi is used, because the reference rules are slow there.
    """
    rules = oracle.RULES[name]
    found = [ply.sfen for game in games(name) for ply in game[::2]]
    found += [oracle.write_sfen(board) for board in random_positions(name)]
    if name == "minishogi":
        found += [sample.sfen for sample in samples()[::20]]
    looked_at = part(found, 3 if name == "shogi" else 1)
    return [case for sfen in looked_at if (case := _case(name, oracle.parse_sfen(rules, sfen))) is not None]


def _case(name: str, board: oracle.Position) -> Case | None:
    if oracle.decided(board) or oracle.in_check(board, 1 - board.turn):
        return None
    moves = {
        usi.replace("-", "+"): (move, after)
        for usi, (move, after) in oracle.safe_moves(board).items()
        if not oracle.is_pawn_drop_mate(move, after) and not oracle.in_check(after, board.turn)
    }
    return Case(Position(name, oracle.write_sfen(board)), board, moves)


def plain_usi(case: Case, move: int) -> str:
    """Return a move in USI notation, with "+" both for promoting a piece and for turning it back."""
    return case.position.usi(move).replace("-", "+")


@cache
def onitama_games(count: int = 40) -> list[list[str]]:
    """Return random games played with the reference rules. Each game is a list: the SFEN of the start position, then
    the moves in USI notation."""
    rng, found = random.Random(5), list[list[str]]()
    while len(found) < count:
        cards = rng.sample(range(16), 5)
        hands = sorted(cards[:2]), sorted(cards[2:4])
        game = onitama_oracle.Game(hands, cards[4])
        found.append([f"ssmss/5/5/5/SSMSS b {hands[0][0]},{hands[0][1]}/{hands[1][0]},{hands[1][1]}/{cards[4]} 1"])
        while game.result is None and game.ply < 60:
            action = rng.choice(sorted(game.actions()))
            found[-1].append(action.replace(" ", ":").lower())
            game.play(action)
    return found


class OnitamaCase(NamedTuple):
    """A position of Onitama in which the game has not ended, and the same game in the reference rules."""

    position: BasePosition
    game: onitama_oracle.Game


def started_game(start: str) -> onitama_oracle.Game:
    """Return a game of the reference rules with the cards of a start position."""
    held = [[int(card) for card in hand.split(",")] for hand in start.split()[2].split("/")]
    return onitama_oracle.Game((held[0], held[1]), held[2][0])


def onitama_cases() -> list[OnitamaCase]:
    """Return every third position of `onitama_games`."""
    found = []
    for start, *moves in onitama_games():
        game, position = started_game(start), new_position("onitama", start)
        for number, usi in enumerate(moves):
            if number % 3 == 0:
                found.append(OnitamaCase(new_position("onitama", position.sfen()), _copy(game)))
            game.play(action_of(usi))
            position.push(usi)
    return found


def action_of(usi: str) -> str:
    """Convert a move from USI to CodinGame's notation."""
    return usi.replace(":", " ").upper()


def _copy(game: onitama_oracle.Game) -> onitama_oracle.Game:
    other = onitama_oracle.Game((list(game.hands[0]), list(game.hands[1])), game.centre)
    other.board, other.ply, other.result = dict(game.board), game.ply, game.result
    return other
