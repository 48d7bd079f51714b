"""Games as data for the report's page: start, moves, die rolls, scores and times, but no positions.

The page's script replays the moves without knowing the rules: in all variants, a captured piece goes to the hand
unpromoted, and `+` or `-` after a move promotes or unpromotes the piece. 1,000 games take about 200 kB.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from typing import Any

from kogoma.lab.journals.match_journal import GameRecord, fault_line
from kogoma.rules.notation import hand_order
from kogoma.rules.onitama_cards import CARDS
from kogoma.rules.variants import VARIANTS, Variant
from kogoma.web.piece_faces import piece_faces

MAX_REPLAYS = 5000  # default maximum of games in a page, about 1.5 MB


def chosen(records: Sequence[GameRecord], most: int) -> list[GameRecord]:
    """Return at most `most` games, sorted by number. Games with a fault are chosen first, then games at regular
    intervals among the others."""
    ordered = sorted(records, key=lambda record: int(record["game"]))
    if len(ordered) <= most:
        return ordered
    faulty = [record for record in ordered if record["fault"]][:most]
    others = [record for record in ordered if not record["fault"]]
    room = most - len(faulty)
    spread = [others[index * len(others) // room] for index in range(room)]
    return sorted(faulty + spread, key=lambda record: int(record["game"]))


Note = tuple[str, str]  # a mark such as "??" and a comment on a move


def pack(records: Sequence[GameRecord], notes: Sequence[Sequence[Note]] = ()) -> str:
    """Return games in the form in which a page contains them: JSON, compressed by zlib, in base64. `notes` is empty, or
    it has a list for each game, with one note per move."""
    names = sorted({record["variant"] for record in records})
    variants = {name: shape_of(VARIANTS[name]) for name in names if name in VARIANTS}
    page = {
        "variants": variants,
        "faces": {name: faces for name in variants if (faces := piece_faces(VARIANTS[name]))},
        "cards": cards_by_number() if any(name in VARIANTS and VARIANTS[name].cards for name in names) else [],
        "games": [
            {**replay(record), **({"notes": notes[index]} if notes else {})} for index, record in enumerate(records)
        ],
    }
    text = json.dumps(page, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def shape_of(variant: Variant) -> list[Any]:
    """Return [number of files, number of ranks, letters of the pieces in the order of SFEN hands, groups of letters of
    which a side places one only]."""
    return [variant.files, variant.ranks, hand_order(variant), variant.choices]


def cards_by_number() -> list[list[Any]]:
    """Return [name, moves] of each of Onitama's cards, in the order of their numbers. Moves are from the point of view
    of the card's owner."""
    return [[card.name, card.moves] for card in CARDS]


def players(record: GameRecord) -> tuple[str, str]:
    """Return the names of the players of a game. A player without a name has that of the side."""
    return record["black"] or "Black", record["white"] or "White"


def scores_of(record: GameRecord) -> list[Any]:
    """Return (kind, value, depth) of each move's score, or 0 where the engine reported none."""
    return [score[:3] if score else 0 for score in record["scores"]]


def replay(record: GameRecord) -> dict[str, Any]:
    """Convert a game record to the form that the page's script reads. Names of fields are abbreviated, and empty fields
    are left out."""
    black, white = players(record)
    game = {
        "n": record["game"],
        "v": record["variant"],
        "start": record["start"],
        "book": " ".join(record["book"]),
        "moves": " ".join(record["moves"]),
        "dice": "".join(map(str, record.get("dice", []))),
        "black": black,
        "white": white,
        "winner": record["winner"],
        "reason": record["reason"],
        "fault": fault_line(record["fault"]),
        "scores": scores_of(record),
        "ms": record["time_ms"],
    }
    return {name: value for name, value in game.items() if value not in ("", [])}
