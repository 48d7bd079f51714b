"""Engine against engine: matches with numbers that one can trust."""
