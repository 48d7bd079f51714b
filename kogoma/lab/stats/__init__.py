"""Statistics of match results: Elo with its error (`statistics`), and the SPRT that stops a match (`sprt`)."""
