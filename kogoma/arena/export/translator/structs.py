"""Generate the source of classes for structs and of tables for constant arrays. Short tables are literals, Zobrist keys
are drawn again from their random stream, and the other tables are packed."""

from __future__ import annotations

import base64
import lzma
import struct
import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np

from kogoma.arena.export.translator.special import KEY_SEED

WRITTEN_OUT = 24  # maximum number of elements of a table that is written as a literal
WORDS = 1 << 14  # length of the random stream in which Zobrist keys are looked up


WIDTHS = {1: "b", 2: "h", 4: "i", 8: "q"}

UNPACK = '''

class _Packed:
    """Tables packed in a text, which are read one after the other."""

    def __init__(self, text):
        self.data, self.place = lzma.decompress(base64.b85decode(text)), 0

    def take(self, kind, *sizes):
        """Return the next table, as nested tuples of the lengths `sizes`."""
        if len(sizes) > 1:
            return tuple(self.take(kind, *sizes[1:]) for _ in range(sizes[0]))
        row = struct.unpack_from(f"<{sizes[0]}{kind}", self.data, self.place)
        self.place += struct.calcsize(f"<{sizes[0]}{kind}")
        return row

'''

RECORD = '''

class Struct:
    """Fields by name, as attributes or in brackets: numbers, and lists of them."""

    __slots__ = ()
    shapes = {}

    def __init__(self):
        for name, shape in self.shapes.items():
            setattr(self, name, _zeros(shape))

    def __getitem__(self, name):
        return getattr(self, name)

    def __setitem__(self, name, value):
        setattr(self, name, value)

    def copy(self):
        """Return another struct with the same content."""
        twin = object.__new__(type(self))
        for name in self.__slots__:
            setattr(twin, name, _copied(getattr(self, name)))
        return twin


def _copied(value):
    if isinstance(value, list):
        return [row[:] for row in value] if isinstance(value[0], list) else value[:]
    return value


def _shapes(text):
    """Return a dict from the name of each field to the lengths of its axes."""
    fields = (word.partition(":") for word in text.split())
    return {name: [int(size) for size in sizes.split("x") if size] for name, _, sizes in fields}


def _zeros(shape):
    if not shape:
        return 0
    return [0] * shape[0] if len(shape) == 1 else [_zeros(shape[1:]) for _ in range(shape[0])]
'''

DRAW = '''

def _stream(state, step):
    """Return the first numbers of the random generator PCG64."""
    words = []
    for _ in range(%d):
        state = (state * 0x2360ED051FC65DA44385DF649FCCF645 + step) & (1 << 128) - 1
        word, turn = (state >> 64 ^ state) & (1 << 64) - 1, state >> 122
        words.append((word >> turn | word << (-turn & 63)) & (1 << 64) - 1)
    return words


def _drawn(start, sizes, steps):
    """Return a table of random numbers: from number `start` on, those `steps` apart along each axis."""
    if not sizes:
        return _keys[start]
    return tuple(_drawn(start + i * steps[0], sizes[1:], steps[1:]) for i in range(sizes[0]))

'''


def class_name(role: str) -> str:
    """Return the class name of a struct."""
    return f"{role.capitalize()}Struct"


def record_class(role: str, dtype: np.dtype[Any], shapes: Mapping[str, tuple[int, ...]]) -> str:
    """Return the source text of a class with the fields of a struct, which are initially 0. `shapes` replaces the
    shapes of some fields in `dtype`."""
    words = []
    for name in dtype.names or ():
        shape = shapes.get(name, dtype[name].shape)
        words.append(f"{name}:{'x'.join(map(str, shape))}" if shape else name)
    listed = " ".join(words)
    rows = [f'        "{row}"' for row in textwrap.wrap(listed, 105, drop_whitespace=False, break_long_words=False)]
    lines = [f"\n\nclass {class_name(role)}(Struct):", f'    """The struct `{role}` of the kernels."""', ""]
    lines += ["    shapes = _shapes(", *rows, "    )", "    __slots__ = tuple(shapes)"]
    return "\n".join(lines)


def _literal(data: Any) -> str:
    parts = [str(int(item)) for item in data] if data.ndim == 1 else [_literal(part) for part in data]
    return "(" + ", ".join(parts) + ("," if len(parts) == 1 else "") + ")"


def _words() -> tuple[dict[int, int], int, int]:
    """Return three things: a dict that maps each random number used for Zobrist keys to its index in the random stream,
    and the random generator's initial state and increment."""
    generator = np.random.PCG64(KEY_SEED)
    inner: Any = generator.state["state"]
    drawn = np.random.Generator(generator).integers(0, 1 << 64, WORDS, np.uint64)
    return {int(word): place for place, word in enumerate(drawn)}, int(inner["state"]), int(inner["inc"])


def _drawn(data: Any, words: dict[int, int]) -> str | None:
    """Return the source of an expression that generates the table `data` from the random numbers of the Zobrist keys,
    or None if the table does not consist of these numbers. `words` maps each random number to its index."""
    if data.dtype != np.uint64 or int(data.flat[0]) not in words:
        return None
    start = words[int(data.flat[0])]
    steps = []
    for axis, size in enumerate(data.shape):
        index = tuple(1 if axis == other else 0 for other in range(data.ndim))
        if size > 1 and int(data[index]) not in words:
            return None
        steps.append(words[int(data[index])] - start if size > 1 else 0)
    for index in np.ndindex(data.shape):
        place = start + sum(i * step for i, step in zip(index, steps))
        if words.get(int(data[index])) != place:
            return None
    return f"_drawn({start}, {tuple(data.shape)!r}, {tuple(steps)!r})"


def _width(data: Any) -> str | None:
    low, high = int(data.min()), int(data.max())
    for size, kind in WIDTHS.items():
        if -(1 << 8 * size - 1) <= low and high < 1 << 8 * size - 1:
            return kind
    return None


def tables_source(tables: dict[str, Any]) -> str:
    """Return the source that assigns all tables, preceded by the definitions that it needs."""
    words, state, step = _words()
    lines: list[str] = []
    packed, drawn = b"", 0
    for name, data in tables.items():
        keys = _drawn(data, words)
        kind = _width(data)
        if keys is not None:
            drawn = max(drawn, *(words[int(word)] + 1 for word in data.flat))
            lines.append(f"{name} = {keys}")
        elif data.size <= WRITTEN_OUT or kind is None:
            lines.append(f"{name} = {_literal(data)}")
        else:
            packed += struct.pack(f"<{data.size}{kind}", *(int(item) for item in data.flat))
            lines.append(f'{name} = _packed.take("{kind}", {", ".join(str(size) for size in data.shape)})')
    before = ""
    if packed:
        text = base64.b85encode(lzma.compress(packed, lzma.FORMAT_ALONE, preset=9 | lzma.PRESET_EXTREME)).decode()
        rows = "\n".join(f'    "{text[start : start + 112]}"' for start in range(0, len(text), 112))
        before += f"{UNPACK}\n_packed = _Packed(\n{rows}\n)\n"
    if drawn:
        before += DRAW % drawn + f"\n_keys = _stream({state}, {step})\n"
    return before + "\n".join(lines) + "\n"
