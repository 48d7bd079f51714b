"""Matches between engines, game records, analysis, tuning, books, reports, and the page's server.

Other packages use `match.command`, `match.opening_maker` and `report.page`, which are commands.
"""
