"""The beginning of an exported Python file: unpack the texts in it, and run the program that is one of them.

The program consists of whole modules of the engine, in an order in which each imports only modules before it. Old
versions of Python must be able to compile this module, so that they print its message instead of a syntax error.
"""

import base64
import lzma
import sys
import types
from typing import Any

if sys.version_info < (3, 9):  # noqa: UP036 (an exported file does not choose its Python)
    sys.exit("kogoma: this file needs Python 3.9 or newer, not {}.{}".format(*sys.version_info))

RANGES = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xAC00, 0xD7A4))
GAPS = (0x4E00 - 0x4DC0, 0xAC00 - 0xA000)
GROUP, LETTERS = 15, 8  # bytes per group, and letters that store a group
NAME = "kogoma.arena.export.unpacking"
TITLE = "# ---- "  # begins the line before each module of a program; the module's name follows


def unpack(text: str) -> bytes:
    """Return the bytes from which `arena.export.packing.pack` has made the text. Raises ValueError if the text is
    damaged."""
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


def load_modules(program: str) -> None:
    """Execute the modules of a program in their order, so that later ones can import them by name."""
    for part in program.split(TITLE)[1:]:
        name, _, source = part.partition("\n")
        module = sys.modules[name] = types.ModuleType(name)
        exec(compile(source, name, "exec"), vars(module))


def start(file: "dict[str, Any]", main: str) -> None:
    """Run the program of an exported file, whose global names are `file`: call the function `main` of the module with
    this name. With the option --source, print the program instead. If the file is imported, only load its modules."""
    program = lzma.decompress(unpack(file["PROGRAM"])).decode()
    if file["__name__"] == "__main__" and "--source" in sys.argv[1:]:
        print(program)
        return
    vars(sys.modules.setdefault(NAME, types.ModuleType(NAME))).update(file)  # the program imports this module, too
    load_modules(program)
    if file["__name__"] == "__main__":
        vars(sys.modules[main])["main"](file)
