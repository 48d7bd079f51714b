"""Onitama's rules: `moves` has the kernels, under the names of shogi's, and `position` the Python class."""
