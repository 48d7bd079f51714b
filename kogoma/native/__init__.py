"""Kernels: how they are marked, compiled to native libraries, cached and loaded.

Nothing here depends on shogi. The dtypes of structs are defined elsewhere (`rules.layout`, `search.thread`).
"""
