"""Games of one's own, as TOML files: docs/custom-variants.md"""
