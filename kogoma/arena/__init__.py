"""Bots for the arenas CodinGame and CodeAbbey, and `export`, which writes a bot into one file.

Other packages import the `command` modules, and `lines`, with which the USI engine reads standard input, too.
"""
