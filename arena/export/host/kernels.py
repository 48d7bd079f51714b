"""In an exported file of plain Python: the kernels of one game, translated. Here the places are empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Position:
    """The record of a position: a class with the fields of `rules.native.layout.position_dtype`."""

    __slots__: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Any:
        raise NotImplementedError

    def __setitem__(self, name: str, value: Any) -> None:
        raise NotImplementedError


class Thread(Position):
    """The record of a search thread."""


memory: list[int] = []  # the transposition table's words
ENTRIES: dict[str, Callable[..., int]] = {}  # by their names, those with the search's own rules after "search_"
