"""What results say: Elo with its error (`statistics`), the sequential test, and when it stops a match (`sprt`)."""
