"""Random lines for the engine, and the check of its answers."""
