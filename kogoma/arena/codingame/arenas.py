"""The arenas of CodinGame that a bot can play in."""

from __future__ import annotations

from kogoma.arena.codingame import onitama_turn, shogi_turn
from kogoma.arena.codingame.turn_reader import Arena

MINISHOGI = Arena("minishogi-codingame", 100, shogi_turn.form(False), shogi_turn.read, shogi_turn.to_action)
DICE = Arena("dice-codingame", 100, shogi_turn.form(True), shogi_turn.read, shogi_turn.to_action, dice=True)
ONITAMA = Arena("onitama", 50, onitama_turn.FORM, onitama_turn.read, onitama_turn.to_action, one_start=False)
ARENAS = {"minishogi": MINISHOGI, "dice": DICE, "onitama": ONITAMA}
