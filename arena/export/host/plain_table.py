"""In an exported file of the Python flavor: `search.table`, as the list of words that the kernels know. There is one."""

from __future__ import annotations

from arena.export.host.kernels import memory

BUCKET_BYTES = 64
WORDS = BUCKET_BYTES // 8


class Table:
    """A power of two of buckets of 8 words, two for each entry."""

    address = 0

    def __init__(self, megabytes: int) -> None:
        """As many buckets as fit into that many MB, if a word took 8 bytes."""
        self.buckets = 1 << (max(megabytes, 1) * (1 << 20) // BUCKET_BYTES).bit_length() - 1
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.generation = 0
        memory[:] = [0] * (self.buckets * WORDS)

    def wait(self) -> None:
        """Nothing to wait for."""

    def next_generation(self) -> None:
        """A new search begins: entries of earlier ones are replaced first."""
        self.generation = (self.generation + 1) & 63

    def permille_used(self) -> int:
        """How full the table is with this search's entries, in thousandths: nobody asks here."""
        return 0
