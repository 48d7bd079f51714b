"""Commands that measure speed, strength and reliability. Their results are in docs/."""
