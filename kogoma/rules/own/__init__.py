"""Games of one's own, as TOML files: docs/own-games.md"""
