"""Which move is best: one alpha-beta for every game without a die, `search.dice` for those with one.

From outside: `searcher.Searcher`, `limits.Limits` and `SearchOptions`, `library.warmup`, `bench.bench`.
"""
