"""Replacements, in exported files, for the engine's numpy structs and native libraries."""
