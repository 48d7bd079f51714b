"""Game records for tests."""
