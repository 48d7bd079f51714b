"""Generated functions made short and plain."""
