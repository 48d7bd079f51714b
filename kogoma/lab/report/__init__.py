"""The report: a match as one HTML page."""
