"""Reading of a file by Python and by the page's JavaScript, and a comparison of all that they read."""

from __future__ import annotations

import base64
import io
from typing import Any

from kogoma.lab.kifu.formats import read_games
from kogoma.lab.kifu.game import End, Game, GameError, Step
from kogoma.rules.variants import find
from support.browsers.page_records import GAMES
from support.node import Nodes

READERS = {"ki2": "kif", "ki2u": "kif", "kifu": "kif", "sfen": "usi"}  # the page's formats


def difference(nodes: Nodes, variant: str, form: str, data: bytes) -> str:
    """Let Python and JavaScript read a file. Return what differs, or "" if nothing does."""
    ours, theirs = list(python_games(variant, form, data)), page_games(nodes, variant, form, data)
    if "raised" in theirs[-1]:
        ours = ours[-1:]  # the page lists no games before the error
    elif "raised" in ours[-1]:
        theirs = theirs[: len(ours)]
    for ours_one, theirs_one in zip(ours, theirs, strict=False):
        if "moves" not in theirs_one:
            errors = [one.get("raised", one.get("error")) for one in (ours_one, theirs_one)]
            if errors[0] != errors[1] or not errors[0] or ours_one.get("moves"):
                return f"Python: {ours_one}\nJavaScript: {theirs_one}"
        elif ours_one != theirs_one:
            keys = [key for key in theirs_one if theirs_one[key] != ours_one.get(key)]
            return "\n".join(f"{key}: {ours_one.get(key)}\n  JavaScript: {theirs_one[key]}" for key in keys)
    return "" if len(ours) == len(theirs) else f"{len(ours)} and {len(theirs)} games"


def python_games(variant: str, form: str, data: bytes) -> list[dict[str, Any]]:
    """Return all that Python reads of each game, and the error of the file."""
    found = list[dict[str, Any]]()
    try:
        for game in read_games(io.BytesIO(data), form, find(variant)):
            found.append(content(game))
    except GameError as error:
        found.append({"raised": _error(error)})
    return found or [{"raised": _error(GameError.of("no-record"))}]


def content(game: Game) -> dict[str, Any]:
    """Return a game in the form in which `page_games` returns it."""
    lines = []
    for plies, line in game.lines():
        lines.append([plies, [_step(step) for step in line.steps], line.end and _end(line.end)])
    return {
        "variant": game.variant.name,
        "start": game.start,
        "names": [game.black, game.white],
        "label": game.label,
        "headers": [list(pair) for pair in game.headers.items()],
        "comment": game.comment,
        "moves": [line for line in lines if line[1] or line[2]],
        "notes": [str(note) for note in game.notes],
        "error": game.trouble and _error(game.trouble),
    }


def _error(error: GameError) -> dict[str, Any]:
    """Return code, place and text of an error. Only Python knows where a text is not JSON."""
    place = (error.line or 0, error.column or 0) if error.code != "not-json" else (0, 0)
    return {"code": error.code, "line": place[0], "column": place[1], "text": error.text}


def _step(step: Step) -> list[Any]:
    return [step.usi, step.comment, step.time_ms, step.dice or 0]


def _end(end: End) -> list[Any]:
    return [end.outcome.winner, end.outcome.reason, end.text, end.comment, end.time_ms]


def page_games(nodes: Nodes, variant: str, form: str, data: bytes) -> list[dict[str, Any]]:
    """Return all that the page reads of each game, and the error of the file. A game whose start position is
    unknown has only an error."""
    asked = {"bytes": base64.b64encode(data).decode(), "games": GAMES, "format": READERS.get(form, form)}
    games: list[dict[str, Any]] = nodes(variant).ask("read", preferred=variant, **asked)
    for number, game in enumerate(games):
        if "other" in game:
            games[number] = nodes(game["other"]).ask("read", preferred=variant, **asked)[number]
        if game.get("raised", {}).get("code") == "not-json":
            game["raised"] |= {"line": 0, "column": 0}
    return games
