"""A match's games for other programs: KIF, and lines of SFEN."""

from __future__ import annotations

from pathlib import Path

from lab.records.reader import read_records
from lab.records.record import GameRecord
from lab.report.kif import kif

# Programs tell how a KIF file is encoded by its ending: Windows' Shift_JIS, or UTF-8.
ENCODINGS = {".kif": "cp932", ".kifu": "utf-8", ".sfen": "utf-8"}


def export(records: Path, path: Path) -> None:
    """Write all games of a records file, in the order of their numbers, as the ending says, one of ENCODINGS. What an
    encoding has no letter for becomes a question mark. OSError."""
    games = sorted(read_records(records).games, key=lambda game: int(game["game"]))
    text = "".join(map(sfen_line, games)) if path.suffix == ".sfen" else "\n".join(map(kif, games))
    path.write_text(text, encoding=ENCODINGS[path.suffix], errors="replace")


def sfen_line(record: GameRecord) -> str:
    """`sfen START moves ... # game 12: Black - White 1-0 checkmate`, with the opening's moves among the others."""
    moves = " ".join([*record["book"], *record["moves"]])
    result = {0: "1-0", 1: "0-1", None: "1/2-1/2"}[record["winner"]]
    end = f"# game {record['game']}: {record['black']} - {record['white']} {result} {record['reason']}"
    return f"sfen {record['start']}{' moves ' * bool(moves)}{moves} {end}\n"
