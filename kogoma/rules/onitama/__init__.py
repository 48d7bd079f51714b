"""Onitama's rules. `moves` holds the kernels, which have the same names as the shogi kernels; `position` holds the
Python class."""
