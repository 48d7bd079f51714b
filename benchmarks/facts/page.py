"""The tables of docs/facts.md."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from benchmarks.facts.store import Facts
from kogoma.search.winning_chance import winning_chance

BEST = 3  # first moves of a variant that the page shows, besides the worst
CLASS = 10  # plies in a row of the table of distances
WIDTH = 120  # of a line of the page
SIGNS = str.maketrans("-", "−")


def filled(page: str, facts: Facts, variants: Sequence[str]) -> str:
    """Return the page with its tables made from the facts. A table stands between two comments of its name."""
    for name, make in TABLES.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        if page.count(begin) != 1 or page.count(end) != 1:
            raise SystemExit(f"the page needs one table {name!r}")
        before, _, rest = page.partition(begin)
        page = f"{before}{begin}{make(facts, variants)}\n{end}{rest.partition(end)[2]}"
    return page


def first_moves(facts: Facts, variants: Sequence[str]) -> str:
    """Return the table of the best and the worst first moves."""
    rows = list[list[str]]()
    for name, known in _known(facts, "first moves", variants):
        moves = known["moves"]
        shown = [f"`{one['move']}` {_score(one['score'], name)}" for one in moves]
        best = ", ".join(shown[:BEST])
        worst = shown[-1] if len(shown) > BEST else ""
        rows.append([name, str(len(moves)), best, worst, str(moves[0]["depth"]), f"{known['nodes']:,}"])
    return _table(("variant", "first moves", "the best", "the worst", "depth", "nodes"), rows)


def who_wins(facts: Facts, variants: Sequence[str]) -> str:
    """Return the table of who wins."""
    rows = list[list[str]]()
    for name, known in _known(facts, "games", variants):
        score, low, high = known["white"]
        white = f"{score:.1%} [{low:.1%}, {high:.1%}]"
        counts = [str(count) for count in known["results"]]
        opening = f"{known['given_away']:.0%}" if known["given_away"] else ""
        rows.append(
            [name, str(sum(known["results"])), f"{known['nodes']:,}", opening, *counts, white, _ends(known["ends"])]
        )
    head = (
        "variant",
        "games",
        "nodes a move",
        "opening",
        "Black won",
        "drawn",
        "White won",
        "White's score",
        "how games ended",
    )
    return f"{_favoured(facts, variants)}\n\n{_table(head, rows)}"


def _favoured(facts: Facts, variants: Sequence[str]) -> str:
    """Return a sentence about the variants in which one side is better, by the intervals."""
    scores = [(name, known["white"]) for name, known in _known(facts, "games", variants)]
    better = {
        "Black": [name for name, (_, _, high) in scores if high < 0.5],
        "White": [name for name, (_, low, _) in scores if low > 0.5],
    }
    parts = [f"{side} scored better than even in {', '.join(names)}" for side, names in better.items() if names]
    return textwrap.fill(f"{'; '.join(parts)}. Elsewhere 50% is in the interval." if parts else "", WIDTH)


def length(facts: Facts, variants: Sequence[str]) -> str:
    """Return the table of lengths, numbers of moves, captures and drops."""
    rows = list[list[str]]()
    for name, known in _known(facts, "games", variants):
        _, low, middle, high, longest = known["plies"]
        plies = [f"{middle:.0f}", f"{low:.0f} to {high:.0f}", f"{longest}"]
        _, low, middle, high, most = known["moves"]
        moves = [f"{known['mean_moves']:g}", f"{middle:.0f}", f"{low:.0f} to {high:.0f}", f"{most}"]
        rows.append([name, *plies, *moves, f"{known['captures']:.0%}", f"{known['drops']:.0%}"])
    head = ("variant", "plies, median", "quartiles", "longest", "legal moves, mean", "median", "quartiles", "most")
    return _table((*head, "captures", "drops"), rows)


def extremes(facts: Facts, variants: Sequence[str]) -> str:
    """Return the table of the positions with the longest mates and with the most legal moves."""
    rows = list[list[str]]()
    for name, known in _known(facts, "games", variants):
        plies, position = known["mate"]
        mate = [str(plies), f"`{position}`"] if plies else ["", ""]
        rows.append([name, *mate, str(known["most"][0]), f"`{known['most'][1]}`"])
    return _table(("variant", "mate in plies", "position", "legal moves", "position"), rows)


def dobutsu(facts: Facts, variants: Sequence[str]) -> str:
    """Return what the tablebase of Dobutsu shows."""
    known = facts.get(("solved", "dobutsu"))
    if known is None:
        return ""
    counts, line, first = known["counts"], known["line"], known["first"]
    won, lost, most = sum(counts[1::2]), sum(counts[2::2]), len(counts) - 1
    by_value: dict[int, list[str]] = {}
    for move, value in first.items():
        by_value.setdefault(value, []).append(f"`{move}`")
    values = "; ".join(f"{', '.join(moves)}: {_value(value)}" for value, moves in sorted(by_value.items()))
    rows = [
        [f"{low} to {min(low + CLASS - 1, most)}", f"{sum(part[::2]):,}", f"{sum(part[1::2]):,}"]
        for low in range(1, most + 1, CLASS)
        if (part := counts[low : low + CLASS])
    ]
    texts = (
        f"- Black's first moves: {values}.",
        f"- Of {sum(counts):,} entries {won:,} ({won / sum(counts):.1%}) are won, {counts[1]:,} of them at once; "
        f"{lost:,} ({lost / sum(counts):.1%}) are lost, and {counts[0]:,} ({counts[0] / sum(counts):.1%}) drawn.",
        f"- The longest win takes {most} plies, in {len(known['longest'])} positions, for example "
        f"`{known['longest'][0]}`.",
        f"- Best play from the start, {len(line)} plies (some moves have equals): `{' '.join(line)}`.",
    )
    return "\n".join([*map(_wrapped, texts), "", _table(("plies to the end", "won", "lost"), rows)])


TABLES: dict[str, Callable[[Facts, Sequence[str]], str]] = {
    "first moves": first_moves,
    "who wins": who_wins,
    "length": length,
    "extremes": extremes,
    "dobutsu": dobutsu,
}


def _known(facts: Facts, kind: str, variants: Iterable[str]) -> list[tuple[str, dict[str, Any]]]:
    return [(name, known) for name in variants if (known := facts.get((kind, name)))]


def _wrapped(text: str) -> str:
    """Return an entry of a list, in lines of the page's width."""
    return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _score(score: list[Any], variant: str) -> str:
    """Return a score as text, centipawns with the winning chance."""
    kind, value = score
    shown = (
        f"{value:{'+' if value else ''}} ({winning_chance(value, variant):.0%})" if kind == "cp" else f"mate {value}"
    )
    return shown.translate(SIGNS)


def _value(value: int) -> str:
    return "drawn" if not value else f"{'win' if value > 0 else 'loss'} in {abs(value)} plies"


def _ends(ends: dict[str, int]) -> str:
    return ", ".join(f"{reason.replace('_', ' ')} {count}" for reason, count in ends.items())
