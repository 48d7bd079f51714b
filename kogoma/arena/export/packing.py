"""Packing of bytes as text in a source file: 15 bits per character, or ASCII.

The alphabet consists of letters that every editor counts as one character and that no normalisation changes: U+3400 to
U+4DBF and U+4E00 to U+9FFF (Chinese characters), then U+AC00 to U+D7A3 (Korean syllables) as far as needed. ASCII text
is base85 (Python's b85, without quotes and backslashes): 6.4 bits per character.
"""

from __future__ import annotations

import base64

from kogoma.arena.export.unpacking import GROUP, LETTERS, RANGES


def pack(data: bytes, ascii_only: bool = False) -> str:
    """Return the bytes as one line of text. Unless the text is ASCII, its first letter stores the number of padding
    bytes."""
    if ascii_only:
        return base64.b85encode(data).decode()
    alphabet = "".join("".join(map(chr, range(start, end))) for start, end in RANGES)
    padding = -len(data) % GROUP
    padded = data + bytes(padding)
    letters = [alphabet[padding]]
    for index in range(0, len(padded), GROUP):
        number = int.from_bytes(padded[index : index + GROUP], "big")
        letters += [alphabet[number >> 15 * place & 0x7FFF] for place in reversed(range(LETTERS))]
    return "".join(letters)
