"""The HTML page of analysed games: accuracy, the worst moves, and the games with scores, graph and comments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from kogoma.lab.analysis.judge import Judgement, summary, worst
from kogoma.lab.journals.match_journal import GameRecord, Score
from kogoma.lab.report import replays
from kogoma.lab.report.markup import Child, element, section, table
from kogoma.lab.report.page import filled

MARKS = {"blunder": "??", "mistake": "?", "inaccuracy": "?!", "": ""}
LISTED = 30  # worst moves per game
SHOWN = 6  # length of a better line in moves


@dataclass(frozen=True)
class Examined:
    """An analysed game. The scores of the record are those of the analysis."""

    record: GameRecord
    judgements: list[Judgement]


def score_text(kind: str, value: int, side: int) -> str:
    """Return a score of `side` as text, from Black's point of view: "+1.25", "−mate 5", for example."""
    value = -value if side else value
    sign = "+" if value > 0 else "−" if value < 0 else ""
    return f"{sign}mate {abs(value)}" if kind == "mate" else f"{sign}{abs(value) / 100:.2f}"


def remark(one: Judgement) -> str:
    """Return a comment on a mistake, or "" for a move that is no mistake."""
    if not one.name:
        return ""
    better = " ".join(one.best.moves[:SHOWN])
    before = score_text(one.best.kind, one.best.value, one.side)
    what = f"missed mate in {one.missed_mate}" if one.missed_mate else one.name
    return f"{what}: {before} before, {score_text(*one.after, one.side)} after; better was {better}"


def scores_of(record: GameRecord, judgements: Sequence[Judgement]) -> list[Score | None]:
    """Return the analysed score of each move from its mover's point of view, or None for a move that was not judged."""
    found = {one.ply: Score(*one.after, one.best.depth, 0) for one in judgements}
    return [found.get(ply) for ply in range(len(record["moves"]))]


def render_analysis(games: Sequence[Examined], how: str) -> str:
    """Return the page of analysed games as HTML text. `how` is a text about the limits of the search, shown below the
    title."""
    records = [game.record for game in games]
    notes = []
    for game in games:
        said = {one.ply: (MARKS[one.name], remark(one)) for one in game.judgements}
        notes.append([said.get(ply, ("", "")) for ply in range(len(game.record["moves"]))])
    first = records[0] if len(records) == 1 else None
    title = " – ".join(replays.players(first)) if first else f"{len(records)} games examined"
    head = element("div", element("h1", title), element("p", how, class_="sub"))
    shown = f"{len(records)} game{'s' * (len(records) != 1)}"
    overview = [
        section("Accuracy", _accuracy(games), class_="wide"),
        section("The worst moves", _worst(games), class_="wide"),
    ]
    return filled(title, head, overview, (), shown, replays.pack(records, notes))


def _accuracy(games: Sequence[Examined]) -> Element:
    rows: list[list[Child]] = []
    for number, game in enumerate(games, 1):
        for side, name in enumerate((game.record["black"], game.record["white"])):
            own = summary(game.judgements, side, len(game.record["moves"]))
            counts = [str(own.counts[kind]) for kind in ("inaccuracy", "mistake", "blunder")]
            losses = ["–" if loss is None else f"{100 * loss:.1f}%" for loss in own.phases]
            share = "–" if own.accuracy is None else f"{own.accuracy:.1f}%"
            about = f"{number}. " * (len(games) > 1) + f"{('Black', 'White')[side]}{f': {name}' if name else ''}"
            rows.append([about, share, *counts, str(own.missed_mates), *losses])
    head = ["", "accuracy", "inaccuracies", "mistakes", "blunders", "mates missed", "opening", "middle", "ending"]
    caption = "Accuracy: 100% less the winning chances that a move gave away, on average; the losses in its thirds"
    return table(head, rows, caption)


def _worst(games: Sequence[Examined]) -> Element:
    rows: list[list[Child]] = []
    for number, game in enumerate(games, 1):
        for one in worst(game.judgements)[:LISTED]:
            name = f"{one.ply + 1}. {one.move}{MARKS[one.name]}"
            address = f"#game={game.record['game'] + 1}&ply={one.ply + 1}"
            link = element("a", f"game {number}, {name}" if len(games) > 1 else name, href=address)
            rows.append([link, ("Black", "White")[one.side], f"{100 * one.loss:.0f}%", remark(one)])
    if not rows:
        return element("p", "None: no move gave away much.")
    caption = "Moves that gave away the most, the worst first"
    return table(["move", "by", "given away", ""], rows, caption, class_="left")
