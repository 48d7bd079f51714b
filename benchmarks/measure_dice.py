"""Measure the search of Dice-Shogi. Run it in the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.measure_dice [--games 100] [--movetime 50 | --nodes 5000]

First, the command prints how many nodes and how much time are saved by pruning, by the transposition table, and by
common values of rolls. Then it plays matches in which both games of a pair have the same sequence of rolls, one for
each ply, and the players exchange colours. Scores are also given without the luck of the rolls.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from benchmarks.dice_reference import MOST_PLIES, PLIES, reference_move
from kogoma.eval.explain import eval_library
from kogoma.eval.game import default_game, game_struct
from kogoma.eval.weights import PER_PIECE, load
from kogoma.lab.match.luck import DEPTH as LUCK_DEPTH
from kogoma.rules.dice.die import allowed
from kogoma.rules.position import Position
from kogoma.rules.variants import VARIANTS
from kogoma.search.dice.values import NO_LIMIT
from kogoma.search.library import dice_library
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher
from kogoma.search.table_memory import Table
from support.dice_search import middle_games, plain, pruned, record_of

LONGEST = 300  # plies; longer games are draws

Player = Callable[[Position, int], str]


def speed_up(positions: int = 10, deepest: int = 4) -> None:
    """For each depth, print the number of nodes and the time of two searches: one with pruning, and one without. For
    each position, the two searches run one after the other."""
    table = Table(16)
    for depth in range(1, deepest + 1):
        rows = []
        for position in middle_games(positions):
            one, other = pruned(position, depth, table), plain(position, depth, table)
            assert one[0] == other[0], (position.sfen(), depth, one[0], other[0])
            rows.append((one[1], other[1], one[2], other[2]))
        nodes, plain_nodes, seconds, plain_seconds = (sum(column) for column in zip(*rows))
        fewer = statistics.geometric_mean(row[1] / row[0] for row in rows)
        faster = statistics.geometric_mean(row[3] / row[2] for row in rows)
        print(
            f"depth {depth}, {positions} positions: {nodes} nodes in {seconds:.3f} s, plain {plain_nodes} in "
            f"{plain_seconds:.3f} s; geometric means: {fewer:.1f} times fewer nodes, {faster:.1f} times faster",
            flush=True,
        )


@dataclass
class Tally:
    """The scores of the first player: 1, 0.5 or 0 for each game. Two consecutive games are a pair. `adjusted` has the
    scores without the luck of the rolls."""

    scores: list[float] = field(default_factory=list)
    adjusted: list[float] = field(default_factory=list)
    plies: list[int] = field(default_factory=list)

    def summary(self) -> str:
        """Return a line with the results, the score with its 95% interval (computed from the pairs of games), and the
        Elo difference."""
        games, score, error = len(self.scores), statistics.mean(self.scores), half_interval(self.scores)
        wins, draws = self.scores.count(1.0), self.scores.count(0.5)
        elo = -400 * math.log10(1 / min(max(score, 0.001), 0.999) - 1)
        return (
            f"{wins} wins, {games - wins - draws} losses, {draws} draws in {games} games: {score:.1%} (95%: "
            f"{max(score - error, 0):.1%} to {min(score + error, 1):.1%}), Elo {elo:+.0f}, luck-adjusted "
            f"{statistics.mean(self.adjusted):.1%} +-{100 * half_interval(self.adjusted):.1f}, "
            f"mean length {statistics.mean(self.plies):.0f} plies"
        )


def half_interval(scores: Sequence[float]) -> float:
    """Return half the width of the 95% interval of the mean score, computed from the pairs of games."""
    pairs = [(a + b) / 2 for a, b in zip(scores[::2], scores[1::2])]
    return 1.96 * statistics.stdev(pairs) / math.sqrt(len(pairs)) if len(pairs) > 1 else 1.0


def expectimax(limits: Limits, variant: str = "dice") -> Player:
    """Return a player that uses Dice-Shogi's own search, expectiminimax."""
    searcher = Searcher(16, 1, VARIANTS[variant])

    def choose(position: Position, roll: int) -> str:
        best = searcher.search(position, replace(limits, dice=roll)).best
        assert best is not None
        return best

    return choose


def alpha_beta(limits: Limits) -> Player:
    """Return a player that uses minishogi's alpha-beta search. The search ignores the die, but considers only the moves
    that the roll allows."""
    searcher = Searcher(16, 1, VARIANTS["minishogi"])

    def choose(position: Position, roll: int) -> str:
        moves = allowed(position, roll)
        twin = Position("minishogi", position.sfen())
        best = searcher.search(twin, replace(limits, searchmoves=tuple(moves))).best
        return best if best in moves else moves[0]

    return choose


