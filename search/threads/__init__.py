"""Several threads in one search: what each does at the root, and what they tell each other."""
