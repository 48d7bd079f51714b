"""Match journals with random moves and invented scores, for tests and for the screenshot in docs/."""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS, Variant

ENGINES = ("kogoma", "old <b>kogoma</b>")  # the second name breaks pages that do not escape HTML
SETTINGS = {
    "engines": [{"name": name, "command": ["./engine.sh"], "nodes": 500} for name in ENGINES],
    "rounds": 50,
    "seed": 1,
    "sprt": {"elo0": 0, "elo1": 20, "alpha": 0.05, "beta": 0.05, "model": "normalized"},
}
LONGEST = 60  # plies after the opening; longer games end as draws


def start_of(variant: Variant, chance: random.Random) -> str:
    """Return the start position of a game. In Onitama, the position has five random cards."""
    if not variant.cards:
        return variant.start
    cards = chance.sample(range(16), 5)
    held = [",".join(map(str, sorted(hand))) for hand in (cards[:2], cards[2:4])]
    return f"{variant.start.split()[0]} b {held[0]}/{held[1]}/{cards[4]} 1"


def play(
    number: int, variant: Variant, chance: random.Random, opening: tuple[str, list[str]] | None, longest: int = LONGEST
) -> dict[str, Any]:
    """Return an invented game of at most `longest` plies in the form of a match journal's record. Both games of a pair
    have the same opening: `opening` is None for the first game, and the first game's opening for the second game."""
    position = new_position(variant, opening[0] if opening else start_of(variant, chance))
    book = list(opening[1]) if opening else []
    for move in book:
        position.push(move)
    while not opening and len(book) < 2:
        book.append(chance.choice(sorted(position.legal_moves())))
        position.push(book[-1])
    names = ENGINES if number % 2 == 0 else ENGINES[::-1]
    moves: list[str] = []
    while position.outcome() is None and len(moves) < longest:
        moves.append(chance.choice(sorted(position.legal_moves())))
        position.push(moves[-1])
    end = position.outcome()
    winner, reason = (end.winner, end.reason) if end else (None, "max_moves")
    if end is None and chance.random() < 0.8:  # random games rarely end, so most get a winner here
        winner, reason = (int(chance.random() < 0.6) ^ number % 2 ^ 1), "adjudicated_win"
    fault = None
    if number in (7, 40):
        loser, kind = (len(book) + len(moves)) % 2, ("crash", "time")[number == 40]
        winner, reason = 1 - loser, kind
        log = ["info depth 3 score cp 12", "<script>alert(1)</script>"]
        fault = {"engine": names[loser], "kind": kind, "detail": "exit code 139", "log": log}
    slope = 0 if winner is None else 1500 if winner == 0 else -1500
    scores: list[list[Any] | None] = []
    for ply in range(len(moves)):
        value = round(slope * (ply / len(moves)) ** 2 + chance.gauss(0, 60))
        depth = 6 + (names[(len(book) + ply) % 2] == ENGINES[0]) + chance.randrange(3)
        scores.append(["cp", value if (len(book) + ply) % 2 == 0 else -value, depth, chance.randrange(400, 500)])
    if winner is not None and not fault and scores:
        scores[-1] = ["mate", 1 if winner == (len(book) + len(moves) - 1) % 2 else -1, 9, 480]
    if len(scores) > 2:
        scores[0] = None
    return {
        "game": number,
        "pair": number // 2,
        "variant": variant.name,
        "start": position.start_sfen,
        "book": book,
        "black": names[0],
        "white": names[1],
        "seed": number,
        "dice": [chance.randint(1, 6) for _ in moves] if variant.die else [],
        "moves": moves,
        "time_ms": [chance.randrange(1, 9) for _ in moves],
        "scores": scores,
        "winner": winner,
        "reason": reason,
        "fault": fault,
        "clock": "nodes=500",
        "seconds": 0.4,
    }


def write(
    path: Path, games: int, variants: list[Variant], seed: int = 1, longest: int = LONGEST
) -> list[dict[str, Any]]:
    """Write a match journal, and return its games. The pairs of games take the variants of the list in turn."""
    chance, records = random.Random(seed), list[dict[str, Any]]()
    for number in range(games):
        before = records[-1] if number % 2 else None
        opening = (before["start"], before["book"]) if before else None
        records.append(play(number, variants[number // 2 % len(variants)], chance, opening, longest))
    lines = [{"kogoma_match": 1, "settings": SETTINGS}, *records]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return records


def main() -> None:
    """Write a match journal: `lab_records.py FILE [--games N] [--variants NAME ...]`."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("file", type=Path)
    words.add_argument("--games", type=int, default=100)
    words.add_argument("--variants", nargs="+", default=list(VARIANTS))
    given = words.parse_args()
    write(given.file, given.games, [VARIANTS[name] for name in given.variants])


if __name__ == "__main__":
    main()
