"""Measure what self-play prefers in a variant with a placement phase, for docs/66shogi.md. Run it in the checkout:

    .venv/bin/python -m benchmarks.measure_placement FOLDER [--variant 66shogi] [--nodes 100000] [--games 210]

The engine plays against itself. Each of Black's first placements opens equally many games; White's reply is random;
the engine chooses all other placements and moves, so only those are counted. A game of 240 plies is a draw. The journal
in FOLDER is resumed.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.self_play import play, share, whites_points
from kogoma.lab.journals.match_journal import GameRecord
from kogoma.rules.position import Position
from kogoma.rules.variants import Variant, find


class Placed(NamedTuple):
    """A placement that the engine chose: its place in the side's order, from 1, and whether the side won the game."""

    side: int
    piece: str
    file: int
    order: int
    points: float


def openings(variant: Variant, games: int) -> Iterator[str]:
    """Yield `games` positions after one placement of each side."""
    rng = random.Random(games)
    first = Position(variant).legal_moves()
    for number in range(games):
        position = Position(variant)
        position.push(first[number % len(first)])
        position.push(rng.choice(position.legal_moves()))
        yield position.sfen()


def placements(variant: Variant, game: GameRecord) -> list[Placed]:
    """Return the placements that the engine chose in a game."""
    first = int(game["start"].split()[3]) - 1
    points = 0.5 if game["winner"] is None else float(game["winner"] == 0)
    found = []
    for ply, move in enumerate(game["moves"][: variant.placements - first], first):
        score = points if ply % 2 == 0 else 1 - points
        found.append(Placed(ply % 2, move[0], int(move[2]), ply // 2 + 1, score))
    return found


def table(title: str, rows: dict[str, Counter[float]], total: int) -> None:
    """Print a row for each key: how often it was chosen, and the score of the side that chose it."""
    print(f"\n| {title} | times | share | score of this side |\n|---|---|---|---|")
    for key in sorted(rows, key=lambda key: (-sum(rows[key].values()), key)):
        times = sum(rows[key].values())
        print(f"| {key} | {times} | {times / total:.0%} | {share(rows[key])} |")


def report(variant: Variant, games: list[GameRecord]) -> None:
    """Print who won, and the tables of the choices."""
    results = whites_points(games)
    reasons = Counter(game["reason"] for game in games)
    plies = sorted(len(game["moves"]) + int(game["start"].split()[3]) - 1 for game in games)
    print(f"games {len(games)}, White's score {share(results)}: won {results[1.0]}, drawn {results[0.5]}")
    print(f"plies: median {plies[len(plies) // 2]}, longest {plies[-1]}; ends: {dict(reasons.most_common())}")
    chosen = [one for game in games for one in placements(variant, game)]
    major: dict[str, Counter[float]] = defaultdict(Counter)
    king: dict[str, Counter[float]] = defaultdict(Counter)
    order: dict[str, Counter[int]] = defaultdict(Counter)
    for one in chosen:
        if any(one.piece in choice for choice in variant.choices):
            major[one.piece][one.points] += 1
        if one.piece == "K":
            king[f"file {one.file}, {('Black', 'White')[one.side]}"][one.points] += 1
        order[one.piece][one.order] += 1
    table("piece of the choice", major, sum(sum(row.values()) for row in major.values()))
    table("king on", king, sum(sum(row.values()) for row in king.values()))
    turns = range(1, variant.placements // 2 + 1)
    print(f"\n| piece | {' | '.join(f'placed {turn}.' for turn in turns)} |\n|---{'|---' * len(turns)}|")
    for piece in sorted(
        order, key=lambda piece: sum(turn * order[piece][turn] for turn in turns) / order[piece].total()
    ):
        print(f"| {piece} | {' | '.join(str(order[piece][turn]) for turn in turns)} |")


def main() -> None:
    """Play the match, or what is left of it, and print the tables."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder", type=Path)
    words.add_argument("--variant", default="66shogi")
    words.add_argument("--nodes", type=int, default=100_000)
    words.add_argument("--games", type=int, default=210)
    given = words.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    start, journal = given.folder / "openings.sfen", given.folder / f"{given.nodes}.jsonl"
    start.write_text("".join(line + "\n" for line in openings(find(given.variant), given.games)))
    flags = ["-variant", given.variant, "-maxmoves", "120", "-each", f"nodes={given.nodes}", "-games", str(given.games)]
    games = play(journal, [*flags, "-openings", f"file={start}", "order=sequential"])
    report(find(given.variant), games)


if __name__ == "__main__":
    main()
