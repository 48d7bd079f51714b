"""Onitama's endings: the values of all positions with few men, for five cards."""
