"""Simple reference implementations of the rules and the searches, written independently of the engine."""
