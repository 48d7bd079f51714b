"""A match's records as a page."""
