"""Bots for the arenas CodinGame and CodeAbbey, and `export`, which writes a bot into one file."""
