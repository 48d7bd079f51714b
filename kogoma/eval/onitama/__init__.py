"""Onitama's evaluation and its weights, under the names of shogi's (`eval.entries` chooses between them)."""
