"""A match's records: what one game's record holds (`record`), and the file of them, written and read."""
