"""Bots for the arenas CodinGame and CodeAbbey, and `export`, which writes a bot into one file.

Other packages also use its modules for input and output: `lines`, `streams`, `arguments` and `windows`.
"""
