"""How kernels become native code: what a kernel is, how they are built, kept and loaded.

Nothing here knows shogi: what a record holds is said by whoever defines its dtype (`rules.layout`, `search.thread`).
"""
