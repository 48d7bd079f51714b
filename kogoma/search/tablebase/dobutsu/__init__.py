"""The tablebase of Dobutsu: the value of every position."""
