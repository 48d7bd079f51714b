"""A USI engine that reads only one notation for the unpromotion of a piece: `python dialect.py SIGN`.

SIGN is `+`, `-`, or `none` for an engine that reads neither notation. Like Fairy-Stockfish, the engine silently ignores
a move that it cannot read, and all moves after it. The engine answers with the first legal move.
"""

from __future__ import annotations

import sys

from kogoma.lab.engines.dialects import turned
from kogoma.rules.position import new_position


def main() -> None:
    (sign,) = sys.argv[1:]
    variant, position = "kyoto", new_position("kyoto")
    for line in sys.stdin:
        words = line.split()
        if words[0] == "usi":
            print("id name Dialect\noption name USI_Variant type combo default kyoto var kyoto var micro\nusiok")
        elif words[0] == "isready":
            print("readyok")
        elif words[0] == "setoption":
            variant = words[-1]
        elif words[0] == "position":
            moves = words[words.index("moves") + 1 :] if "moves" in words else []
            position = new_position(variant, None if words[1] == "startpos" else " ".join(words[2:6]))
            for move in moves:
                turns_back = move[-1] in "+-" and turned(position, move[:2])
                usi = move.replace("-", "+")
                if (turns_back and move[-1] != sign) or usi not in position.legal_moves():
                    break
                position.push(usi)
        elif words[0] == "go":
            moves = sorted(position.legal_moves())
            if moves:
                print(f"info depth 1 nodes 1 score cp 20 pv {moves[0]}")
            print(f"bestmove {moves[0] if moves else 'resign'}")
        elif words[0] == "quit":
            return
        sys.stdout.flush()


main()
