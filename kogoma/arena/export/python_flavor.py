"""Export as a file of plain Python: `plain_bot.py` with the settings of a game."""

from __future__ import annotations

import re
from pathlib import Path

from kogoma.arena.codingame.book import KEY, unpacked_book
from kogoma.arena.export import plain_bot
from kogoma.arena.export.targets import Game
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant

BOOK_ENTRIES_IN_LINE = 5
SETTINGS = re.compile(r"^# ---- Settings:.*?^# ---- End of the settings\.$", re.DOTALL | re.MULTILINE)


def write(game: Game) -> str:
    """Return the text of the exported bot's file, without the comments at its head."""
    settings = game.settings
    text = Path(plain_bot.__file__).read_text(encoding="utf-8")
    values: dict[str, object] = {
        "GAME": f'"{game.name}"',
        "MARGIN": settings.margin,
        "HASH_MB": settings.hash_mb,
        "CHAT": settings.chat,
    }
    if settings.book:
        values["BOOK"] = book_text(settings.book, game.variant)

    def with_values(lines: re.Match[str]) -> str:
        """Return the lines of the settings with their values; the rest of each line is a comment."""
        given = []
        for line in lines[0].splitlines():
            name, equals, rest = line.partition(" = ")
            value = values.get(name) if equals else None
            given.append(line if value is None else f"{name} = {value}  {rest[rest.index('#') :]}")
        return "\n".join(given)

    return SETTINGS.sub(with_values, text)


def book_text(packed: bytes, variant: Variant) -> str:
    """Return an opening book in the format of `arena.codingame.book` as the text of a Python literal, which lists a
    position's checksum and the move of each entry."""
    book, entries = unpacked_book(packed), dict[str, str]()
    tables = plain_bot.Tables("minishogi")

    def visit(position: BasePosition) -> None:
        """Add the entries of `position` and of those that follow from it by the book's moves and any replies."""
        move = book.get(position.key & KEY)
        key = plain_bot.book_key(plain_bot.shogi_position(tables, position.sfen()))
        if move is None or key in entries:
            return
        own = position.usi(move)
        entries[key] = re.sub("[a-e]", lambda row: str("abcde".index(row[0]) + 1), own)
        position.push(own)
        visit_replies(position)
        position.pop()

    def visit_replies(position: BasePosition) -> None:
        for reply in position.legal_moves():
            position.push(reply)
            visit(position)
            position.pop()

    start = new_position(variant)
    visit(start)
    visit_replies(start)
    words = [f"{key} {move}" for key, move in sorted(entries.items())]
    lines = [" ".join(words[i : i + BOOK_ENTRIES_IN_LINE]) for i in range(0, len(words), BOOK_ENTRIES_IN_LINE)]
    return '"""\n' + "\n".join(lines) + '\n"""'
