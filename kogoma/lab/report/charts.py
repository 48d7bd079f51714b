"""Charts of the report as SVG; the style sheet of the page sets their colours."""

from __future__ import annotations

import json
import math
import zlib
from collections import Counter
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from kogoma.lab.report.markup import element
from kogoma.lab.stats.statistics import Estimate

WIDTH, HEIGHT = 520, 250  # of the plot, in SVG units
LEFT, RIGHT, TOP, BOTTOM = 48, 12, 12, 36
SCALE_FROM = 0.2  # the scale of the plot ignores the first 20% of the games, whose intervals are wide


def elo_text(value: float, digits: int = 0) -> str:
    """Return a rating difference as text with its sign; infinity as ∞, NaN as a dash."""
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    if math.isnan(value):
        return "–"
    text = f"{value:+.{digits}f}".replace("-", "−")
    return text if any(digit in text for digit in "123456789") else text.lstrip("+−")


def elo_plot(points: Sequence[tuple[int, Estimate]], name: str) -> Element:
    """Return a plot of a rating difference and its interval against the number of games. `points` are pairs of number
    of games and estimate, and `name` is the engine's name."""
    last_game, last = points[-1]
    low, high = _scale(points)
    across = (WIDTH - LEFT - RIGHT) / max(last_game, 2)
    down = (HEIGHT - TOP - BOTTOM) / (high - low)

    def x(game: float) -> float:
        return round(LEFT + across * game, 2)

    def y(value: float) -> float:
        return round(TOP + down * (high - min(max(value, low - 1e4), high + 1e4)), 2)

    label = (
        f"{name}: Elo over the games played. After {last_game} games {elo_text(last.elo)}, "
        f"95% interval {elo_text(last.low)} to {elo_text(last.high)}"
    )
    upper = [f"{x(game)},{y(at.high)}" for game, at in points]
    lower = [f"{x(game)},{y(at.low)}" for game, at in reversed(points)]
    plot = element("rect", x=LEFT, y=TOP, width=WIDTH - LEFT - RIGHT, height=HEIGHT - TOP - BOTTOM)
    identity = f"clip{zlib.crc32(name.encode()):x}"
    shown = [
        [game, *(elo_text(value, 1) for value in (at.elo, at.low, at.high)), x(game), y(at.elo)] for game, at in points
    ]
    return element(
        "svg",
        element("defs", element("clipPath", plot, id=identity)),
        [_y_tick(value, y(value)) for value in ticks(low, high, 6)],
        [_text(str(int(game)), x(game), HEIGHT - BOTTOM + 18) for game in ticks(0, last_game, 6) if game == int(game)],
        element(
            "g",
            element("polygon", points=" ".join(upper + lower), class_="band"),
            element("polyline", points=" ".join(f"{x(game)},{y(at.elo)}" for game, at in points), class_="line"),
            element("line", class_="cursor", y1=TOP, y2=HEIGHT - BOTTOM, x1=-9, x2=-9),
            element("circle", class_="cursor-dot", r=4, cx=-9, cy=-9),
            clip_path=f"url(#{identity})",
        ),
        _text("games", WIDTH - RIGHT, HEIGHT - 4, anchor="end"),
        element("text", "", x=LEFT + 8, y=TOP + 14, class_="readout"),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        class_="plot",
        role="img",
        aria_label=label,
        data_points=json.dumps(shown, ensure_ascii=False, separators=(",", ":")),
    )


def bars(values: Sequence[tuple[str, float]], label: str, unit: str) -> Element:
    """Return a bar chart of (name, value) pairs. If there is room, the values are written above the bars."""
    width, height, base = 420, 190, 160
    most = max((value for _, value in values), default=0) or 1
    step = (width - 16) / max(len(values), 1)
    every = max(1, math.ceil(len(values) * 34 / width))
    drawn: list[Element] = []
    for index, (name, value) in enumerate(values):
        tall = (base - 22) * value / most
        left = 8 + step * index
        drawn.append(
            element(
                "g",
                element("title", f"{name}: {value:g} {unit}"),
                element("rect", x=left + 1, y=base - tall, width=max(step - 2, 1), height=tall, rx=2, class_="bar"),
                _text(f"{value:g}", left + step / 2, base - tall - 5, "count") if value and step > 24 else None,
                _text(name, left + step / 2, base + 16) if index % every == 0 else None,
            )
        )
    drawn.append(element("line", x1=8, x2=width - 8, y1=base, y2=base, class_="zero"))
    listed = ", ".join(f"{name}: {value:g}" for name, value in values if value)
    return element(
        "svg", drawn, viewBox=f"0 0 {width} {height}", class_="bars", role="img", aria_label=f"{label}. {listed}"
    )


def histogram(values: Sequence[int], classes: int = 12) -> list[tuple[str, float]]:
    """Count values in at most `classes` classes of equal, round width. Return (lowest value, count) for each class."""
    if not values:
        return []
    low, high = min(values), max(values)
    width = next(w for w in _widths() if (high // w) - (low // w) < classes)
    counts = Counter(value // width for value in values)
    return [(f"{index * width}", float(counts[index])) for index in range(low // width, high // width + 1)]


def score_histogram(scores: Sequence[int], won: int, lost: int) -> list[tuple[str, float]]:
    """Return (name, count) for classes of an engine's scores, which are in centipawns. A class is 2 pawns wide; the
    outer ones contain all scores beyond 11 pawns. `won` and `lost` are the numbers of mate scores for and against the
    engine."""
    counts = Counter(max(-12, min(12, 2 * round(score / 200))) for score in scores)
    classes = range(-12, 13, 2)
    named = [(f"{pawns:+d}".replace("-", "−") if pawns else "0", float(counts[pawns])) for pawns in classes]
    return [("−mate", float(lost)), *named, ("+mate", float(won))]


def ticks(low: float, high: float, about: int) -> list[float]:
    """Return about `about` round numbers between `low` and `high` for the labels of an axis."""
    step = next(width for width in _widths() if (high - low) / width <= about)
    return [float(step * index) for index in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _widths() -> list[int]:
    return [digit * 10**power for power in range(8) for digit in (1, 2, 5)]


def _scale(points: Sequence[tuple[int, Estimate]]) -> tuple[float, float]:
    settled = [at for game, at in points if game >= SCALE_FROM * points[-1][0]]
    values = [value for at in settled for value in (at.low, at.elo, at.high) if math.isfinite(value)] or [0.0]
    low, high = max(min(0.0, *values), -1200.0), min(max(0.0, *values), 1200.0)
    room = max(10.0, 0.08 * (high - low))
    return low - room, high + room


def _y_tick(value: float, y: float) -> Element:
    return element(
        "g",
        element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="grid" if value else "zero"),
        _text(elo_text(value), LEFT - 6, y + 4, anchor="end"),
    )


def _text(text: str, x: float, y: float, kind: str = "axis", anchor: str = "middle") -> Element:
    return element("text", text, x=x, y=y, text_anchor=anchor, class_=kind)
