"""The USI engine and the command line."""
