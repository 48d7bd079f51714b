"""CodinGame's arenas: the lines of a turn (`turn_reader`), what they mean (`shogi_turn`, `onitama_turn`), and the bot
that answers them. `command` is what the command line calls.
"""
