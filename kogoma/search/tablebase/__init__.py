"""The tablebase of Dobutsu: the value of every position, computed backwards from the ends of games."""
