"""A comparison of the engine with the reference rules in random games of a variant: rules, search and mates."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from functools import cache

from kogoma.rules.dice.die import allowed
from kogoma.rules.position import Position
from kogoma.rules.variants import Variant
from kogoma.search.dice.curve import FULL
from kogoma.search.limits import Limits
from kogoma.search.mate.solver import MATE, NO_MATE, MateLimits, MateSolver
from kogoma.search.searcher import Searcher
from kogoma.search.table_memory import Table
from kogoma.search.thread import RULE_WIN
from oracles import mates
from oracles import shogi as oracle
from support import dice_search
from support.kernels import Kernels
from support.random_games import plain
from support.random_variants import rules_of

GAMES, LONGEST = 2, 24
# These are the largest numbers of positions in a tree for which the slow reference rules are used: for a perft count,
# a search, a mate search, and a search with a die.
PERFT, TREE, CHECKS, CHANCES = 1000, 700, 3000, 120
UNPRUNED = 20_000  # the largest tree for the compiled search without pruning
# The most nodes expected of it. It searches each roll, and a ply more after a check, so that few trees have many times
# more nodes than positions: without a limit, these few would take two thirds of the time of all.
NODES = 10_000_000


class Difference(AssertionError):
    """A difference between the engine and the reference rules. The message says what differs, and in which position."""


def check(found: object, expected: object, what: str, position: Position) -> None:
    """Raise Difference if two values differ."""
    if found != expected:
        moves = " ".join(position.moves)
        raise Difference(f"{what}: found {found}, expected {expected} at {position.start_sfen} moves {moves}")


@cache
def table() -> Table:
    """Return the transposition table that all searches use."""
    made = Table(1)
    made.wait()
    return made


def judge(variant: Variant, seed: int, games: int = GAMES) -> None:
    """Compare the engine with the reference rules in `games` random games of a variant. Raise Difference if they
    disagree."""
    rng, rules = random.Random(seed), rules_of(variant)
    kernels = Kernels(variant)
    for number in range(games):
        game, position = oracle.Game(rules), Position(variant)
        cases: list[int] = []
        played: list[str] = []  # in the notation of the reference rules: 2b2a- where the engine writes 2b2a+
        while compare_rules(game, position, kernels) and len(position.moves) < LONGEST:
            moves = sorted(oracle.legal_moves(game.position))
            cases.append(len(position.moves))
            move = pick(rng, game, moves)
            game.push(move)
            position.push(move)
            played.append(move)
        for ply in rng.sample(cases, min(len(cases), 2)):
            back = Position(variant)
            then = oracle.Game(rules)
            for move in played[:ply]:
                back.push(move)
                then.push(move)
            compare_deeper(then, back)
        if number == 0:
            compare_perft(oracle.Game(rules), Position(variant))


def pick(rng: random.Random, game: oracle.Game, moves: list[str]) -> str:
    """Return a random move. Moves that repeat a position or give check are chosen more often."""
    if rng.random() < 0.4:
        earlier = {position.key for position in game.positions}
        legal = oracle.legal_moves(game.position)
        back = [move for move in moves if legal[move].key in earlier]
        if back:
            return rng.choice(back)
        if rng.random() < 0.5:
            checking = [move for move in moves if oracle.in_check(legal[move], legal[move].turn)]
            if checking:
                return rng.choice(checking)
    return rng.choice(moves)


def compare_rules(game: oracle.Game, position: Position, kernels: Kernels) -> bool:
    """Compare the engine with the reference rules in one position: legal moves, checks, declaration and the end of the
    game. Return whether the game goes on."""
    there = game.position
    legal = oracle.legal_moves(there)
    check(plain(position.legal_moves()), plain(list(legal)), "legal moves", position)
    check(position.perft(1), len(legal), "number of moves", position)
    told, expected = position.outcome(), game.outcome()
    check(told and (told.winner, told.reason), expected and tuple(expected), "outcome", position)
    if oracle.decided(there):
        return False
    checkers = sorted(oracle.square_name(game.rules, square) for square in oracle.checkers(there, there.turn))
    check(sorted(position.checkers), checkers, "checkers", position)
    check(position.may_declare(), oracle.may_declare(there), "declaration", position)
    if game.rules.die:
        for roll in range(1, 7):
            check(plain(allowed(position, roll)), plain(list(oracle.dice_moves(there, roll))), f"roll {roll}", position)
    if expected is None and not oracle.in_check(there, 1 - there.turn):
        compare_kernels(there, position, kernels)
    return expected is None


def compare_kernels(there: oracle.Position, position: Position, kernels: Kernels) -> None:
    """Compare the reference rules with compiled functions that only the search calls. These functions generate moves
    and checks, count legal moves, and return the codes of legal moves. Only in variants with a die may the search make
    a move that allows the opponent to capture the king, because a roll may allow no other move."""
    exposes = position.variant.king_capture and bool(position.variant.die)
    safe = {
        usi: (move, after)
        for usi, (move, after) in oracle.safe_moves(there).items()
        if not oracle.is_pawn_drop_mate(move, after) and (exposes or not oracle.in_check(after, there.turn))
    }
    record = kernels.struct(position)
    tactical, quiet, drops, quiet_checks, drop_checks = (kernels.stage(record, number) for number in range(5))
    moves = tactical + quiet + drops
    check(plain([position.usi(move) for move in moves]), plain(list(safe)), "staged moves", position)
    check(kernels.call("has_legal_move", kernels.rules, record), int(bool(safe)), "has a move", position)
    check(kernels.call("count_legal", kernels.rules, record), len(safe), "counted moves", position)
    check(sorted(kernels.legal_codes(record)), sorted(moves), "codes", position)
    if exposes:
        return  # the search does not generate checks in such a variant
    direct = {
        usi.replace("-", "+")
        for usi, (move, after) in safe.items()
        if move.target in oracle.checkers(after, after.turn)
    }
    checking = {position.usi(move).replace("-", "+") for move in quiet_checks + drop_checks}
    others = {position.usi(move).replace("-", "+") for move in quiet + drops}
    check(sorted(checking), sorted(direct & others), "quiet checks", position)


def compare_perft(game: oracle.Game, position: Position) -> None:
    """Compare the engine's perft count at depth 2 with that of the reference rules. If the count is too large for the
    slow reference rules, do nothing."""
    if position.perft(2) <= PERFT:
        check(position.perft(2), oracle.perft(game.position, 2), "perft 2", position)


def compare_deeper(game: oracle.Game, position: Position) -> None:
    """Compare the engine's searches from a position with the reference rules."""
    if position.variant.die:
        compare_dice(game, position)
    else:
        compare_search(game, position)
        compare_mates(game, position)


