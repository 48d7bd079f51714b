"""Export as a file whose search is native code: a shared object as text, with the bot's Python code.

The Python code is a program of whole modules (`program`). It reads and answers turns with the modules that
`./engine.sh codingame` uses, and calls the native code by `native_engine`. The file's constants describe the game.
"""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kogoma.arena.export import unpacking
from kogoma.arena.export.native_code import StructLayout
from kogoma.arena.export.network import network_rows, packed_network
from kogoma.arena.export.packing import pack
from kogoma.arena.export.program import program
from kogoma.arena.export.targets import Game
from kogoma.native.shared_object import Part, shared_object
from kogoma.rules.layout import position_dtype
from kogoma.rules.notation import pieces_of
from kogoma.rules.rules_struct import rules_struct
from kogoma.rules.structs import Fields, fields, new_struct
from kogoma.rules.variants import Variant
from kogoma.search.control import control_dtype, write_search
from kogoma.search.driver import SearchThread
from kogoma.search.game import search_game
from kogoma.search.limits import Limits, SearchOptions
from kogoma.web.game_data import describe_dtype

FILTERS = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]

# The modules of the program, each after those that it imports. The main module is the last.
ALWAYS = (
    "kogoma.console.lines",
    "kogoma.console.streams",
    "kogoma.native.processor",
    "kogoma.rules.variants",
    "kogoma.console.arguments",
    "kogoma.rules.geometry",
    "kogoma.rules.move_text",
    "kogoma.rules.notation",
    "kogoma.rules.onitama_cards",
    "kogoma.rules.onitama.notation",
    "kogoma.search.dice.curve",
    "kogoma.search.score",
    "kogoma.search.table_memory",
    "kogoma.arena.export.native_code",
    "kogoma.arena.export.native_engine",
    "kogoma.arena.export.native_bot",
)
FOR_CODINGAME = (
    "kogoma.rules.dice.die",
    "kogoma.arena.codingame.settings",
    "kogoma.arena.codingame.time_margin",
    "kogoma.arena.codingame.turn_reader",
    "kogoma.arena.codingame.shogi_turn",
    "kogoma.arena.codingame.onitama_turn",
    "kogoma.arena.codingame.arenas",
    "kogoma.arena.codingame.book",
    "kogoma.arena.codingame.bot",
    "kogoma.arena.codingame.turn_loop",
    "kogoma.arena.export.native_codingame",
)
FOR_CODEABBEY = (
    "kogoma.arena.codeabbey.notation",
    "kogoma.arena.codeabbey.record",
    "kogoma.arena.export.native_codeabbey",
)

# The entry points that the program calls: those that take the rules of the variant, and those that take only the rules
# of the search.
RULES_ENTRIES = ("init_position", "legal_moves", "play", "take_back", "begin")
SEARCH_ENTRIES = ("prepare", "iterate")

# The fields of the structs that the program uses, besides those that are not 0 at the start of a search.
POSITION_FIELDS = ("board", "hand", "cards", "side", "ply", "game_ply", "key")
THREAD_FIELDS = ("tt", "tt_mask", "generation", "nodes", "chance_curve")
LIMITS = ("started", "movetime", "network_delay", "depth_limit", "node_limit", "roll", "wanted", "wanted_count")
RESULTS = ("root_move", "root_count", "depth", "line", "line_score")
CONTROL_FIELDS = (*LIMITS, *RESULTS)


def native_object(game: Game, cpu: str) -> bytes:
    """Return a shared object with the game's entry points, in which the rules and the struct `game` are constants."""
    names = {name: tuple(game.entries[name].arguments) for name in (*RULES_ENTRIES, *SEARCH_ENTRIES)}
    struct, rows = search_game(game.variant, game.with_network).copy(), network_rows(game)
    _clear_unused_keys(fields(struct)["rules"], game.variant)
    fields(struct)["weights"]["network"] = 0  # instead of an address, which is valid in this process only
    place, size = describe_dtype(struct.dtype)["fields"]["network"][0], 0 if rows is None else rows.nbytes
    constants, addresses = {"game": struct.tobytes()}, {"game": {place: 0}} if size else {}
    joined = tuple(library.joined() for library in reversed(game.libraries))
    if not game.has_own_rules:
        # The struct begins with its rules. With one constant for both, LLVM sees that all kernels are called with it.
        for name, arguments in names.items():
            names[name] = tuple("game" if argument == "rules" else argument for argument in arguments)
        return shared_object([Part(joined, names, constants, "", size, addresses)], cpu)
    rules = rules_struct(game.variant).copy()
    _clear_unused_keys(fields(rules), game.variant)
    of_rules, of_search = ({name: names[name] for name in part} for part in (RULES_ENTRIES, SEARCH_ENTRIES))
    both = {"rules": rules.tobytes(), **constants}
    parts = [Part(joined, of_rules, both), Part(joined, of_search, constants, "", size, addresses)]
    return shared_object(parts, cpu)


