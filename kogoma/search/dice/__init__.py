"""The search of dice games: `worker` is what `search.searcher` steers, `expectimax` the search itself.

Values are winning chances as integers (`values`); `proof` shows that a game is decided whatever the dice say.
"""
