"""Games examined: every position searched, the mistakes named."""