def _clear_unused_keys(rules: Fields, variant: Variant) -> None:
    """Set the unused Zobrist keys of `rules` to 0, because random numbers do not compress."""
    rules["zobrist"][:, variant.squares :] = 0
    rules["zobrist"][:, :, len(variant.pieces) + 1 :] = 0
    if "zobrist_hand" in rules.dtype.names:
        rules["zobrist_hand"][:, int(rules["hand_types"]) + 1 :] = 0
        for piece in variant.pieces[: int(rules["hand_types"])]:
            if not variant.any_set_up:
                limit = pieces_of(variant, piece.letter)
                rules["zobrist_hand"][:, variant.letters[piece.letter], limit + 1 :] = 0


def structs(game: Game) -> dict[str, StructLayout]:
    """Return the layouts of the structs that the program uses."""
    layout = game.layout
    thread, control = SearchThread(game.variant).struct, new_struct(control_dtype(layout))
    if game.variant.die:
        fields(thread)["chance_curve"] = 0  # the program computes it
    write_search(fields(control), game.variant, Limits(), [], SearchOptions(), 0.0)
    return {
        "position": _layout(new_struct(position_dtype(layout)), POSITION_FIELDS),
        "thread": _layout(thread, THREAD_FIELDS),
        "control": _layout(control, CONTROL_FIELDS),
    }


def _layout(struct: np.ndarray[Any, Any], wanted: Sequence[str]) -> StructLayout:
    """Return the layout of a struct with the `wanted` fields, as far as it has them, and all numbers that are not 0.
    Fields that hold records are left out: only kernels use them."""
    dtype, places, values = struct.dtype, dict[str, tuple[int, str, int]](), dict[str, list[int]]()
    for name, (field, offset, *_) in (dtype.fields or {}).items():
        if field.base.names:
            continue
        content = np.asarray(struct[0][name]).ravel()
        if content.any():
            values[name] = content.tolist()
        if name in wanted or name in values:
            places[name] = (offset, f"{field.base.kind}{field.base.itemsize}", content.size)
    return dtype.itemsize, places, values


def write(game: Game, cpu: str = "x86-64", ascii_only: bool = False, fallback: str = "") -> str:
    """Return the text of the exported bot's file, without the comments at its head. `fallback` is a program that runs
    if the native code cannot be used."""
    settings, modules = game.settings, (*ALWAYS, *(FOR_CODINGAME if game.arena else FOR_CODEABBEY))
    plain = {
        "GAME": {
            "name": game.name,
            "variant": game.variant.name,
            "cpu": cpu,
            "margin": settings.margin,
            "hash": settings.hash_mb,
            "chat": settings.chat,
        },
        "STRUCTS": structs(game),
    }
    packed = {
        "OBJECT": lzma.compress(native_object(game, cpu), check=lzma.CHECK_CRC32, filters=FILTERS),
        "NETWORK": packed_network(game),
        "BOOK": settings.book,
        "FALLBACK": _compressed(fallback) if fallback else b"",
        "PROGRAM": _compressed(program(modules)),
    }
    lines = [f"{name} = {value!r}" for name, value in plain.items()]
    lines += [f'{name} = "{pack(content, ascii_only) if content else ""}"' for name, content in packed.items()]
    beginning = Path(unpacking.__file__).read_text(encoding="utf-8")
    return "\n".join([beginning, *lines, f'start(globals(), "{modules[-1]}")', ""])


def _compressed(text: str) -> bytes:
    return lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
