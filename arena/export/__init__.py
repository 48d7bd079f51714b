"""Kernels as plain Python: one source file of the standard library alone that plays one game."""
