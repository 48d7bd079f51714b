"""Everything that a game of one's own is compared in: rules, search and mates against the naive rule book."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from functools import cache

from kogoma.rules.dice.die import allowed
from kogoma.rules.position import Position
from kogoma.rules.variants import Variant
from kogoma.search.dice.values import FULL
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
# Positions that the oracle may look at: for perft, for a search, for the mates among its checks, and with a die.
PERFT, TREE, CHECKS, CHANCES = 1000, 700, 3000, 120
UNPRUNED = 20_000  # that the kernels' search without pruning may look at


class Difference(AssertionError):
    """The engine and the naive rule book do not agree; the text says on what, and where."""


def check(found: object, expected: object, what: str, position: Position) -> None:
    """Difference, unless both are the same."""
    if found != expected:
        moves = " ".join(position.moves)
        raise Difference(f"{what}: {found}, not {expected}, at {position.start_sfen} moves {moves}")


@cache
def table() -> Table:
    """One for all searches, which are of one game each."""
    made = Table(1)
    made.wait()
    return made


def judge(variant: Variant, seed: int, games: int = GAMES) -> None:
    """Compare all, along so many random games; Difference."""
    rng, rules = random.Random(seed), rules_of(variant)
    kernels = Kernels(variant)
    for number in range(games):
        game, position = oracle.Game(rules), Position(variant)
        cases: list[int] = []
        while compare_rules(game, position, kernels) and len(position.moves) < LONGEST:
            moves = sorted(oracle.legal_moves(game.position))
            cases.append(len(position.moves))
            move = pick(rng, game, moves)
            game.push(move)
            position.push(move)
        for ply in rng.sample(cases, min(len(cases), 2)):
            back = Position(variant)
            then = oracle.Game(rules)
            for move in position.moves[:ply]:
                back.push(move)
                then.push(move)
            compare_deeper(then, back)
        if number == 0:
            compare_perft(oracle.Game(rules), Position(variant))


def pick(rng: random.Random, game: oracle.Game, moves: list[str]) -> str:
    """Any move, but often one that leads back to an earlier position, or captures, or gives check."""
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
    """Compare moves, checks and the result; whether the game goes on."""
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
    """Compare what a search asks for: stages, checks, codes, counts. In its eyes no king is left to be captured, unless
    a roll may leave no other moves."""
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
        return  # such a game's search looks for no checks
    direct = {
        usi.replace("-", "+")
        for usi, (move, after) in safe.items()
        if move.target in oracle.checkers(after, after.turn)
    }
    checking = {position.usi(move).replace("-", "+") for move in quiet_checks + drop_checks}
    others = {position.usi(move).replace("-", "+") for move in quiet + drops}
    check(sorted(checking), sorted(direct & others), "quiet checks", position)


def compare_perft(game: oracle.Game, position: Position) -> None:
    """Compare perft 2, where that is not too much."""
    if position.perft(2) <= PERFT:
        check(position.perft(2), oracle.perft(game.position, 2), "perft 2", position)


def compare_deeper(game: oracle.Game, position: Position) -> None:
    """Compare searches."""
    if position.variant.die:
        compare_dice(game, position)
    else:
        compare_search(game, position)
        compare_mates(game, position)


# ---- Without a die ---------------------------------------------------------------------------------------------------


def wins(game: oracle.Game, plies: int) -> bool:
    """Tell whether the side to move wins by the rules within so many plies: by a move, or by declaring it."""
    if oracle.may_declare(game.position):
        return True
    return plies > 0 and any(loses_after(game, move, plies - 1) for move in oracle.legal_moves(game.position))


def loses_after(game: oracle.Game, move: str, plies: int) -> bool:
    """Tell whether the other side has lost by the rules within so many plies after a move."""
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
    """Tell whether the other side wins by the rules within so many plies after a move."""
    game.push(move)
    try:
        end = game.outcome()
        return end.winner == game.position.turn if end is not None else wins(game, plies)
    finally:
        game.pop()


def compare_search(game: oracle.Game, position: Position) -> None:
    """What a search to depth 3 says is decided has to be, and a move that wins at once has to be found."""
    result = Searcher(1, 1, position.variant).search(position, Limits(depth=3))
    legal = oracle.legal_moves(game.position)
    late = 2 if position.variant.king_capture else 0  # a king that can't be saved is captured two plies later
    at_once = [move for move in legal if loses_after(game, move, 0)]
    if at_once and not (result.score_kind == "mate" and result.score > 0) and result.score < RULE_WIN - 9:
        raise Difference(f"search: {at_once[0]} wins, not found ({result}), at {position.sfen()}")
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
    """Tell whether the side to move wins by threats alone within so many plies: checks, and what ends the game."""
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
    """Tell whether `forced` goes on after the defender's move."""
    return oracle.decided(position) is None and forced(position, plies)


def compare_mates(game: oracle.Game, position: Position) -> None:
    """The solver against an exhaustive search of three plies. Where a king is captured, a mate is one that wins two
    plies later, and there are wins without a mate."""
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
    """What the solver says."""
    return MateSolver(table()).solve(position, MateLimits(plies=plies, nodes=100_000)).verdict


# ---- With a die ------------------------------------------------------------------------------------------------------


def price(total: int) -> int:
    """The mean over six rolls, less the price of a ply."""
    return math.trunc(Fraction(total, 6) * Fraction(1023, 1024))


def expectimax(game: oracle.Game, position: Position, depth: int) -> int:
    """The value before the roll: the mean over six rolls of the best allowed move; a check is searched a ply
    further. Moves and results are the oracle's, what a leaf is worth is the engine's."""
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
    """What the engine takes a leaf for."""
    return dice_search.plain(position, -1, table())[0]


def compare_dice(game: oracle.Game, position: Position) -> None:
    """The search against the oracle's expectimax at depth 1, deeper where there are few moves, and, three plies deep,
    against the kernels' own without pruning."""
    for depth in (1, 2, 3):
        positions = position.perft(depth)
        found = dice_search.pruned(position, depth, table())[0] if positions <= UNPRUNED else 0
        if positions <= CHANCES:
            check(found, expectimax(game, position, depth), f"value at depth {depth}", position)
        if positions <= UNPRUNED:
            check(found, dice_search.plain(position, depth, table())[0], f"unpruned value at depth {depth}", position)
