"""What a legal game is: variants, positions, move generation, outcome, notation."""
