"""Releases: prebuilt libraries for all platforms, wheels and the sources (docs/release.md)."""
