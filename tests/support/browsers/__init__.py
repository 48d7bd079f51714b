"""Pages in a headless browser: any page, and a match's report."""
