"""Records of games for tests: generated ones, and the lab's as it writes them for others."""
