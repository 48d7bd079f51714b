"""Onitama's rules: `moves` has the kernels, under the names of shogi's, `position` a game as Python sees it."""
