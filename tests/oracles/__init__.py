"""What the tests hold the project against: naive rule books and searches, written apart from it."""
