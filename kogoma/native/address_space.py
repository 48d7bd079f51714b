"""The limit of a process's address space (`ulimit -v`), and how much Kogoma needs."""

from __future__ import annotations

# With less, numpy cannot be imported. OpenBLAS, which it uses, ends the process or does not return.
LEAST = 256 << 20  # bytes
# LLVM ends the process if it has too little memory.
LLVM, LIBRARY = 192 << 20, 24 << 20  # bytes needed to import LLVM and load a library, and to load another library
COMPILER_LEAST = 350 << 20  # bytes; with less, no library can be compiled
COMPILER_MOST = 800 << 20  # bytes that are enough for every library


def require(size: int) -> None:
    """Raise MemoryError if the limit leaves less than `size` bytes to this process."""
    if limit() is None:
        return
    import mmap

    try:
        mmap.mmap(-1, size, prot=mmap.PROT_READ).close()
    except OSError:
        raise MemoryError from None


def limit() -> int | None:
    """Return the limit in bytes, or None if there is none."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft
