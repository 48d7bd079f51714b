"""A corpus of small records in the spellings of other programs and sites: Kogoma reads each as it is meant, and two
libraries are compared with it.

The folder corpus/ has one TOML file per format. A record has a name, its `text`, and what is right: the `start` (by
default that of the variant), the `moves`, the `variations` in the order of KIF ("3: " precedes those that begin with
move 3), the `end` as winner and reason, and optionally names, headers, times in seconds, comments (each with the
number of its move) and the kinds of `notes`. `cut` is a part of the message if the record is read only up to an error,
and `refused` if nothing is read. `more` lists the moves of further games. `encoding`, `newline` and `tail` say how the
bytes are made. `tsshogi` and `json_kifu_format` say why that library reads something else.
"""

from __future__ import annotations

import io
import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kogoma.lab.kifu.formats import read_games
from kogoma.lab.kifu.game import Game, GameError
from kogoma.rules.position import new_position
from kogoma.rules.variants import find

CORPUS = Path(__file__).with_name("corpus")
FORMATS = {"kif": "kifu", "ki2": "ki2u", "csa": "csa", "jkf": "jkf", "usi": "usi"}
NEWLINES = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
FIRST_MOVES = [  # 7g7f and 3c3d in JKF
    {"move": {"color": 0, "from": {"x": 7, "y": 7}, "to": {"x": 7, "y": 6}, "piece": "FU"}},
    {"move": {"color": 1, "from": {"x": 3, "y": 3}, "to": {"x": 3, "y": 4}, "piece": "FU"}},
]


@cache
def records() -> dict[str, dict[str, Any]]:
    """Return all records of the corpus by format and name, including those that the tables of ends, handicaps and
    presets stand for."""
    found = dict[str, dict[str, Any]]()
    for path in sorted(CORPUS.glob("*.toml")):
        data = tomllib.loads(path.read_text("utf-8"))
        for record in [*data["records"], *_from_tables(path.stem, data)]:
            record["format"], record["text"] = path.stem, record["text"].removeprefix("\n")
            name = f"{path.stem}: {record['name']}"
            assert name not in found, name
            found[name] = record
    return found


def _from_tables(form: str, data: dict[str, Any]) -> list[dict[str, Any]]:
    made = list[dict[str, Any]]()
    common: dict[str, Any] = {"moves": "7g7f 3c3d"}
    for each in data.get("ends", ()):
        text = f"手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n{each['lines']}\n"
        made.append({**common, **each, "name": each["lines"], "text": text})
    for name, start in data.get("handicaps", {}).items():
        made.append({"name": f"手合割：{name}", "text": f"手合割：{name}\n", "start": start, "moves": ""})
    for lines, end in data.get("standard", {}).items():
        text = f"PI\n+\n+7776FU\n-3334FU\n{lines}\n"
        made.append({**common, **_noted(end), "name": lines, "text": text})
    for word, end in data.get("specials", {}).items():
        text = json.dumps({"header": {}, "moves": [{}, *FIRST_MOVES, {"special": word}]})
        made.append({**common, **_noted(end), "name": word, "text": text})
    for preset, start in data.get("presets", {}).items():
        text = json.dumps({"header": {}, "initial": {"preset": preset}, "moves": [{}]})
        made.append({"name": f"preset {preset}", "text": text, "start": start, "moves": ""})
    return made


def _noted(end: str) -> dict[str, Any]:
    return {"end": end, "notes": ["unknown_end"] if end == "none unknown" else []}


def text_of(record: dict[str, Any]) -> str:
    """Return the text of a record with its line ends."""
    text: str = record["text"].replace("\n", NEWLINES[record.get("newline", "lf")])
    return text + record.get("tail", "")


def board(start: str, variant: str) -> list[str]:
    """Return the fields of an SFEN without the number of the move, with the hands in Kogoma's order."""
    return new_position(variant, start).sfen().split()[:3]


def nodes(record: dict[str, Any]) -> list[list[Any]]:
    """Return the right list of moves, each with its number, of all lines in the order of KIF."""
    found = [[number, usi] for number, usi in enumerate(record["moves"].split(), 1)]
    for line in record.get("variations", ()):
        first, _, moves = line.partition(":")
        found += [[number, usi] for number, usi in enumerate(moves.split(), int(first))]
    return found


def end_of(game: Game) -> list[str]:
    if game.outcome is None:
        return []
    winner = {0: "black", 1: "white", None: "none"}[game.outcome.winner]
    return [winner, game.outcome.reason]


def differences(record: dict[str, Any], games: list[Game]) -> list[str]:
    """Return what Kogoma read differently from what is right."""
    game, found = games[0], list[str]()

    def compare(what: str, value: object, right: object) -> None:
        if value != right:
            found.append(f"{what}: {value!r}, should be {right!r}")

    variant = record.get("variant", "shogi")
    compare("variant", game.variant.name, variant)
    compare("error", record.get("cut", "\0") if record.get("cut", "\0") in game.error else game.error, record.get("cut", ""))
    if not (record.get("cut") is not None and not record["moves"]):
        compare("start", game.start.split()[:3], board(record.get("start", find(variant).start), variant))
    made = [[number, step.usi] for plies, line in game.lines() for number, step in enumerate(line.steps, plies + 1)]
    compare("moves", made, nodes(record))
    compare("end", end_of(game), record.get("end", "").split())
    for key, value in (("black", game.black), ("white", game.white)):
        compare(key, value, record.get(key, value))
    for key, value in record.get("headers", {}).items():
        compare(key, game.headers.get(key), value)
    times = [step.time_ms for step in game.main.steps]
    if "times" in record:
        compare("times", times, [None if each == "" else each * 1000 for each in record["times"]])
    comments = {0: game.comment, **{number: step.comment for number, step in enumerate(game.main.steps, 1)}}
    for each in record.get("comments", ()):
        number, _, comment = each.partition(" ")
        compare(f"comment {number}", comments[int(number)].strip(), comment)
    compare("notes", [note.kind for note in game.notes], record.get("notes", []))
    compare("more", [" ".join(each.moves) for each in games[1:]], record.get("more", []))
    return found


@pytest.mark.parametrize("name", records())
def test_kogoma_reads_the_corpus(name: str) -> None:
    record = records()[name]
    data = text_of(record).encode(record.get("encoding", "utf-8"))
    if "refused" in record:
        with pytest.raises(GameError, match=re.escape(record["refused"])):
            list(read_games(io.BytesIO(data), FORMATS[record["format"]]))
        return
    assert differences(record, list(read_games(io.BytesIO(data), FORMATS[record["format"]]))) == []
