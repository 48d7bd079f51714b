"""Kernels of one game as plain Python: `translate.translate` starts from entries and follows what they call."""
