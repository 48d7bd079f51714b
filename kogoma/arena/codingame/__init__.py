"""Bots for CodinGame: reading a turn (`turn_reader`), parsing it (`shogi_turn`, `onitama_turn`), answering it (`bot`).

`command` is the entry point of the command line, and `turn_loop` the loop of all bots, also of exported files.
"""
