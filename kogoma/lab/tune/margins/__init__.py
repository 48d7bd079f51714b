"""Tuning the search's margins: simultaneous perturbation (SPSA) over games of self-play."""
