"""What a position is worth: terms as kernels, weights as data.

From outside: `weights.tuned` and `explain.explain`; for kernels `entries.evaluate`.
"""
