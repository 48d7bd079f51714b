"""Answer questions about generated Python code. Each question and each answer is one line of JSON. Tests append this
file to the generated code, and run the result with `python -I -S`."""

import json
import sys
from typing import Any

NAMES = globals()


def fresh(question: Any) -> Any:
    """Return the position struct that the question describes."""
    record = NAMES["PositionStruct"]()
    record["board"][: len(question["board"])] = question["board"]
    if "hands" in question:
        for side in (0, 1):
            record["hand"][side][: len(question["hands"][side])] = question["hands"][side]
    if "cards" in question:
        record["cards"][0] = question["cards"]
    record["side"], record["game_ply"] = question["side"], question["game_ply"]
    NAMES["init_position"](record)
    for move in question["moves"]:
        NAMES["play"](record, move)
    return record


def legal(record: Any) -> Any:
    """Return the legal moves of a position."""
    moves = [0] * 640
    return moves[: NAMES["legal_moves"](record, moves)]


def content(record: Any) -> Any:
    """Return those fields of a position struct that must have their old values after a move is made and unmade."""
    found = {}
    for name in type(record).__slots__:
        if name in ("feature", "accumulated", "accumulator"):  # caches of the evaluation
            continue
        value = record[name]
        if isinstance(value, list) and len(value) > 1000 and name != "seen":
            value = value[: record["ply"] + 1]
        found[name] = value
    return json.loads(json.dumps(found))


def compare_moves(question: Any) -> Any:
    """Return the position's fields, legal moves, perft count, static evaluation, and how the game has ended (0 if it
    has not). Also return the move codes that `may_play` accepts, and whether unmaking each move restores the
    position."""
    record = fresh(question)
    moves, before = legal(record), content(record)
    restored = True
    for move in moves:
        NAMES["play"](record, move)
        NAMES["take_back"](record)
        restored = restored and content(record) == before
    room = NAMES["MovesStruct"]()
    answer = {"moves": moves, "restored": restored, "perft": NAMES["perft"](record, room, question["depth"])}
    answer["may_play"] = [move for move in range(0, 65536, question["step"]) if NAMES["may_play"](record, move)]
    answer["eval"] = NAMES["static_eval"](record)
    answer["ended_by"] = NAMES["ended_by"](record)
    return {**answer, "record": content(record)}


if __name__ == "__main__":
    for text in sys.stdin:
        asked = json.loads(text)
        print(json.dumps(compare_moves(asked)), flush=True)
