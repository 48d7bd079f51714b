"""Mates for users: the answer to `go mate`, and the command line's `mate`."""
