"""Records of matches as the lab writes them for others."""

from __future__ import annotations

from lab.kifu import kif as writer
from lab.kifu import usi_lines
from lab.kifu.match_records import game_of
from lab.records.record import GameRecord


def kif(record: GameRecord) -> str:
    """A record as KIF."""
    return writer.kif(game_of(record))


def sfen_line(record: GameRecord) -> str:
    """A record as a line of SFEN."""
    return usi_lines.sfen_line(game_of(record))
