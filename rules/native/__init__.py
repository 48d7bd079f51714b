"""How kernels become native code: what a kernel is, what its records hold, how they are built, kept and loaded.

Nothing here knows shogi but the shape of its records. Elsewhere: `Library`, `KernelError`, `kernel`, `entry`, the
operations of `bitboard`, the dtypes of `layout` and `rules_record`.
"""
