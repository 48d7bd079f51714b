"""Export as a file whose search is native code: a shared object as text, with the bot's Python code."""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from typing import Any

import numpy as np

from kogoma.arena.export.bundle.bundle import Bundle, Changes
from kogoma.arena.export.bundle.minify import slim
from kogoma.arena.export.host_program import constant_structs, program
from kogoma.arena.export.network import exported_weights, network_rows, packed_network
from kogoma.arena.export.packing import pack
from kogoma.arena.export.targets import ROOT_ENTRIES, RULES_ENTRIES, Game
from kogoma.native.shared_object import Part, shared_object
from kogoma.rules.layout import position_dtype
from kogoma.rules.notation import pieces_of
from kogoma.rules.rules_struct import rules_struct
from kogoma.search.dice.values import dice_thread_dtype
from kogoma.search.thread import thread_dtype
from kogoma.search.worker import search_rules

FILTERS = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]

# Modules of the engine that build, load or allocate, and their replacements in the file.
INSTEAD = {
    "kogoma.rules.structs": "kogoma.arena.export.host.structs",
    "kogoma.rules.library": "kogoma.arena.export.host.library",
}
STRUCT_TYPE = """
from functools import cache
from kogoma.arena.export.host.data import {data}
from kogoma.arena.export.host.structs import struct_type
@cache
def {name}(layout):
    return struct_type({data})
"""
START = """
import lzma

from kogoma.arena.export.host.data import FALLBACK
from kogoma.arena.export.host.library import NativeError, native_code
from kogoma.arena.export.packing import unpack
from kogoma.console.streams import tell

if __name__ == "__main__":
    try:
        native_code()
    except NativeError as error:
        if not FALLBACK:
            sys.exit(f"kogoma: {error}")
        tell(f"kogoma: {error}: going on in plain Python")
        exec(lzma.decompress(unpack(FALLBACK)).decode(), {"__name__": "__main__"})
    else:
        main()
"""
# The code of the file itself, which runs the packed PROGRAM.
LOADER = """
import lzma
import sys

from kogoma.arena.export.packing import unpack

text = lzma.decompress(unpack(PROGRAM)).decode()
program = {"__name__": __name__, "unpack": unpack}
program.update(OBJECT=OBJECT, NETWORK=NETWORK, BOOK=BOOK, FALLBACK=FALLBACK)
if sys.argv[1:] == ["--source"]:
    print(text)
else:
    exec(compile(text, "PROGRAM", "exec"), program)
"""


def native_object(game: Game, cpu: str) -> bytes:
    """Return a shared object with the game's entry points, in which rules and weights are constants."""
    rules, rules_of_search, weights = rules_struct(game.variant), search_rules(game.variant), exported_weights(game)
    arguments = {name: tuple(entry.arguments) for name, entry in game.entries.items()}
    of_rules, of_search, of_root = (
        {name: arguments[name] for name in names} for names in (RULES_ENTRIES, game.search_entries, ROOT_ENTRIES)
    )
    rows = network_rows(game)
    size = 0 if rows is None else rows.nbytes
    addresses = {"weights": {(weights.dtype.fields or {})["network"][1]: 0}} if size else {}
    constants = {"rules": _trimmed(rules_of_search, game), "weights": weights.tobytes()}
    joined = tuple(library.joined() for library in reversed(game.libraries))
    if not game.has_own_rules:
        return shared_object([Part(joined, of_rules | of_search, constants, "", size, addresses)], cpu)
    parts = [
        Part(joined[1:], of_rules, {"rules": _trimmed(rules, game)}),
        Part(joined, of_search | of_root, constants, "search_", size, addresses),
    ]
    return shared_object(parts, cpu)


def _trimmed(struct: np.ndarray[Any, Any], game: Game) -> bytes:
    """Return the bytes of the rules `struct` with its unused Zobrist keys set to 0, because random numbers do not
    compress."""
    struct, variant = struct.copy(), game.variant
    rules = struct[0]
    rules["zobrist"][:, variant.squares :] = 0
    rules["zobrist"][:, :, len(variant.pieces) + 1 :] = 0
    if "zobrist_hand" in (struct.dtype.names or ()):
        rules["zobrist_hand"][:, int(rules["hand_types"]) + 1 :] = 0
        for piece in variant.pieces[: int(rules["hand_types"])]:
            if not variant.any_set_up:
                limit = pieces_of(variant, piece.letter)
                rules["zobrist_hand"][:, variant.letters[piece.letter], limit + 1 :] = 0
    return struct.tobytes()


def describe_fields(dtype: np.dtype[Any]) -> str:
    """Return a struct's fields as text for `arena.export.host.structs.struct_type`."""
    words = []
    for name in dtype.names or ():
        base, dimensions = dtype[name].base, "x".join(map(str, dtype[name].shape))
        words.append(f"{name}:{base.kind}{base.itemsize}:{dimensions}")
    return " ".join(words)


def write(game: Game, cpu: str = "x86-64", ascii_only: bool = False, fallback: str = "") -> str:
    """Return the text of the exported bot's file, without the comments at its head. `fallback` is a program that runs
    if the native code cannot be used."""
    position, thread = position_dtype(game.layout), thread_dtype(game.layout)
    thread_name = "kogoma.search.thread.thread_dtype"
    if game.variant.die:
        thread, thread_name = dice_thread_dtype(game.layout), "kogoma.search.dice.values.dice_thread_dtype"
    data: dict[str, str | int] = {"CPU": cpu, "POSITION": describe_fields(position), "THREAD": describe_fields(thread)}
    struct_types = {"kogoma.rules.layout.position_dtype": "POSITION", thread_name: "THREAD"}
    replaced = {
        place: STRUCT_TYPE.format(data=name, name=place.rpartition(".")[2]) for place, name in struct_types.items()
    }
    packed = {
        "OBJECT": lzma.compress(native_object(game, cpu), check=lzma.CHECK_CRC32, filters=FILTERS),
        "NETWORK": packed_network(game),
        "BOOK": game.settings.book,
        "FALLBACK": _compressed(fallback) if fallback else b"",
    }
    changes = Changes(
        {"kogoma.arena.export.host.data": _assignments(data)},
        INSTEAD,
        constant_structs(INSTEAD["kogoma.rules.library"]) | replaced,
        ("kogoma.arena.export.packing.unpack", *(f"kogoma.arena.export.host.data.{name}" for name in packed)),
    )
    packed["PROGRAM"] = _compressed(slim(program(game, changes, START)))
    values = {name: pack(content, ascii_only) if content else "" for name, content in packed.items()}
    return Bundle(Changes()).text(_assignments(values) + LOADER)


def _compressed(text: str) -> bytes:
    return lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)


def _assignments(values: Mapping[str, str | int]) -> str:
    return "".join(f"{name} = {_literal(value)}\n" for name, value in values.items())


def _literal(value: str | int) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
