"""Measure exported files of plain Python: the speed of their search, and their results in games.

    .venv/bin/python -m benchmarks.measure_export_python [GAME ...] [--games 100]

The games are played with the arena's time limits, against a random mover and against a player that looks one ply ahead
for material. `benchmarks.measure_export --flavor python` measures late answers on a busy machine.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.measure_export import sfens
from kogoma.arena.codingame.turn_writer import turn_writer
from kogoma.arena.export import check, plain_bot
from kogoma.arena.export.command import compose
from kogoma.arena.export.targets import GAMES, Game
from kogoma.eval.game import default_game
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.structs import fields

SECONDS = 1.0  # of each search


def speed(game: Game) -> float:
    """Return the nodes per second of the bot's search, in positions of random games."""
    tables = plain_bot.Tables(game.name)
    nodes, seconds = 0, 0.0
    for sfen in sfens(game):
        position: Any
        if game.variant.cards:
            shown = new_position(game.variant, sfen)
            lines = turn_writer(game.variant)(shown.turn).lines(shown, None)
            position = plain_bot.onitama_position(lines[:5], lines[5:], shown.turn)
        else:
            position = plain_bot.shogi_position(
                tables, sfen.replace("+P", "T").replace("+p", "t") if tables.generals else sfen
            )
        search: Any = plain_bot.DiceSearch(16) if game.variant.die else plain_bot.Search(game.name, 16)
        began = time.process_time()
        search.think(position, position.legal(), {}, 0, time.perf_counter() + SECONDS)
        nodes, seconds = nodes + search.nodes, seconds + time.process_time() - began
    return nodes / seconds


def material(rng: random.Random, position: BasePosition, moves: list[str]) -> str:
    """Return a move that wins the game or, if there is none, a move after which the player is furthest ahead in
    material. If several moves are equally good, choose one at random."""
    us = position.turn
    value = [int(number) for number in fields(default_game(position.variant))["weights"]["value"]]
    has_hands = "hand" in position.struct.dtype.names

    def worth(move: str) -> int:
        position.push(move)
        outcome, record = position.outcome(), position.fields
        total = 0
        for cell in map(int, record["board"][: position.variant.squares]):
            total += value[cell & 15] * (1 if cell >> 4 == us else -1)
        if has_hands:
            for side, sign in ((us, 1), (1 - us, -1)):
                total += sign * sum(value[kind] * int(count) for kind, count in enumerate(record["hand"][side]))
        position.pop()
        won = 0 if outcome is None or outcome.winner is None else 1 if outcome.winner == us else -1
        return total + won * 1_000_000

    return max(rng.sample(moves, len(moves)), key=worth)


def games(game: Game, path: Path, count: int, opponent: check.Opponent) -> str:
    """Let the exported file play games against `opponent`, and return a line with the results and the slowest
    answers."""
    points, first, later = 0.0, 0.0, 0.0
    command = [*check.interpreter("python"), str(path)]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            winner, times = check.play_game(game, command, Path(folder), number, opponent=opponent)
            points += 0.5 if winner is None else winner == number % 2
            first, later = max(first, times[0]), max([later, *times[1:]])
    return f"{points:g} of {count}; first answers at most {first * 1000:.0f} ms, later {later * 1000:.0f} ms"


def main() -> None:
    """Run the measurements, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="GAME")
    parser.add_argument("--games", type=int, default=100)
    given = parser.parse_args()
    for name in given.names or GAMES:
        game = GAMES[name]
        print(f"{name}: {speed(game):,.0f} nodes/s", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"{name}.py")
            path.write_text(compose(name, "python"), encoding="utf-8")
            if given.games and game.arena:
                print(f"  random mover: {games(game, path, given.games, check.any_move)}", flush=True)
                print(f"  material player: {games(game, path, given.games, material)}", flush=True)


if __name__ == "__main__":
    main()
