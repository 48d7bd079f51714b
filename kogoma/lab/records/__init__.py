"""What is kept of games: one game's record (`record`), the file of a match, and the `journal` that such files are."""
