"""The transposition table's memory, as Python holds it. What an entry is: `search.transposition`."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import sys
import threading

BUCKET_BYTES = 64
MARKS = 1 << 12  # words in which threads say which moves they are searching
SAMPLE = 250  # buckets looked at for `hashfull`


class Table:
    """A power of two of 64-byte buckets, each on a cache line of its own."""

    def __init__(self, megabytes: int) -> None:
        """As many buckets as fit into that many MB; MemoryError if they can't be had."""
        self.buckets = 1 << (max(megabytes, 1) * (1 << 20) // BUCKET_BYTES).bit_length() - 1
        self._bytes = self.buckets * BUCKET_BYTES
        self._memory = _allocate(self._bytes)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self._marks = (ctypes.c_uint64 * MARKS)()
        self.marks = ctypes.addressof(self._marks)
        self._clearing = threading.Thread()
        self.clear()

    def clear(self) -> None:
        """Forget everything. This touches all pages, so that no search has to wait for them; it goes on meanwhile."""
        self.wait()
        self.generation = 0
        self._clearing = threading.Thread(target=self._fill)  # a method, so that the memory lives as long as it runs
        self._clearing.start()

    def _fill(self) -> None:
        ctypes.memset(self.address, 0, self._bytes)

    def wait(self) -> None:
        """Until the table can be used."""
        if self._clearing.is_alive():
            self._clearing.join()

    def next_generation(self) -> None:
        """A new search begins: entries of earlier ones are replaced first."""
        self.generation = (self.generation + 1) & 63

    def permille_used(self) -> int:
        """How full the table is with this search's entries, in thousandths, by a sample."""
        words = memoryview(self._memory)[: SAMPLE * BUCKET_BYTES].cast("Q")[1::2]
        used = sum(word != 0 and word >> 56 & 63 == self.generation for word in words)
        return used * 1000 // len(words)


def _allocate(size: int) -> mmap.mmap:
    """So many bytes of memory from a page's start on, in large pages where the system has them."""
    try:
        if sys.platform == "win32":
            return mmap.mmap(-1, size)
        memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, OverflowError):
        raise MemoryError(f"no memory for a table of {size >> 20} MB") from None
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a kernel without them
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory
