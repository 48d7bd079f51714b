"""What a position is worth: terms in files of their own, weights as data."""
