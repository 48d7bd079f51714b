"""The engine in the arenas: what a contest's referee sends and reads, turned into positions and moves.

From outside: each arena's `command`, and `lines`, which reads standard input for the USI engine, too.
"""
