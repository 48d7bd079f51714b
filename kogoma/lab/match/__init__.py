"""Matches: settings, schedule, games, records and progress. `command` is `./engine.sh match`, `opening_maker`
`./engine.sh openings`.
"""
