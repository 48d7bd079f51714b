"""Onitama's rules: its moves and its notation, under the names of shogi's kernels.

`rules.dispatch` chooses between them; from outside only `position` and `notation` are imported.
"""
