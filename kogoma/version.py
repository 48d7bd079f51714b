"""The version, which nothing has to be loaded for."""

__version__ = "0.1.0"
