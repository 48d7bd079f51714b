"""Packing of bytes as text in a source file: 15 bits per character, or ASCII.

The alphabet consists of letters that every editor counts as one character and that no normalisation changes: U+3400 to
U+4DBF and U+4E00 to U+9FFF (Chinese characters), then U+AC00 to U+D7A3 (Korean syllables) as far as needed. ASCII text
is base85 (Python's b85, without quotes and backslashes): 6.4 bits per character.
"""

from __future__ import annotations

import base64

RANGES = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xAC00, 0xD7A4))
GAPS = (0x4E00 - 0x4DC0, 0xAC00 - 0xA000)
GROUP, LETTERS = 15, 8  # bytes per group, and letters that store a group


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


def unpack(text: str) -> bytes:
    """Return the bytes from which `pack` has made the text. Raises ValueError if the text is damaged."""
    if text.isascii():
        return base64.b85decode(text)
    (start, first_end), (_, second_end), _ = RANGES
    numbers = []
    for letter in map(ord, text):
        if letter >= first_end:
            letter -= GAPS[0] if letter < second_end else GAPS[0] + GAPS[1]
        numbers.append(letter - start)
    if len(numbers) % LETTERS != 1 or not 0 <= min(numbers) <= max(numbers) <= 0x7FFF or numbers[0] >= GROUP:
        raise ValueError("packed text is damaged")
    rest = iter(numbers[1:])
    groups = [
        (a << 105 | b << 90 | c << 75 | d << 60 | e << 45 | f << 30 | g << 15 | h).to_bytes(GROUP, "big")
        for a, b, c, d, e, f, g, h in zip(rest, rest, rest, rest, rest, rest, rest, rest)
    ]
    data = b"".join(groups)
    return data[: len(data) - numbers[0]]
