"""Games of one's own, as TOML files: docs/own-games.md"""

import rules.variants  # noqa: F401  # first of all: its last line may ask this package for games
