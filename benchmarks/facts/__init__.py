"""The facts of docs/facts.md."""
