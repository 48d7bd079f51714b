"""The engine in the arenas: what a contest's referee sends and reads, turned into positions and moves."""
