"""Fuzzed conversations with the engine: what is sent, and what its answers must be."""
