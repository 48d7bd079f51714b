"""The static evaluation: terms as kernels, weights as data.

Other packages use `weights.tuned` and `explain.explain`, and in kernels `entry_points.evaluate`.
"""
