"""Random games as records of a match journal, and their text in KIF and SFEN."""

from __future__ import annotations

import random

from kogoma.lab.journals.match_journal import GameRecord, game_record
from kogoma.lab.kifu import kif as writer
from kogoma.lab.kifu import usi_lines
from kogoma.lab.kifu.journal_games import game_of
from kogoma.rules.position import new_position


def random_record(
    variant: str, seed: int, rng: random.Random, most: int = 120, book: int = 3, start: str | None = None
) -> GameRecord:
    """Return a random game of at most `most` plies after the position `start`. The first `book` plies are the opening,
    and each later move took 1.5 s."""
    position = new_position(variant, start)
    while position.outcome() is None and len(position.moves) < most:
        position.push(rng.choice(sorted(position.legal_moves())))
    end = position.outcome()
    fields = {
        "game": seed,
        "pair": seed,
        "variant": variant,
        "start": position.start_sfen,
        "book": position.moves[:book],
        "moves": position.moves[book:],
        "black": "one",
        "white": "two",
        "time_ms": [1500.0] * len(position.moves[book:]),
        "winner": end.winner if end else None,
        "reason": end.reason if end else "max_moves",
        "clock": "st=2",
    }
    return game_record(fields)


def kif(record: GameRecord) -> str:
    """Return a game record in the KIF format."""
    return writer.kif(game_of(record))


def sfen_line(record: GameRecord) -> str:
    """Return a game record as a line with the SFEN of the start position and the moves."""
    return usi_lines.sfen_line(game_of(record))
