"""A match's games for other programs: KIF, and lines of SFEN."""

from __future__ import annotations

from pathlib import Path

from kogoma.lab.kifu.formats import format_of, write_games
from kogoma.lab.kifu.match_records import game_of
from kogoma.lab.records.reader import read_records

ENDINGS = (".kif", ".kifu", ".sfen")


def export(records: Path, path: Path) -> None:
    """Write all games of a records file, in the order of their numbers, as the ending says, one of ENDINGS. OSError."""
    games = sorted(read_records(records).games, key=lambda game: int(game["game"]))
    write_games(path, map(game_of, games), format_of(path.name))
