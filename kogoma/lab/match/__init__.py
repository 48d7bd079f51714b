"""Matches: settings, schedule, games, journals and progress. `command` is `./engine.sh match`, `opening_maker` is
`./engine.sh openings`."""
