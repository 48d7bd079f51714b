"""The turns and the move notation of CodinGame's Minishogi and Dice-Shogi.

https://www.codingame.com/multiplayer/bot-programming/minishogi: squares are `column row`, columns 5 to 1 from the left,
row 1 at the top, so that USI's `4e` is `45`. A move is `4534` or `4534+`, a drop `G*33`, White's `g*33`.
"""

from __future__ import annotations

import re

from kogoma.arena.codingame.turn_reader import Field, Form, RawTurn, Turn, lines_of

SIZE = 5
ROW_LETTERS = "abcde"
ACTION = r"[1-5][1-5][1-5][1-5]\+?|[GSBRPgsbrp]\*[1-5][1-5]"


def form(dice: bool) -> Form:
    """Return the format of the referee's turns; with `dice`, they include Dice-Shogi's die roll."""
    return Form(
        once=(*lines_of("the player's id, 0 or 1", "[01]"), *lines_of("the board's size, 5", "5")),
        each=(
            *lines_of("row", r"(\+?[KGSBRPkgsbrp]|\.){5}", SIZE),
            *lines_of("Black's hand", "-|[GSBRPgsbrp]+"),
            *lines_of("White's hand", "-|[GSBRPgsbrp]+"),
            *(lines_of("the die roll", "[1-6]") if dice else ()),
            *lines_of("the opponent's last action", f"none|{ACTION}"),
        ),
        action=Field("a legal action", re.compile(ACTION)),
    )


def read(raw: RawTurn, player: int | None) -> Turn:
    """Return the turn in the engine's notation. `player` is the bot's number (0 or 1) from the game's first turn, or
    None if unknown."""
    *board_and_hands, last = raw.each
    rows, hands, die = board_and_hands[:SIZE], board_and_hands[SIZE : SIZE + 2], board_and_hands[SIZE + 2 :]
    if raw.once and raw.once[0] is not None:
        player = int(raw.once[0])
    if player is None:
        player = _guess_player(rows, raw.actions, last)
    sfen = None
    if None not in rows and None not in hands and player is not None:
        board = "/".join(re.sub(r"\.+", lambda empty: str(len(empty[0])), str(row)) for row in rows)
        held = f"{hands[0]}".upper() + f"{hands[1]}".lower()
        sfen = f"{board} {'bw'[player]} {held.replace('-', '') or '-'}"
    return Turn(
        player=player,
        sfen=sfen,
        last=None if last in (None, "none") else to_usi(str(last)),
        dice=int(die[0]) if die and die[0] is not None else None,
        actions={to_usi(action): action for action in raw.actions},
    )


def to_usi(action: str) -> str:
    """Convert an action to USI notation: `4534+` -> `4e3d+`, `g*33` -> `G*3c`."""
    target = action[2] + ROW_LETTERS[int(action[3]) - 1] + action[4:]
    if action[1] == "*":
        return f"{action[0].upper()}*{target}"
    return action[0] + ROW_LETTERS[int(action[1]) - 1] + target


def to_action(usi: str, player: int) -> str:
    """Convert a USI move to an action: `4e3d+` -> `4534+`, and `G*3c` -> `G*33` for Black or `g*33` for White."""
    action = re.sub("[a-e]", lambda row: str(ROW_LETTERS.index(row[0]) + 1), usi)
    return action.lower() if player else action


def _guess_player(rows: list[str | None], actions: list[str], last: str | None) -> int | None:
    """Return the player (0 or 1) whose pieces the listed actions move, or None if no action shows it. If there was no
    last action, it is player 0's turn."""
    if last == "none":
        return 0
    for action in actions:
        if action[1] == "*":
            return int(action[0].islower())
        row = rows[int(action[1]) - 1]
        if row is not None:
            return int(re.findall(r"\+?[A-Za-z]|\.", row)[SIZE - int(action[0])].islower())
    return None
