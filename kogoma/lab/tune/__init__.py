"""Tuning: self-play data, the fit of the evaluation, SPSA for search parameters, and acceptance matches."""
