"""Answers questions about generated Python, one JSON line each: run behind the generated source, where `python -I -S`
reads both. It steers the entries as `search.worker` and `search.dice_worker` steer the native ones."""

import json
import math
import sys
from typing import Any

INFINITE, WINDOW, WIDEST, DECIDED = 32001, 60, 1000, 30000 - 128 - 1
NAMES = globals()


def fresh(question: Any) -> Any:
    """A position record as the question describes it."""
    record = NAMES["Position"]()
    record["board"][: len(question["board"])] = question["board"]
    if "hands" in question:
        for side in (0, 1):
            record["hand"][side][: len(question["hands"][side])] = question["hands"][side]
    if "cards" in question:
        record["cards"][0] = question["cards"]
    record["side"], record["game_ply"] = question["side"], question["game_ply"]
    NAMES["set_up"](record)
    for move in question["moves"]:
        NAMES["play"](record, move)
    return record


def legal(record: Any) -> Any:
    """The legal moves."""
    moves = [0] * 640
    return moves[: NAMES["legal_moves"](record, moves)]


def content(record: Any) -> Any:
    """Every field of the record that unmaking restores."""
    found = {}
    for name in type(record).__slots__:
        value = record[name]
        if isinstance(value, list) and len(value) > 1000 and name != "seen":
            value = value[: record["ply"] + 1]
        found[name] = value
    return json.loads(json.dumps(found))


def compare_moves(question: Any) -> Any:
    """The position's fields and legal moves; whether every move is restored; perft; static evaluation."""
    record = fresh(question)
    moves, before = legal(record), content(record)
    restored = True
    for move in moves:
        NAMES["play"](record, move)
        NAMES["take_back"](record)
        restored = restored and content(record) == before
    room = NAMES["Moves"]()
    answer = {"moves": moves, "restored": restored, "perft": NAMES["perft"](record, room, question["depth"])}
    answer["may_play"] = [move for move in range(0, 65536, question["step"]) if NAMES["may_play"](record, move)]
    answer["eval"] = NAMES["static_eval"](record)
    answer["ended_by"] = NAMES["ended_by"](record)
    return {**answer, "record": content(record)}


class Worker:
    """Iterative deepening, as in `search.worker`."""

    def __init__(self, question: Any) -> None:
        self.record = fresh(question)
        self.stack = stack = NAMES["Stack"]()
        stack["reduction"][1:] = [int(21.0 * math.log(i)) for i in range(1, 64)]
        stack["table_mask"], stack["generation"] = len(NAMES["memory"]) // 8 - 1, 1
        NAMES["memory"][:] = [0] * len(NAMES["memory"])
        stack["max_plies"] = question["max_plies"]
        moves = question["root"]
        stack["root_count"] = len(moves)
        stack["root_move"][: len(moves)] = moves
        self.scores = [-INFINITE] * len(moves)
        self.lines = [[move] for move in moves]

    def line(self, depth: int) -> None:
        """Find the best move in a window around its last score."""
        expected, delta = self.scores[0], WINDOW
        alpha, beta = -INFINITE, INFINITE
        if depth >= 4 and abs(expected) < DECIDED:
            alpha, beta = expected - delta, expected + delta
        while True:
            score = NAMES["search_root"](self.record, self.stack, alpha, beta, depth)
            self.order()
            if alpha < score < beta or self.stack["stop"]:
                return
            if score <= alpha:
                beta = (alpha + beta) // 2
                alpha = score - delta if delta < WIDEST else -INFINITE
            else:
                beta = score + delta if delta < WIDEST else INFINITE
            delta *= 2

    def order(self) -> None:
        """Put the moves into the order of their scores."""
        stack = self.stack
        count = stack["root_count"]
        scores = stack["root_score"][:count]
        order = sorted(range(count), key=lambda index: -scores[index])
        lines = {}
        for index in order:
            if scores[index] > -INFINITE:
                row = stack["root_pv"][index]
                lines[index] = row[: row.index(0)]
        self.lines = [lines.get(i, self.lines[i]) for i in order]
        self.scores = [scores[i] if i in lines else self.scores[i] for i in order]
        for name in ("root_move", "root_score", "root_nodes"):
            stack[name][:count] = [stack[name][i] for i in order]


def answer_search(question: Any) -> Any:
    """Best line, score and nodes of a search to a fixed depth, or of one that is late from the start."""
    worker = Worker(question)
    if question.get("late"):
        NAMES["deadline"] = 0.0
    for depth in range(1, question["depth"] + 1):
        if not worker.stack["stop"]:
            worker.line(depth)
    return {"line": worker.lines[0], "score": worker.scores[0], "nodes": worker.stack["nodes"]}


def answer_search_dice(question: Any) -> Any:
    """The same for games with a die."""
    record, stack = fresh(question), NAMES["Stack"]()
    stack["chance"][:] = question["chance"]
    stack["table_mask"], stack["generation"] = len(NAMES["memory"]) // 8 - 1, 1
    NAMES["memory"][:] = [0] * len(NAMES["memory"])
    stack["last_ply"] = question["last_ply"]
    stack["root_count"] = len(question["root"])
    stack["root_move"][: len(question["root"])] = question["root"]
    value, proofs = 0, []
    for depth in range(1, question["depth"] + 1):
        value = NAMES["expectimax"](record, stack, depth, question["thrown"])
        for winning in (0, 1):
            stack["proof_nodes"] = 300
            proofs.append(NAMES["certain"](record, stack, depth, winning))
            proofs.append(NAMES["decided"](record, stack, depth, 0, winning))
    return {"best": stack["root_best"], "value": value, "nodes": stack["nodes"], "proofs": proofs}


ANSWERS = {"compare": compare_moves, "search": answer_search, "search_dice": answer_search_dice}

if __name__ == "__main__":
    for text in sys.stdin:
        asked = json.loads(text)
        print(json.dumps(ANSWERS[asked["ask"]](asked)), flush=True)
