"""What `import kogoma` offers: positions, an engine that stays alive, and a few functions. docs/python.md."""
