"""A match's games for other programs: KIF, and lines of SFEN."""

from __future__ import annotations

from pathlib import Path

from lab.records.reader import read_records
from lab.records.record import GameRecord
from lab.report.kif import kif


def export(records: Path, path: Path) -> None:
    """Write all games of a records file, in the order of their numbers, as the ending says (.kif or .sfen). OSError."""
    games = sorted(read_records(records).games, key=lambda game: int(game["game"]))
    text = "\n".join(kif(game) for game in games) if path.suffix == ".kif" else "".join(map(sfen_line, games))
    path.write_text(text, encoding="utf-8")


def sfen_line(record: GameRecord) -> str:
    """`sfen START moves ... # game 12: Black - White 1-0 checkmate`, with the opening's moves among the others."""
    moves = " ".join([*record["book"], *record["moves"]])
    result = {0: "1-0", 1: "0-1", None: "1/2-1/2"}[record["winner"]]
    end = f"# game {record['game']}: {record['black']} - {record['white']} {result} {record['reason']}"
    return f"sfen {record['start']}{' moves ' * bool(moves)}{moves} {end}\n"
