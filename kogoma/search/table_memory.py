"""The memory of the transposition table. `search.transposition` describes its entries."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import sys
import threading

BUCKET_BYTES = 64
MARKS = 1 << 12  # marks of moves being searched: `search.abdada`
SAMPLE = 250  # buckets sampled for `hashfull`


class Table:
    """The memory of a transposition table. The number of 64-byte buckets, one per cache line, is a power of two."""

    def __init__(self, megabytes: int) -> None:
        """Allocate as many buckets as fit into `megabytes` MB, rounded down to a power of two, and clear them. Raises
        MemoryError if there is not enough memory."""
        self.buckets = 1 << (max(megabytes, 1) * (1 << 20) // BUCKET_BYTES).bit_length() - 1
        self._bytes = self.buckets * BUCKET_BYTES
        self._memory = _allocate(self._bytes)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self._marks = (ctypes.c_uint64 * MARKS)()
        self.marks = ctypes.addressof(self._marks)
        self._clearing = threading.Thread()
        self.clear()

    def clear(self) -> None:
        """Start to clear the table on another thread. Clearing touches all memory pages, so that no search has to wait
        for the system to provide them."""
        self.wait()
        self.generation = 0
        self._clearing = threading.Thread(target=self._fill)  # keeps this object alive
        self._clearing.start()

    def _fill(self) -> None:
        ctypes.memset(self.address, 0, self._bytes)

    def wait(self) -> None:
        """Wait until the table has been cleared."""
        if self._clearing.is_alive():
            self._clearing.join()

    def next_generation(self) -> None:
        """Mark the entries of all earlier searches as old: the next search replaces them first."""
        self.generation = (self.generation + 1) & 63

    def permille_used(self) -> int:
        """Return how many thousandths of the table are filled with entries of the current search, estimated from a
        sample."""
        words = memoryview(self._memory)[: SAMPLE * BUCKET_BYTES].cast("Q")[1::2]
        used = sum(word != 0 and word >> 56 & 63 == self.generation for word in words)
        return used * 1000 // len(words)


def _allocate(size: int) -> mmap.mmap:
    """Return `size` bytes of page-aligned memory, in huge pages if the system has them. Raises MemoryError if there is
    not enough memory."""
    try:
        if sys.platform == "win32":
            return mmap.mmap(-1, size)
        memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, OverflowError):
        raise MemoryError(f"cannot allocate a transposition table of {size >> 20} MB") from None
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # raised if there are no huge pages
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory
