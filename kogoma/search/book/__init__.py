"""Opening books: what is known of positions before they are searched."""
