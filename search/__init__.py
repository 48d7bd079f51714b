"""Which move is best: one alpha-beta for every deterministic game, and what it stands on."""
