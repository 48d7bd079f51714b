"""Commands that measure: speed, strength, reliability. Their figures stand in docs/."""