# ---- Without a die ---------------------------------------------------------------------------------------------------


def wins(game: oracle.Game, plies: int) -> bool:
    """Return whether the side to move can win within `plies` plies, by a move or a declaration."""
    if oracle.may_declare(game.position):
        return True
    return plies > 0 and any(loses_after(game, move, plies - 1) for move in oracle.legal_moves(game.position))


def loses_after(game: oracle.Game, move: str, plies: int) -> bool:
    """Return whether, after a move, the opponent has lost or must lose within `plies` plies."""
    game.push(move)
    try:
        end = game.outcome()
        if end is not None:
            return end.winner == 1 - game.position.turn
        return (
            plies >= 1
            and not oracle.may_declare(game.position)
            and all(wins_after(game, reply, plies - 1) for reply in oracle.legal_moves(game.position))
        )
    finally:
        game.pop()


def wins_after(game: oracle.Game, move: str, plies: int) -> bool:
    """Return whether, after a move, the opponent has won or can win within `plies` plies."""
    game.push(move)
    try:
        end = game.outcome()
        return end.winner == game.position.turn if end is not None else wins(game, plies)
    finally:
        game.pop()


def compare_search(game: oracle.Game, position: Position) -> None:
    """Check a search to depth 3. A mate that the search reports must exist. If a move wins at once, the search must
    find a win."""
    result = Searcher(1, 1, position.variant).search(position, Limits(depth=3))
    legal = oracle.legal_moves(game.position)
    late = 2 if position.variant.king_capture else 0  # a king that cannot be saved is captured two plies later
    at_once = [move for move in legal if loses_after(game, move, 0)]
    if at_once and not (result.score_kind == "mate" and result.score > 0) and result.score < RULE_WIN - 9:
        raise Difference(f"search: the winning move {at_once[0]} was not found ({result}) at {position.sfen()}")
    if result.score_kind != "mate" or abs(result.score) > 3:
        return
    if position.perft(min(abs(result.score) + late, 4)) > TREE:
        return
    if result.score > 0:
        best = next(move for move in legal if move.replace("-", "+") == str(result.best).replace("-", "+"))
        check(loses_after(game, best, result.score - 1 + late), True, f"a win by {result}", position)
    elif result.score < 0:
        lost = all(wins_after(game, move, -result.score - 1 + late) for move in legal)
        check(lost, True, f"a loss by {result}", position)


