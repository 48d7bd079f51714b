"""The file whose search is native code: the shared object as text, and the adapter's own Python around it."""

from __future__ import annotations

import lzma
from typing import Any

import numpy as np

from arena.export.games import ROOT_ENTRIES, RULES_ENTRIES, Game
from arena.export.packing import pack
from arena.export.program import program
from eval.weights import tuned
from rules.native.layout import position_dtype
from rules.native.library import Library
from rules.native.rules_record import rules_record
from rules.native.shared_object import Part, shared_object
from rules.notation import pieces_of
from search.dice.values import dice_thread_dtype
from search.thread import thread_dtype

FILTERS = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
TERMS = ("term", "term_hand")  # what the search's rules have besides the game's

# What the engine builds, loads or allocates is in the file, or made by `arena.export.host`.
REPLACED = {
    "rules.native.rules_record.rules_record": (
        "from arena.export.host.library import RULES\ndef rules_record(variant):\n    return RULES\n"
    ),
    "eval.weights.tuned": (
        "from arena.export.host.library import SEARCH_RULES, WEIGHTS\n"
        "def tuned(variant):\n    return SEARCH_RULES, WEIGHTS\n"
    ),
    "search.library.warmup": (
        "from arena.export.host.library import native_code\ndef warmup(report, *variants):\n    native_code()\n"
    ),
    "rules.native.layout.position_dtype": (
        "from arena.export.host.data import POSITION\nfrom arena.export.host.records import shape\n"
        "from functools import cache\n"
        "@cache\ndef position_dtype(layout):\n    return shape(POSITION)\n"
    ),
}
THREAD = (
    "from arena.export.host.data import THREAD\nfrom arena.export.host.records import shape\n"
    "from functools import cache\n"
    "@cache\ndef {name}(layout):\n    return shape(THREAD)\n"
)
HOSTS = {"rules.native.record": "arena.export.host.records", "rules.native.library": "arena.export.host.library"}


IMPORTS = """
import lzma

from arena.export.host.data import FALLBACK
from arena.export.host.library import NativeError, native_code
from arena.export.packing import unpack
"""
START = """
if __name__ == "__main__":
    try:
        native_code()
    except NativeError as error:
        if not FALLBACK:
            sys.exit(f"kogoma: {error}")
        print(f"kogoma: {error}: going on in plain Python", file=sys.stderr)
        exec(lzma.decompress(unpack(FALLBACK)).decode(), {"__name__": "__main__"})
    else:
        main()
"""


def native_object(game: Game, cpu: str) -> bytes:
    """The game's entries as a shared object; its rules and weights are constants in it."""
    from rules.native.build import entries_of

    rules_library, search_library = game.libraries
    rules, (search_rules, weights) = rules_record(game.variant), tuned(game.variant)
    arguments = {
        library: {name: tuple(entry.arguments) for name, entry in entries_of(library.modules).items()}
        for library in game.libraries
    }

    def entries(library: Library, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        return {name: arguments[library][name] for name in names}

    of_rules, of_search = entries(rules_library, RULES_ENTRIES), entries(search_library, game.search_entries)
    constants = {"rules": _trimmed(search_rules, game), "weights": weights.tobytes()}
    joined = (search_library.joined(), rules_library.joined())
    if _same_game(rules, search_rules):
        return shared_object([Part(joined, of_rules | of_search, constants)], cpu)
    parts = [
        Part(joined[1:], of_rules, {"rules": _trimmed(rules, game)}),
        Part(joined, of_search | entries(rules_library, ROOT_ENTRIES), constants, "search_"),
    ]
    return shared_object(parts, cpu)


def _same_game(rules: np.ndarray[Any, Any], search_rules: np.ndarray[Any, Any]) -> bool:
    """Whether the search plays by the game's own rules, scores apart."""
    names = [name for name in rules.dtype.names or () if name not in TERMS]
    return all(np.array_equal(rules[name], search_rules[name]) for name in names)


def _trimmed(record: np.ndarray[Any, Any], game: Game) -> bytes:
    """The record's bytes, without random keys that the game never asks for: they can't be compressed."""
    record, variant = record.copy(), game.variant
    rules = record[0]
    rules["zobrist"][:, variant.squares :] = 0
    rules["zobrist"][:, :, len(variant.pieces) + 1 :] = 0
    if "zobrist_hand" in (record.dtype.names or ()):
        rules["zobrist_hand"][:, int(rules["hand_types"]) + 1 :] = 0
        for piece in variant.pieces[: int(rules["hand_types"])]:
            if not variant.any_set_up:
                limit = pieces_of(variant, piece.letter)
                rules["zobrist_hand"][:, variant.letters[piece.letter], limit + 1 :] = 0
    return record.tobytes()


def described(dtype: np.dtype[Any]) -> str:
    """A record's fields for `arena.export.host.records.shape`."""
    words = []
    for name in dtype.names or ():
        base, dimensions = dtype[name].base, "x".join(map(str, dtype[name].shape))
        words.append(f"{name}:{base.kind}{base.itemsize}:{dimensions}")
    return " ".join(words)


def native_program(game: Game, cpu: str = "x86-64", ascii_only: bool = False, fallback: str = "") -> str:
    """The program, without its head. `fallback` is another program, which goes on where the native code can't."""
    position, thread = position_dtype(game.layout), thread_dtype(game.layout)
    if game.variant.die:
        thread = dice_thread_dtype(game.layout)
    data = {
        "CPU": cpu,
        "OBJECT": pack(lzma.compress(native_object(game, cpu), check=lzma.CHECK_CRC32, filters=FILTERS), ascii_only),
        "FALLBACK": pack(lzma.compress(fallback.encode()), ascii_only) if fallback else "",
        "TABLES": "",
        "POSITION": described(position),
        "THREAD": described(thread),
    }
    name = "dice_thread_dtype" if game.variant.die else "thread_dtype"
    replaced = REPLACED | {f"search.{'dice.values' if game.variant.die else 'thread'}.{name}": THREAD.format(name=name)}
    return program(game, data, HOSTS, replaced, IMPORTS, START)
