"""Tablebases: the values of all positions of a game or of its endings, computed backwards from the ends of games, and
their answers to searches."""
