"""The arenas' command lines: words, switches, and options with a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.lines import clip


def parse_options(
    words: Sequence[str], numbers: Mapping[str, tuple[int, int]], switches: Sequence[str] = ()
) -> tuple[list[str], dict[str, int]]:
    """The plain words, and the options that were given: `numbers` maps a name to its least and greatest value, a
    switch's value is 1. `--name N` and `--name=N` are the same; ValueError says what can't be used."""
    plain: list[str] = []
    found: dict[str, int] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            plain.append(word)
            continue
        name, equals, value = word.partition("=")
        if name in switches and not equals:
            found[name] = 1
        elif name in numbers:
            if not equals and not rest:
                raise ValueError(f"{name} needs a number")
            value = value if equals else rest.pop(0)
            least, greatest = numbers[name]
            if not (value.isascii() and value.isdigit() and least <= int(value[:18]) <= greatest):
                raise ValueError(f"{name} must be a number from {least} to {greatest}, not {clip(value)}")
            found[name] = int(value)
        else:
            raise ValueError(f"unknown option {clip(word)}")
    return plain, found
