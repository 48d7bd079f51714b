"""The static evaluation: terms as kernels, weights as data.

Other packages use `game.default_game` and `explain.explain`, and in kernels `entry_points.evaluate`.
"""
