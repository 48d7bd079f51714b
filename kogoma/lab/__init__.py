"""Engine against engine, with numbers one can trust: engines, matches, their statistics, and the page that shows them.

From outside: `match.command`, `match.opening_maker` and `report.page`, which are commands.
"""
