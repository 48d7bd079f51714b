"""Bots for CodinGame: reading a turn (`turn_reader`), parsing it (`shogi_turn`, `onitama_turn`), answering it (`bot`).

`command` is the entry point of the command line.
"""
