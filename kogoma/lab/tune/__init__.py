"""Tuning the evaluation: positions from self-play, in chunks that can be repeated, and how they are kept."""
