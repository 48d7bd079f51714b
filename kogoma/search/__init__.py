"""The search: alpha-beta for variants without a die; `search.dice` for those with one.

Other packages use `searcher.Searcher`, `limits.Limits` and `SearchOptions`, `library.warmup` and `bench.bench`.
"""
