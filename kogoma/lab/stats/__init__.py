"""What results say: Elo with its error (`statistics`), the sequential test (`sprt`), and when to stop (`stopping`)."""
