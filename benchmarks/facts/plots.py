"""The plots of docs/facts.md as SVG, each for light and for dark pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from xml.etree.ElementTree import Element

from benchmarks.facts.store import Facts
from kogoma.lab.report.charts import ticks
from kogoma.lab.report.markup import element, render

WIDTH, ROW, TOP = 760, 24, 34  # in SVG units: of a plot, and the heights of a variant and of the line above them
NAMES = 160  # width of the column of names
LOG = (TOP, 300)  # the upper and lower end of the logarithmic axis

# For each theme the colours of back, text, soft text, lines, the marks of two series, and bars of Black, draws, White.
THEMES = {
    "light": ("#ffffff", "#23201b", "#5d574d", "#ddd6ca", "#1f5f8b", "#b3541e", "#3a352d", "#cfc8ba", "#f8f5ee"),
    "dark": ("#171614", "#ece7dd", "#b3aa9a", "#3b3731", "#86bfe6", "#f0a26b", "#0a0908", "#9c9484", "#ece5d8"),
}
STYLE = """
text {{ font: 13px system-ui, "Segoe UI", sans-serif; fill: {1}; }}
.back {{ fill: {0}; }} .soft {{ fill: {2}; }} .grid {{ stroke: {3}; }}
.one, .two {{ fill: none; stroke-width: 2; }} .one {{ stroke: {4}; }} .two {{ stroke: {5}; stroke-dasharray: 5 3; }}
.box {{ fill: {4}; opacity: .35; }} .tick {{ stroke: {4}; stroke-width: 3; }} .dot {{ fill: {4}; }}
.black {{ fill: {6}; stroke: {2}; }} .drawn {{ fill: {7}; stroke: {2}; }} .white {{ fill: {8}; stroke: {2}; }}
.even {{ stroke: {2}; stroke-dasharray: 3 3; }}
.on-black {{ fill: #f3efe6; }} .on-white {{ fill: #23201b; }}
"""


def plots(facts: Facts, variants: Sequence[str]) -> dict[str, str]:
    """Return the files of all plots that the facts allow, by name."""
    games = [(name, known) for name in variants if (known := facts.get(("games", name)))]
    drawn: dict[str, tuple[Callable[[Any], list[Element]], Any, int, str]] = {}
    if games:
        height = TOP + ROW * len(games) + 10
        label = "; ".join(f"{name}: White scores {known['white'][0]:.0%}" for name, known in games)
        drawn["who-wins"] = who_wins, games, height, f"Who wins in self-play. {label}"
        label = "; ".join(f"{name}: {known['plies'][2]:g} plies, {known['moves'][2]:g} moves" for name, known in games)
        drawn["length"] = length, games, height, f"Median length of games and median number of legal moves. {label}"
    if known := facts.get(("solved", "dobutsu")):
        label = "Positions of Dobutsu by plies to the end, won and lost, on a logarithmic scale"
        drawn["dobutsu"] = distances, known["counts"], LOG[1] + 40, label
    return {
        f"{name}-{theme}.svg": _file(draw(data), height, label, colours)
        for name, (draw, data, height, label) in drawn.items()
        for theme, colours in THEMES.items()
    }


def who_wins(games: list[tuple[str, dict[str, Any]]]) -> list[Element]:
    """Return bars of the games that Black won, that were drawn, and that White won; beside them White's score."""
    left, right, score_left, score_right = NAMES, 500.0, 530.0, 740.0
    drawn = [_text("games: Black won, drawn, White won", left, 14, "soft")]
    drawn.append(_text("White's score, 95% interval", score_left - 12, 14, "soft"))
    middle, bottom = (score_left + score_right) / 2, TOP + ROW * len(games)
    for x, name, kind in ((score_left, "0%", "grid"), (middle, "50%", "even"), (score_right, "100%", "grid")):
        drawn.append(element("line", x1=x, x2=x, y1=TOP, y2=bottom, class_=kind))
        drawn.append(_text(name, x, TOP - 4, "soft", "middle"))
    for y, (name, known) in _rows(games):
        drawn.append(_text(name, left - 10, y + 16, anchor="end"))
        x, total = float(left), sum(known["results"])
        for kind, count in zip(("black", "drawn", "white"), known["results"], strict=True):
            wide = (right - left) * count / total
            if count:
                drawn.append(element("rect", x=x, y=y + 3, width=wide, height=ROW - 6, class_=kind))
            if wide > 22:
                on = "on-black" if kind == "black" else "on-white"
                drawn.append(_text(str(count), x + wide / 2, y + 16, on, "middle"))
            x += wide
        score, low, high = (score_left + (score_right - score_left) * part for part in known["white"])
        drawn.append(element("line", x1=low, x2=high, y1=y + 12, y2=y + 12, class_="one"))
        drawn.append(element("circle", cx=score, cy=y + 12, r=4, class_="dot"))
    return drawn


def length(games: list[tuple[str, dict[str, Any]]]) -> list[Element]:
    """Return two panels, with the quartiles of the lengths of games and of the numbers of legal moves."""
    panels = (("plies", "plies of a game", NAMES, 430.0), ("moves", "legal moves", 470.0, 745.0))
    drawn = [_text(name, NAMES - 10, y + 16, anchor="end") for y, (name, _) in _rows(games)]
    for field, title, left, right in panels:
        most = max(known[field][3] for _, known in games)
        across = (right - left) / most
        drawn.append(_text(title, left, 14, "soft"))
        for value in ticks(0, most, 6):
            x = left + across * value
            drawn.append(element("line", x1=x, x2=x, y1=TOP, y2=TOP + ROW * len(games), class_="grid"))
            drawn.append(_text(f"{value:g}", x, TOP - 4, "soft", "middle"))
        for y, (_, known) in _rows(games):
            low, middle, high = (left + across * value for value in known[field][1:4])
            drawn.append(element("rect", x=low, y=y + 5, width=max(high - low, 1), height=ROW - 10, class_="box"))
            drawn.append(element("line", x1=middle, x2=middle, y1=y + 3, y2=y + ROW - 3, class_="tick"))
    return drawn


def distances(counts: list[int]) -> list[Element]:
    """Return the numbers of won and of lost positions by plies to the end, on a logarithmic scale."""
    left, right, (top, bottom) = 60.0, WIDTH - 20.0, LOG
    powers = math.ceil(math.log10(max(counts[1:])))
    drawn = list[Element]()
    for power in range(powers + 1):
        y = bottom - (bottom - top) * power / powers
        drawn.append(element("line", x1=left, x2=right, y1=y, y2=y, class_="grid"))
        drawn.append(_text(f"{10**power:,}" if power < 4 else f"10{_raised(power)}", left - 8, y + 4, "soft", "end"))
    across = (right - left) / len(counts)
    for value in ticks(0, len(counts), 10):
        drawn.append(_text(f"{value:g}", left + across * value, bottom + 18, "soft", "middle"))
    drawn.append(_text("plies to the end", right, bottom + 34, "soft", "end"))
    drawn.append(_text("positions", left, 20, "soft"))
    for number, (first, name) in enumerate(((1, "won by the side to move"), (2, "lost")), 1):
        kind, x = ("one", "two")[number - 1], 330.0 + 220 * (number - 1)
        points = [
            f"{left + across * plies:.1f},{bottom - (bottom - top) * math.log10(count) / powers:.1f}"
            for plies, count in enumerate(counts)
            if plies and plies % 2 == first % 2 and count
        ]
        drawn.append(element("polyline", points=" ".join(points), class_=kind))
        drawn.append(element("line", x1=x, x2=x + 30, y1=16, y2=16, class_=kind))
        drawn.append(_text(name, x + 38, 20))
    return drawn


def _raised(number: int) -> str:
    return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(number))


def _rows(games: list[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the upper end of each row, and what it shows."""
    for index, one in enumerate(games):
        yield TOP + ROW * index, one


def _text(text: str, x: float, y: float, kind: str | None = None, anchor: str = "start") -> Element:
    return element("text", text, x=x, y=y, text_anchor=anchor, class_=kind)


def _file(drawn: list[Element], height: int, label: str, colours: Sequence[str]) -> str:
    """Return a plot as the text of a file."""
    back = element("rect", width=WIDTH, height=height, rx=6, class_="back")
    style, title = element("style", STYLE.format(*colours)), element("title", label)
    size = {"width": WIDTH, "height": height, "viewBox": f"0 0 {WIDTH} {height}"}
    return (
        render(element("svg", title, style, back, drawn, xmlns="http://www.w3.org/2000/svg", role="img", **size)) + "\n"
    )
