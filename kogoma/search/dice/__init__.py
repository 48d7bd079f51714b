"""The search of variants with a die: expectiminimax (`expectimax`), steered by `worker`.

Values are winning chances as integers (`values`). `proof` proves that a game is decided for every sequence of rolls.
"""
