"""Journals: append-only files of JSON lines, from which commands resume; and the match journal."""
