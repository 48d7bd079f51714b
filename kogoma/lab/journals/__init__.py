"""What is kept of games: games and the file of a match (`record`), and the `journal` that it is."""
