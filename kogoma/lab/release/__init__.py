"""Build releases: prebuilt libraries, wheels, the files for Windows and Linux, and the sources (docs/release.md)."""
