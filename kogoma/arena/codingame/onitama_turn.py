"""The turns and the move notation of CodinGame's Onitama.

https://www.codingame.com/multiplayer/bot-programming/onitama: squares are A1 to E5 from the bottom left, a move is
`12 B1B3` with the card's id before it, or `12 PASS`. Player 0 has W (master) and w (students), player 1 B and b.
"""

from __future__ import annotations

import re

from kogoma.arena.codingame.turn_reader import Field, Form, RawTurn, Turn, lines_of

SIZE, CARDS = 5, 5
ACTION = r"1?[0-9] ([A-E][1-5][A-E][1-5]|PASS)"
PIECES = str.maketrans("WwBb", "MSms")

FORM = Form(
    once=lines_of("the player's id, 0 or 1", "[01]"),
    each=(*lines_of("row", "[WwBb.]{5}", SIZE), *lines_of("card", r"(-1|0|1) 1?[0-9]( -?[0-9]){8}", CARDS)),
    action=Field("a legal action", re.compile(ACTION)),
)


def read(raw: RawTurn, player: int | None) -> Turn:
    """Return the turn in the engine's notation. `player` is the bot's number (0 or 1) from the game's first turn, or
    None if unknown."""
    rows, cards = raw.each[:SIZE], raw.each[SIZE:]
    if raw.once and raw.once[0] is not None:
        player = int(raw.once[0])
    if player is None:
        player = _guess_player(rows, raw.actions)
    sfen = None
    if None not in raw.each and player is not None:
        board = "/".join(re.sub(r"\.+", lambda empty: str(len(empty[0])), str(row)) for row in rows)
        owned: dict[str, list[int]] = {"0": [], "1": [], "-1": []}
        for card in cards:
            owner, number, *_ = str(card).split()
            owned[owner].append(int(number))
        hands = "/".join(",".join(map(str, sorted(numbers))) for numbers in owned.values())
        sfen = f"{board.translate(PIECES)} {'bw'[player]} {hands}"
    return Turn(player, sfen, None, None, {to_usi(action): action for action in raw.actions})


def to_usi(action: str) -> str:
    """Convert an action to USI notation: `12 B1B3` -> `12:b1b3`."""
    return action.replace(" ", ":").lower()


def to_action(usi: str, player: int) -> str:
    """Convert a USI move of either player to an action: `12:b1b3` -> `12 B1B3`."""
    return usi.replace(":", " ").upper()


def _guess_player(rows: list[str | None], actions: list[str]) -> int | None:
    """Return the player (0 or 1) whose pieces the listed actions move, or None if no action shows it."""
    for action in actions:
        move = action.split()[1]
        row = None if move == "PASS" else rows[SIZE - int(move[1])]
        if row is not None:
            return int(row["ABCDE".index(move[0])] in "Bb")
    return None
