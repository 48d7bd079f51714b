"""Type aliases of the rules' kernels; for mypy they are `Any` (see `native.types`).

Integers are uint64 unless stated otherwise. `rules.layout` describes the fields of the structs.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

Rules: TypeAlias = Annotated[Any, "struct"]
"""The read-only struct of a variant's rules (`rules.layout.rules_dtype`)."""

Position: TypeAlias = Annotated[Any, "struct"]
"""The struct of a position and of the moves that led to it (`rules.layout.position_dtype`)."""

Side: TypeAlias = Annotated[Any, "uint64"]
"""0 for Black, 1 for White."""

Square: TypeAlias = Annotated[Any, "uint64"]
"""A square's number, from 0 at the top-left corner, row by row, as Black sees the board."""

PieceType: TypeAlias = Annotated[Any, "uint64"]
"""A piece type's number, from 1 in the order of `Variant.pieces`; 0 is "no piece"."""

Move: TypeAlias = Annotated[Any, "uint64"]
"""A move in 16 bits (`rules.move_encoding`); 0 is "no move"."""

MoveList: TypeAlias = Annotated[Any, "uint16 array"]
"""An array of uint16 moves, at least `rules.layout.MAX_MOVES` long."""

MoveLists: TypeAlias = Annotated[Any, "struct"]
"""The struct with one list of moves for each depth (`rules.layout.moves_dtype`)."""

Key: TypeAlias = Annotated[Any, "uint64"]
"""A Zobrist hash key of 64 bits."""

Ply: TypeAlias = Annotated[Any, "int64", "uint64"]
"""A number of half-moves, as int64 or uint64: from the root of a search, or from the start of the game."""

Score: TypeAlias = Annotated[Any, "int64"]
"""A score in centipawns as int64, positive if the side to move is better unless a docstring names another side."""

Depth: TypeAlias = Annotated[Any, "int64"]
"""A search depth in plies, as int64."""

Cards: TypeAlias = Annotated[Any, "uint64"]
"""Onitama's five cards, packed into one integer (`rules.onitama.moves`)."""
