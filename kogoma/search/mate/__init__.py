"""The mate solver: a depth-first search of proof and disproof numbers (df-pn) over the native rules."""
