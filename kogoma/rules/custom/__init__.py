"""Custom variants: TOML files that define variants. See docs/custom-variants.md."""
