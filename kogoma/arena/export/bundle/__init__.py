"""Modules of the project as one source text."""