def material(plies: int = 3, variant: str = "dice") -> Player:
    """Return a player that searches to a fixed depth, and evaluates only the material on the board and in hand. The
    search uses pruning, which saves time but does not change the values of the moves."""
    played = VARIANTS[variant]
    data = load(played, network=False)
    for name in ("square", *PER_PIECE):
        data[name] = {}
    for name in ("tempo", "king_weak_square", "king_defender", "danger_limit"):
        data[name] = 0
    game = game_struct(played, data)
    table, library = Table(16), dice_library("64")

    def choose(position: Position, roll: int) -> str:
        table.next_generation()
        thread = record_of(table, [position.code(move) for move in allowed(position, roll)])
        thread[0]["generation"], thread[0]["last_ply"] = table.generation, played.max_plies or NO_LIMIT
        record = position.struct.copy()
        for depth in range(1, plies + 1):
            library("expectimax", game, record, thread, depth, 1)
        return position.usi(int(thread[0]["root_best"]))

    return choose


def greedy(variant: str = "dice") -> Player:
    """Return a player that looks one ply ahead: it mates if it can, and otherwise plays the move with the best static
    evaluation."""
    game = default_game(VARIANTS[variant])
    library = eval_library("64")

    def choose(position: Position, roll: int) -> str:
        best, move = -math.inf, ""
        for candidate in allowed(position, roll):
            position.push(candidate)
            worth = -float(library("static_eval", game, position.struct.copy()))
            if not position.legal_codes():
                worth = math.inf if position.in_check else -math.inf
            position.pop()
            if worth > best or not move:
                best, move = worth, candidate
        return move

    return choose


def play(players: tuple[Player, Player], seed: int, variant: str, appraiser: Searcher) -> tuple[float, float, int]:
    """Play a game, and return Black's score, Black's score without the luck of the rolls, and the number of plies. The
    seed determines the roll of each ply."""
    rolls = random.Random(seed)
    position = Position(variant)
    luck = 0.0
    while (outcome := position.outcome()) is None and len(position.moves) < LONGEST:
        roll, values = rolls.randint(1, 6), appraiser.roll_values(position, LUCK_DEPTH)
        luck += (values[roll - 1] - statistics.mean(values)) * (1 if position.turn == 0 else -1)
        position.push(players[position.turn](position, roll))
    winner = outcome.winner if outcome is not None else None
    score = 0.5 if winner is None else 1.0 - winner
    return score, score - luck, len(position.moves)


def match(one: Player, other: Player, games: int, variant: str = "dice", seed: int = 1) -> Tally:
    """Play pairs of games, and return the scores of `one`. Both games of a pair have the same rolls, and the players
    exchange colours."""
    tally, appraiser = Tally(), Searcher(1, 1, VARIANTS[variant])
    for number in range(games):
        black = number % 2 == 0
        players = (one, other) if black else (other, one)
        score, adjusted, plies = play(players, seed * 100_003 + number // 2, variant, appraiser)
        tally.scores.append(score if black else 1 - score)
        tally.adjusted.append(adjusted if black else 1 - adjusted)
        tally.plies.append(plies)
    return tally


def main() -> None:
    """Run the measurements."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--games", type=int, default=100)
    words.add_argument("--movetime", type=int, default=50, help="ms per move")
    words.add_argument("--nodes", type=int, help="nodes per move of both players, instead of a time")
    words.add_argument("--only", choices=("speed", "material", "others", "reference"), help="the only part to run")
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    limits = Limits(nodes=given.nodes) if given.nodes else Limits(movetime=given.movetime)
    pace = f"{given.nodes} nodes" if given.nodes else f"{given.movetime} ms"
    if given.only in (None, "speed"):
        speed_up()
    opponents: dict[str, Player] = {}
    if given.only in (None, "others"):
        opponents = {
            "one ply, best static evaluation": greedy(),
            "one ply of alpha-beta with quiescence": alpha_beta(Limits(depth=1)),
            f"alpha-beta without the die, {pace}": alpha_beta(limits),
        }
    if given.only in (None, "material"):
        opponents["a plain expectimax of 3 plies with material alone"] = material()
    if given.only in (None, "reference"):
        opponents[f"expectimax of {PLIES} or {MOST_PLIES} plies with material and mobility"] = reference_move
    for name, opponent in opponents.items():
        tally = match(expectimax(limits), opponent, given.games, seed=given.seed)
        print(f"expectimax at {pace} against {name}: {tally.summary()}", flush=True)


if __name__ == "__main__":
    main()
