"""The corpus of small records in the spellings of other programs; tests/kifu/test_corpus.py describes its files."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parents[2] / "kifu" / "corpus"
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
    for form in FORMATS:
        data = tomllib.loads((CORPUS / f"{form}.toml").read_text("utf-8"))
        for record in [*data["records"], *_from_tables(data)]:
            record["format"], record["text"] = form, record["text"].removeprefix("\n")
            name = f"{form}: {record['name']}"
            assert name not in found, name
            found[name] = record
    return found


def _from_tables(data: dict[str, Any]) -> list[dict[str, Any]]:
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
    return str(record["text"].replace("\n", NEWLINES[record.get("newline", "lf")]) + record.get("tail", ""))


def data_of(record: dict[str, Any]) -> bytes:
    """Return the bytes of a record."""
    return text_of(record).encode(record.get("encoding", "utf-8"))