def forced(position: oracle.Position, plies: int) -> bool:
    """Return whether the side to move can win within `plies` plies by checks and by moves that end the game."""
    for after in oracle.legal_moves(position).values():
        end = oracle.decided(after)
        if end is not None:
            if end.winner == position.turn:
                return True
        elif oracle.in_check(after, after.turn):
            replies = oracle.legal_moves(after).values()
            if not replies or (plies >= 3 and all(answered(reply, plies - 2) for reply in replies)):
                return True
    return False


def answered(position: oracle.Position, plies: int) -> bool:
    """Return whether the attacker can still force a win within `plies` plies. `position` is the position after a move
    of the defender."""
    return oracle.decided(position) is None and forced(position, plies)


def compare_mates(game: oracle.Game, position: Position) -> None:
    """Compare the mate solver with an exhaustive search of at most three plies. If the variant allows capture of the
    king, only a mate in one ply is checked. In such variants, a mated side loses its king two plies later, and there
    are also wins without a mate."""
    most = game.rules.max_plies or position.ply + 5
    few = position.perft(3) <= CHECKS
    if position.variant.king_capture:
        if position.perft(3) <= TREE and most >= position.ply + 3:
            told = verdict(position, 1)
            if told == MATE or mates.wins_within(game.position, 1):
                check((told, mates.wins_within(game.position, 3)), (MATE, True), "mate in 1", position)
        return
    plies = min(3 if few else 1, most - position.ply)
    if plies >= 1:
        check(verdict(position, plies), MATE if forced(game.position, plies) else NO_MATE, f"mate in {plies}", position)


def verdict(position: Position, plies: int) -> str:
    """Return the mate solver's verdict: whether the side to move has a mate within `plies` plies."""
    return MateSolver(table()).solve(position, MateLimits(plies=plies, nodes=100_000)).verdict


# ---- With a die ------------------------------------------------------------------------------------------------------


def price(total: int) -> int:
    """Return the mean of six values, multiplied by the factor 1023/1024. Each ply reduces a value by this factor.
    `total` is the sum of the six values."""
    return math.trunc(Fraction(total, 6) * Fraction(1023, 1024))


def expectimax(game: oracle.Game, position: Position, depth: int) -> int:
    """Return the value of a position before the roll of the die. For each of the six rolls, this is the value of the
    best move that the roll allows. The result is the mean of these six values. If the side to move is in check at depth
    0, the search goes one ply deeper. The moves and the ends of games come from the reference rules, and the values of
    leaves come from the engine."""
    end = game.outcome()
    if end is not None:
        return 0 if end.winner is None else FULL if end.winner == game.position.turn else -FULL
    if oracle.may_declare(game.position):
        return FULL
    if depth < 0 or (depth == 0 and not oracle.in_check(game.position, game.position.turn)):
        return leaf(position)
    values = {}
    for move in oracle.legal_moves(game.position):
        game.push(move)
        position.push(move)
        values[move] = -expectimax(game, position, depth - 1)
        position.pop()
        game.pop()
    return price(sum(max(values[move] for move in oracle.dice_moves(game.position, roll)) for roll in range(1, 7)))


def leaf(position: Position) -> int:
    """Return the engine's value of a position at which the reference search ends."""
    return dice_search.plain(position, -1, table())[0]


def compare_dice(game: oracle.Game, position: Position) -> None:
    """Check the dice search at depths 1 to 3. Its values must equal those of the reference expectimax and those of the
    compiled search without pruning. Trees that are too large are left out."""
    before, expected = 1, 1  # nodes of the last depth and of the next one
    for depth in (1, 2, 3):
        positions = position.perft(depth)
        found = dice_search.pruned(position, depth, table())[0] if positions <= UNPRUNED else 0
        if positions <= CHANCES:
            check(found, expectimax(game, position, depth), f"value at depth {depth}", position)
        if positions <= UNPRUNED and expected <= NODES:
            value, nodes, _ = dice_search.plain(position, depth, table())
            check(found, value, f"unpruned value at depth {depth}", position)
            before, expected = nodes, nodes * nodes // before
