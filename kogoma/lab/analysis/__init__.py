"""Analysis of games: every position is searched, and mistakes are listed."""
