"""The Python API: positions, an engine object, and functions. See docs/python.md."""
