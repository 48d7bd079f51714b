"""Check that problems made from games can be trusted: does a search that is ten times as long reject the same moves?

    .venv/bin/python -m benchmarks.prove_problems [--variant minishogi] [--games 20] [--levels 4 6] [--problems 100]

The command plays games between two levels, analyses them as `analyse` does, and takes problems from their mistakes and
blunders at random. It prints how many of the played moves, and of the other moves that a problem rejects, are no longer
mistakes of any kind after the longer search. Exit code 0 if at most 2 played moves are not.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import replace

from kogoma.lab.analysis.examine import Settings, examine, lines_of
from kogoma.lab.analysis.judge import Judgement, Known, Moves, ScoredLine, judge, judgement
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant, find
from kogoma.search.levels import Level, levels_of
from kogoma.search.library import warmup
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.searcher import Searcher

LONGEST = 150  # plies of a game
RANDOM_PLIES = 2  # at the start of a game
TIMES = 10  # the longer search has this many times the nodes
MOST_WRONG = 2


def play(variant: Variant, levels: list[Level], rng: random.Random) -> Moves:
    """Play a game between two levels, in a variant without a die."""
    position, searchers = new_position(variant), [Searcher(hash_mb=8, variant=variant) for _ in levels]
    while position.outcome() is None and len(position.moves) < LONGEST:
        level = levels[position.turn]
        options = SearchOptions(noise=level.noise, seed=rng.getrandbits(63))
        move = searchers[position.turn].search(position, Limits(nodes=level.nodes), options).best
        legal = sorted(position.legal_moves())
        position.push(move if move in legal and len(position.moves) >= RANDOM_PLIES else rng.choice(legal))
    return Moves(variant.name, position.start_sfen, tuple(position.moves))


def longer(searcher: Searcher, game: Moves, one: Judgement, settings: Settings, move: str) -> str:
    """Return the kind of mistake that a move is after a search with the limits `settings`, or ""."""
    position = new_position(game.variant, game.start)
    for played in game.moves[: one.ply]:
        position.push(played)
    searcher.new_game()
    lines = lines_of(searcher, position, settings, 0, move)
    line = next(line for line in lines if line.moves[0] == move)
    return judgement(game.variant, one.ply, one.side, lines[0], line).name


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", default="minishogi")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--levels", type=int, nargs=2, default=[4, 6])
    parser.add_argument("--problems", type=int, default=100)
    parser.add_argument("--nodes", type=int, default=100_000, help="of the analysis, for each position (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    variant, rng = find(given.variant), random.Random(given.seed)
    warmup(print, variant, mates=True)
    settings = Settings(movetime=0, nodes=given.nodes, multipv=3)
    found: list[tuple[Moves, Judgement, tuple[ScoredLine, ...]]] = []
    for number in range(given.games):
        levels = [levels_of(variant)[level] for level in (given.levels if number % 2 else given.levels[::-1])]
        game, known = play(variant, levels, rng), Known()
        examine(game, settings, known, lambda ply, lines: None)
        judged = judge(game, known)
        found += [(game, one, known[one.ply]) for one in judged if one.is_wrong]
        print(f"game {number + 1}: {len(game.moves)} plies, {len(found)} problems so far", flush=True)
    rng.shuffle(found)
    chosen, searcher = found[: given.problems], Searcher(hash_mb=64, variant=variant)
    more, wrong, others, others_wrong = replace(settings, nodes=TIMES * given.nodes), 0, 0, 0
    for game, one, lines in chosen:
        if not longer(searcher, game, one, more, one.move):
            wrong += 1
            print(
                f"not rejected: move {one.ply + 1}, {one.move} ({one.name}, loss {one.loss:.2f}) of {game}", flush=True
            )
        for line in lines:
            if line.moves[0] != one.move and judgement(game.variant, one.ply, one.side, lines[0], line).is_wrong:
                others += 1
                others_wrong += not longer(searcher, game, one, more, line.moves[0])
    print(f"{len(chosen)} problems: {wrong} played moves are no mistakes after {TIMES} times the nodes", end="")
    print(f", and {others_wrong} of {others} other rejected moves")
    return int(wrong > MOST_WRONG)


if __name__ == "__main__":
    raise SystemExit(main())
