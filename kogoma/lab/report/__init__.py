"""A match's records as a page (`report`), as KIF, or as SFEN lines (`exports`)."""
