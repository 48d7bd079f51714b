"""Onitama's rules: its cards, its moves and its notation, under the names of shogi's kernels.

`rules.dispatch` chooses between them; from outside only `position`, `cards` and `notation` are imported.
"""
