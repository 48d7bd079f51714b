"""The report: a match as one HTML page that needs no network and no other file."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any
from xml.etree.ElementTree import Element

from kogoma.console.arguments import CommandLineError, whole_number
from kogoma.console.lines import counted
from kogoma.japanese import message
from kogoma.lab.journals.match_journal import GameRecord, SprtState, read_records
from kogoma.lab.report import charts, replays
from kogoma.lab.report.markup import Child, element, figure, render, section, table
from kogoma.lab.report.replays import MAX_REPLAYS
from kogoma.lab.stats.early_stopping import corrected_elo
from kogoma.lab.stats.sprt import Sprt, Stopping
from kogoma.lab.stats.statistics import (
    EngineStats,
    Estimate,
    PairTally,
    Results,
    Summary,
    running,
    summarise,
    tally,
    without_copies,
)
from kogoma.output_file import write_file
from kogoma.web.modules import join_modules

MAX_FAULTS = 200  # maximum number of faults shown with their logs
SCRIPT = "lab/report/template/page.js"  # included in the page with all modules that it imports
POINTS = ("0", "½", "1", "1½", "2")  # possible points of a pair of games
REASONS = {"max_moves": "move limit of the match", "max_plies": "move limit of the game", "time": "loss on time"}


def render_page(
    records: Sequence[GameRecord],
    settings: dict[str, Any],
    first: str | None = None,
    max_replays: int = replays.MAX_REPLAYS,
    decided: SprtState | None = None,
) -> str:
    """Return the report as HTML text. `first` is the engine to list first, `max_replays` is the maximum number of games
    that the page contains, and `decided` is the stored verdict of the SPRT. Games that repeat earlier ones are not
    counted. Raises CommandLineError if `first` played no game."""
    distinct = without_copies(records)
    summary = summarise(distinct)
    names = list(summary.engines)
    if first is not None and first not in names:
        raise CommandLineError(f"no engine {first!r} played in these games; engines: {', '.join(names) or 'none'}")
    names.sort(key=lambda name: (name != first, -_order(summary.engines[name], len(names))))
    shown = replays.chosen(records, max_replays)
    title = " – ".join(names) if 0 < len(names) <= 3 else f"{len(names)} engines" if names else "No games yet"
    return filled(
        title,
        _head(title, summary, len(records) - len(distinct)),
        _results(summary, names, distinct, _replay_test(records, names, settings), decided),
        _more(summary, names, distinct, settings),
        f"{len(shown)} of {len(records)} games" if len(shown) < len(records) else counted(len(records), "game"),
        replays.pack(shown),
    )


def filled(
    title: str, head: Element, results: Iterable[Element], more: Iterable[Element], shown: str, games: str
) -> str:
    """Return the HTML text of a page with games to replay. `results` are shown above the games and `more` below them.
    `shown` is a text with the number of games, and `games` comes from `replays.pack`."""
    folder = files("kogoma.lab.report") / "template"
    parts = {
        "title": render(element("title", f"{title} · Kogoma")),
        "style": (folder / "style.css").read_text("utf-8")
        + (files("kogoma.web") / "board" / "board.css").read_text("utf-8"),
        "head": render(head),
        "results": "".join(map(render, results)),
        "more": "".join(map(render, more)),
        "shown": shown,
        "games": games,
        "script": join_modules(SCRIPT),
    }
    return Template((folder / "page.html").read_text("utf-8")).substitute(parts)


def _order(engine: EngineStats, engines: int) -> float:
    """Return the sort key of an engine. It is the engine's score if more than two engines play. For two engines it is
    0, so that they keep their order."""
    return engine.results.score if engines > 2 and engine.results.games else 0.0


def _head(title: str, summary: Summary, copies: int) -> Element:
    many = len(summary.variants) > 1
    played = ", ".join(f"{name} ({count})" if many else name for name, count in summary.variants.items())
    told = f"{counted(summary.games, 'game')} of {played or 'nothing yet'}"
    told += f"; {copies} more repeat earlier ones and are not counted" if copies else ""
    return element("div", element("h1", title), element("p", told, class_="sub"))


def _results(
    summary: Summary,
    names: list[str],
    records: Sequence[GameRecord],
    stopping: Stopping | None,
    decided: SprtState | None,
) -> Iterator[Element]:
    if not names:
        return
    counted = tally(records, names[0])
    if len(names) == 2:
        yield _tiles(summary.engines[names[0]], counted, stopping, decided)
    plots = []
    for name in names[:1] if len(names) == 2 else names:
        if line := running(records, name):
            caption = f"Elo of {name} over the games played, with its 95% interval"
            plots.append(figure(caption, charts.elo_plot(line, name), _as_table(line)))
    wide = "wide" if len(names) > 2 else None
    yield section("Elo", element("div", plots, class_="figures"), id="elo", class_=wide)
    yield section("Results", _cross_table(summary, names), _colour_table(summary, names), class_=wide)
    yield section("Engines", _engine_table(summary, names), class_="wide")


def _replay_test(records: Sequence[GameRecord], names: list[str], settings: dict[str, Any]) -> Stopping | None:
    """Return the state of the SPRT after these games, computed as during the match, or None if the match has no
    SPRT."""
    test = _sprt(settings)
    if test is None or not names:
        return None
    engines = settings.get("engine") or [{}]
    stopping = Stopping(test, str(engines[0].get("name", names[0])), int(settings.get("repeat", 2)))
    for record in records:
        stopping.add(record)
    return stopping


def _tiles(engine: EngineStats, counted: PairTally, stopping: Stopping | None, decided: SprtState | None) -> Element:
    results, estimate = engine.results, engine.estimate
    assert estimate is not None
    normalised = _interval(estimate.normalised_low, estimate.normalised_high)
    tiles: list[tuple[str, str, str]] = [
        ("Score", f"{estimate.score:.1%}", f"{results.wins} wins, {results.draws} draws, {results.losses} losses"),
        ("Elo", charts.elo_text(estimate.elo), f"95%: {_interval(estimate.low, estimate.high)}"),
        ("Normalised Elo", charts.elo_text(estimate.normalised), f"95%: {normalised}"),
        ("LOS", _likely(estimate.los), "likelihood of being the stronger"),
        ("Pairs won", *_pairs(counted)),
    ]
    if adjusted := counted.adjusted_estimate():
        interval = f"{adjusted.score_low:.1%} to {adjusted.score_high:.1%}"
        about = f"95%: {interval}; Elo {charts.elo_text(adjusted.elo)} ({_interval(adjusted.low, adjusted.high)})"
        tiles.insert(1, ("Luck-adjusted score", f"{adjusted.score:.1%}", about))
    if stopping and (test := stopping.test) and stopping.state:
        state = decided or stopping.state
        goes_on = f"goes on within {state.lower:.2f} and {state.upper:.2f}".replace("-", "−")
        verdict = f"{state.verdict} accepted" if state.verdict else goes_on
        about = f"{verdict}; [{test.elo0:g}, {test.elo1:g}] {test.model}"
        tiles.append(("LLR", f"{state.llr:.2f}".replace("-", "−"), about))
        if corrected := corrected_elo(test, stopping.counts()):
            name = "Normalised Elo, corrected" if test.model == "normalized" else "Elo, corrected"
            interval = _interval(corrected[1], corrected[2])
            tiles.append((name, charts.elo_text(corrected[0]), f"95%: {interval}; an SPRT stops at extreme results"))
    boxes = [
        element("div", element("dt", name), element("dd", value), element("dd", more, class_="more"))
        for name, value, more in tiles
    ]
    return element("dl", boxes, class_="tiles wide", aria_label=f"From the side of {engine.name}")


def _pairs(counted: PairTally) -> tuple[str, str]:
    """Return two texts: the number of pairs won, and the numbers of pairs by their points."""
    won, played = sum(counted.pairs[3:]), sum(counted.pairs)
    counts = [f"{count} with {points}" for points, count in zip(POINTS, counted.pairs) if count]
    return f"{won} of {played}", f"{', '.join(reversed(counts))} points" if counts else "no pair is complete"


def _sprt(settings: dict[str, Any]) -> Sprt | None:
    """Return the SPRT in the settings of a match, or None if there is none or it is invalid."""
    given = settings.get("sprt")
    if not isinstance(given, dict) or not {"elo0", "elo1"} <= given.keys():
        return None
    known = {name: given[name] for name in ("elo0", "elo1", "alpha", "beta", "model") if given.get(name) is not None}
    try:
        return Sprt(**known, luck=given.get("luck") == "on")
    except (TypeError, ValueError):
        return None


def _as_table(line: list[tuple[int, Estimate]]) -> Element:
    step = max(1, len(line) // 10)
    some = [*line[step - 1 : -1 : step], line[-1]]
    rows = [[str(game), *_rating(estimate, 1)] for game, estimate in some]
    shown = table(["games", "Elo", "95%", "LOS"], rows, "Elo over the games")
    return element("details", element("summary", "as a table"), shown)


def _cross_table(summary: Summary, names: list[str]) -> Element:
    def against(name: str, other: str) -> Child:
        results = summary.cross_table.get((name, other))
        return _cell(results) if results else "·" if name == other else ""

    rows = [
        [f"{number} {name}", *(against(name, other) for other in names), _cell(summary.engines[name].results)]
        for number, name in enumerate(names, 1)
    ]
    head = ["engine", *map(str, range(1, len(names) + 1)), "all"]
    return table(head, rows, "Cross-table: points, and wins, draws, losses")


def _cell(results: Results) -> Element:
    points = element("b", f"{results.points:g} / {results.games}")
    return element("span", points, element("br"), element("small", str(results).replace("-", "−")))


def _colour_table(summary: Summary, names: list[str]) -> Element:
    black = summary.black
    engines = [summary.engines[name] for name in names]
    rows = [[engine.name, _colour(engine.as_black), _colour(engine.as_white)] for engine in engines]
    rows.append(["all games", _colour(black), _colour(Results(black.losses, black.draws, black.wins))])
    return table(["engine", "as Black", "as White"], rows, "Score by colour")


def _engine_table(summary: Summary, names: list[str]) -> Element:
    rows = []
    for name in names:
        engine = summary.engines[name]
        estimate = engine.estimate
        rating = _rating(estimate) if estimate else ["–"] * 3
        speed = [_number(engine.nodes_per_second, 0), _number(engine.depth, 1), _number(engine.latency, 1)]
        rows.append([name, str(engine.results.games), *rating, *speed, str(engine.faults.total())])
    head = ["engine", "games", "Elo", "95%", "LOS", "nodes/s", "mean depth", "latency, ms", "faults"]
    return table(head, rows, "Rating against the others, speed, depth, median latency and faults")


def _rating(estimate: Estimate, digits: int = 0) -> list[str]:
    """Return three cells of a table: the Elo, its interval and the LOS."""
    return [charts.elo_text(estimate.elo, digits), _interval(estimate.low, estimate.high), _likely(estimate.los)]


def _colour(results: Results) -> Child:
    return f"{results.score:.1%} ({results})".replace("-", "−") if results.games else "–"


def _number(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else f"{value:,.{digits}f}"


def _likely(chance: float) -> str:
    """Return a likelihood as text, never rounded to 0% or 100%."""
    return "> 99.9%" if chance > 0.9995 else "< 0.1%" if chance < 0.0005 else f"{chance:.1%}"


def _interval(low: float, high: float) -> str:
    return f"{charts.elo_text(low)} to {charts.elo_text(high)}"


def _more(
    summary: Summary, names: list[str], records: Sequence[GameRecord], settings: dict[str, Any]
) -> Iterator[Element]:
    if names:
        yield section("Distributions", element("div", _figures(summary, names, records), class_="figures"))
    yield _faults(summary, records)
    rows = list(_flat(settings))
    if rows:
        yield section("Settings", table(["setting", "value"], rows, "Settings of the match", class_="left"))


def _figures(summary: Summary, names: list[str], records: Sequence[GameRecord]) -> Iterator[Element]:
    def drawn(caption: str, values: Sequence[tuple[str, float]], unit: str) -> Element:
        return figure(caption, charts.bars(values, caption, unit))

    pairs = tally(records, names[0]).pairs
    if sum(pairs):
        yield drawn(f"Points of {names[0]} in pairs of games", list(zip(POINTS, pairs)), "pairs")
    yield drawn("Length of the games in plies", charts.histogram(summary.lengths), "games")
    for name in names:
        engine = summary.engines[name]
        if engine.scores or engine.mates.games:
            values = charts.score_histogram(engine.scores, engine.mates.wins, engine.mates.losses)
            yield drawn(f"Scores that {name} gave its own moves, in pawns (+ is good for {name})", values, "moves")
    most = summary.reasons.most_common()
    rows = [[_reason(reason), str(count), f"{count / summary.games:.1%}"] for reason, count in most]
    yield element("figure", table(["end", "games", "share"], rows, "How the games ended"))


def _reason(reason: str) -> str:
    return REASONS.get(reason, reason.replace("_", " "))


def _faults(summary: Summary, records: Sequence[GameRecord]) -> Element:
    faulty = [(record["game"], fault) for record in records if (fault := record["fault"])]
    if not faulty:
        return section("Faults", element("p", "None: no illegal move, no loss on time, no crash."))
    details = []
    for game, fault in faulty[:MAX_FAULTS]:
        line = f"{fault['engine']}: {_reason(fault['kind'])}: {fault['detail']}"
        log = "\n".join(fault["log"] or ["(no output)"])
        link = element("a", f"game {game + 1}", href=f"#game={game + 1}")
        details.append(element("details", element("summary", link, f" · {line}"), element("pre", log, tabindex=0)))
    left = len(faulty) - len(details)
    more = element("p", f"and {left} more, in the records") if left else None
    kinds = sum((engine.faults for engine in summary.engines.values()), start=type(summary.reasons)())
    text = ", ".join(f"{count} × {_reason(kind)}" for kind, count in kinds.most_common())
    return section("Faults", element("p", text), details, more, id="faults")


def _flat(value: Any, name: str = "") -> Iterator[list[Child]]:
    """Yield [name, value] for each setting; a nested setting has a name like `engine.1.cmd`."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
        for number, inner in enumerate(value, 1):
            yield from _flat(inner, f"{name}.{number}")
    elif value not in (None, "", [], {}):
        yield [name, " ".join(map(_word, value)) if isinstance(value, list) else _word(value)]


