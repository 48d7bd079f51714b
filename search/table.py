"""The transposition table's memory, as Python holds it. What an entry is: `search.transposition`."""

from __future__ import annotations

import threading

import numpy as np

BUCKET_BYTES = 64
SAMPLE = 250  # buckets looked at for `hashfull`


class Table:
    """A power of two of 64-byte buckets, each on a cache line of its own."""

    def __init__(self, megabytes: int) -> None:
        """As many buckets as fit into that many MB; MemoryError if they can't be had."""
        self.buckets = 1 << (max(megabytes, 1) * (1 << 20) // BUCKET_BYTES).bit_length() - 1
        self._memory = np.empty(self.buckets * 8 + 8, np.uint64)
        start = self._memory.ctypes.data
        skip = -start % BUCKET_BYTES // 8
        self._words = self._memory[skip : skip + self.buckets * 8].reshape(self.buckets, 4, 2)
        self.address = start + skip * 8
        self._clearing = threading.Thread()
        self.clear()

    def clear(self) -> None:
        """Forget everything. This touches all pages, so that no search has to wait for them; it goes on meanwhile."""
        self.wait()
        self.generation = 0
        self._clearing = threading.Thread(target=self._words.fill, args=(0,))
        self._clearing.start()

    def wait(self) -> None:
        """Until the table can be used."""
        if self._clearing.is_alive():
            self._clearing.join()

    def next_generation(self) -> None:
        """A new search begins: entries of earlier ones are replaced first."""
        self.generation = (self.generation + 1) & 63

    def permille_used(self) -> int:
        """How full the table is with this search's entries, in thousandths, by a sample."""
        data = self._words[:SAMPLE, :, 1]
        used = (data != 0) & (data >> np.uint64(56) & np.uint64(63) == self.generation)
        return int(used.mean() * 1000)
