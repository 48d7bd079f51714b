"""Games as PGN, with moves in USI notation and the start position as SFEN, and results in fastchess's words.

PGN's White is shogi's Black: the side that moves first in the variant's start position.
"""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kogoma.lab.engines import faults
from kogoma.lab.journals.match_journal import GameRecord, Score
from kogoma.lab.kifu.usi_lines import RESULTS
from kogoma.output_file import opener

WIDTH = 80  # of the lines with moves
DRAW, WIN = "Draw by {reason}", "{winner} wins by {reason}"
# By the reason: what is printed, and PGN's tag Termination. OpenBench searches both for words like "disconnect".
ENDS = {
    "checkmate": ("{winner} mates", "normal"),
    "resign": ("{loser} resigns", "normal"),
    "adjudicated_win": ("{winner} wins by adjudication", "adjudication"),
    "adjudicated_draw": ("Draw by adjudication", "adjudication"),
    "max_moves": ("Draw by maximum length", "adjudication"),
    faults.TIME: ("{loser} loses on time", "time forfeit"),
    faults.ILLEGAL_MOVE: ("{loser} makes an illegal move", "illegal move"),
    faults.CRASH: ("{loser} disconnects", "abandoned"),
    faults.DISCONNECT: ("{loser} disconnects", "abandoned"),
    faults.HANG: ("{loser}'s connection stalls", "stalled"),
    faults.RUBBISH: ("{loser}'s connection stalls", "stalled"),
}


@dataclass(frozen=True)
class PgnOutput:
    """The file of `-pgnout`, and what is in it: the tags `event` and `site`, comments (not if `brief`), and the nodes
    of each move in the comments."""

    path: Path
    event: str = "?"
    site: str = "?"
    brief: bool = False
    with_nodes: bool = False

    def words(self) -> list[str]:
        """Return the words of the command line that describe the file."""
        found = ["-pgnout", str(self.path), *["min=true"] * self.brief, *["nodes=true"] * self.with_nodes]
        tags = {"-event": self.event, "-site": self.site}
        return found + [word for flag, value in tags.items() if value != "?" for word in (flag, value)]


def end_text(record: GameRecord) -> str:
    """Return the result of a game and how it ended: `1-0 {one mates}`. The result is 1-0 if Black has won."""
    winner, reason = record["winner"], record["reason"]
    names = (record["black"], record["white"])
    form = ENDS[reason][0] if reason in ENDS else DRAW if winner is None else WIN
    black_lost = winner == 1
    text = form.format(winner=names[black_lost], loser=names[not black_lost], reason=reason.replace("_", " "))
    return f"{RESULTS[winner]} {{{text.replace('}', ')')}}}"


def finished_text(record: GameRecord) -> str:
    """Return fastchess's line about a finished game: `Finished game 1 (one vs two): 1-0 {one mates}`."""
    return f"Finished game {record['game'] + 1} ({record['black']} vs {record['white']}): {end_text(record)}"


def pgn(record: GameRecord, output: PgnOutput, date: str) -> str:
    """Return a game as PGN, with an empty line at the end. `date` has the form 2026.11.29."""
    tags = {
        "Event": output.event,
        "Site": output.site,
        "Date": date,
        "Round": record["game"] + 1,
        "White": record["black"],
        "Black": record["white"],
        "Result": RESULTS[record["winner"]],
        "Variant": record["variant"],
        "SetUp": 1,
        "SFEN": record["start"],
    }
    if not output.brief:
        tags["PlyCount"] = len(record["book"]) + len(record["moves"])
        tags["Termination"] = ENDS.get(record["reason"], ("", "normal"))[1]
        tags["TimeControl"] = record["clock"] or "?"
    lines = [f'[{name} "{_escaped(str(value))}"]' for name, value in tags.items()]
    moves = textwrap.wrap(" ".join(_moves(record, output)), WIDTH, break_long_words=False, break_on_hyphens=False)
    result, _, ending = end_text(record).partition(" ")
    return "\n".join([*lines, "", *moves, result if output.brief else f"{ending} {result}", "", ""])


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _moves(record: GameRecord, output: PgnOutput) -> Iterator[str]:
    """Yield the words of the moves: numbers, moves and comments."""
    book = len(record["book"])
    first = int(record["start"].split()[1:2] == ["w"])
    for number, usi in enumerate([*record["book"], *record["moves"]]):
        ply = number + first
        if ply % 2 == 0 or number == 0:
            yield f"{ply // 2 + 1}{'...' if ply % 2 else '.'}"
        yield usi
        if not output.brief:
            yield f"{{{'book' if number < book else _comment(record, number - book, output.with_nodes)}}}"


def _comment(record: GameRecord, ply: int, with_nodes: bool) -> str:
    """Return the comment of a move: score and depth, time, and, if there are any, nodes and die roll."""
    score = record["scores"][ply] if ply < len(record["scores"]) else None
    words = [f"{_score(score)} {record['time_ms'][ply] / 1000:.3f}s" if ply < len(record["time_ms"]) else _score(score)]
    if with_nodes and score is not None:
        words.append(f"n={score.nodes}")
    if ply < len(rolls := record.get("dice", [])):
        words.append(f"roll={rolls[ply]}")
    return ", ".join(words)


def _score(score: Score | None) -> str:
    if score is None:
        return "0.00/0"
    value = f"{score.value / 100:+.2f}" if score.kind == "cp" else f"{'-' * (score.value < 0)}M{abs(score.value)}"
    return f"{value}/{score.depth}"


class PgnFile:
    """The open file of `-pgnout`, to which games are appended as they end. A context manager."""

    def __init__(self, output: PgnOutput, known: Iterable[GameRecord]) -> None:
        """Replace the file by one with the games `known`. Raises OSError if it cannot be written."""
        self._output = output
        self._file = open(output.path, "w", encoding="utf-8", errors="replace", opener=opener)  # noqa: SIM115
        for record in known:
            self.add(record, "????.??.??")

    def __enter__(self) -> PgnFile:
        return self

    def __exit__(self, *what: object) -> None:
        self._file.close()

    def add(self, record: GameRecord, date: str = "") -> None:
        """Write a game; its date is by default today. Raises OSError if the file cannot be written."""
        try:
            self._file.write(pgn(record, self._output, date or time.strftime("%Y.%m.%d")))
            self._file.flush()
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._output.path)) from None