def _word(value: Any) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `report` to a parser."""
    add, count = parser.add_argument, whole_number(0, 10**9)
    add("records", type=Path, metavar="JOURNAL", help="journal of a match")
    add("-o", "--output", type=Path, metavar="FILE.html", help="page to write (default: JOURNAL with .html)")
    add("--first", metavar="ENGINE", help="engine from whose point of view results are shown (default: the first)")
    add(
        "--replays",
        type=count,
        default=MAX_REPLAYS,
        metavar="N",
        help="maximum number of games to replay (%(default)s)",
    )


def run(given: argparse.Namespace) -> int:
    """Run `report` and return its exit code. Raises CommandLineError, OSError or ValueError if the journal cannot be
    read or the page cannot be written."""
    output = given.output or given.records.with_suffix(".html")
    if output.exists() and given.records.exists() and output.samefile(given.records):
        raise CommandLineError(f"{output}: the page would overwrite the journal; name another file with -o")
    read = read_records(given.records)
    if not given.records.stat().st_size:
        raise ValueError(f"{given.records}: contains no match")
    settings = read.settings | ({"options sent": read.options} if read.options else {})
    page = render_page(read.games, settings, given.first, given.replays, read.sprt)
    write_file(output, page)
    if read.warning:
        print(f"report: {message(read.warning)}", file=sys.stderr)
    print(f"{output}: {counted(len(read.games), 'game')}, {output.stat().st_size / 1000:.0f} kB")
    return 0
