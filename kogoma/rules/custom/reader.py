"""Read a custom variant from the text of its file, and report all its errors."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable
from dataclasses import MISSING, fields, replace
from typing import Any

from kogoma.rules.custom.errors import Mistake, Place, VariantFileError, lines_of, shown
from kogoma.rules.custom.schema import GAME, PIECE, PIECES, Read
from kogoma.rules.custom.unsupported import mistakes_of_game, mistakes_of_pieces
from kogoma.rules.variants import ALIASES, BUILT_IN, Piece, Variant

LARGEST = 65536  # bytes of a file
NEEDED = tuple(one.name for one in fields(Variant) if one.default is MISSING and one.name not in ("rules", "pieces"))
TABLE = "piece"


def read_variant(data: bytes) -> Variant:
    """Return the variant that a file's content defines. Raises VariantFileError with all errors of the file."""
    if len(data) > LARGEST:
        raise VariantFileError([Mistake(1, f"larger than {LARGEST} bytes: a variant file is never that large")])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise VariantFileError([Mistake(line, f"not UTF-8 (byte {data[error.start]:#x})")]) from None
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise VariantFileError([_not_toml(text, str(error))]) from None
    except RecursionError:
        raise VariantFileError([Mistake(1, "too many nested brackets")]) from None
    return _Reader(table, lines_of(text)).game()


def _not_toml(text: str, message: str) -> Mistake:
    """Convert tomllib's error message to a Mistake with the line that the message names."""
    found = re.search(r" \(at line ([0-9]+), column ([0-9]+)\)$", message)
    if found is None:
        return Mistake(len(text.splitlines()) or 1, f"not TOML: {shown(message.removesuffix(' (at end of document)'))}")
    return Mistake(int(found[1]), f"not TOML: {shown(message[: found.start()])} (column {found[2]})")


class _Reader:
    """Reads a parsed TOML table and collects its errors."""

    def __init__(self, table: dict[str, Any], lines: dict[Place, int]) -> None:
        self._table, self._lines = table, lines
        self._mistakes: list[Mistake] = []
        self._piece_lines: dict[str, int] = {}  # by letter

    def game(self) -> Variant:
        """Return the variant that the table defines. Raises VariantFileError with all errors found."""
        given = self._values({name: value for name, value in self._table.items() if name != TABLE}, GAME, ())
        base = self._base(given.pop("like", None))
        if (name := given.get("name")) in BUILT_IN or name in ALIASES:
            self._mistake(("name",), f"name: {name} is the name of a built-in variant")
        wanted = given.pop("pieces", None)
        pieces = self._pieces(wanted, base)
        if base is None:
            self._need(NEEDED)
        elif "name" not in self._table:
            self._need(("name",))
        self._stop()
        if base is None:
            variant = Variant(**{"rules": "", **given}, pieces=pieces)
        else:
            variant = replace(base, **{"rules": "", **given}, pieces=pieces)
        variant = replace(variant, pieces=_in_order(variant))
        at, usual = self._piece_lines, self._line(("pieces",))
        self._mistakes += [Mistake(at.get(letter, usual), text) for letter, text in mistakes_of_pieces(variant)]
        self._stop()
        for key, text in mistakes_of_game(variant):
            self._mistake((key,), text)
        self._stop()
        return variant

    def _mistake(self, place: Place, reason: str) -> None:
        self._mistakes.append(Mistake(self._line(place), reason))

    def _line(self, place: Place) -> int:
        while place and place not in self._lines:
            place = place[:-1]
        return self._lines.get(place, 1)

    def _stop(self) -> None:
        if self._mistakes:
            raise VariantFileError(self._mistakes)

    def _need(self, names: Iterable[str]) -> None:
        if missing := [name for name in names if name not in self._table]:
            self._mistake((), f"missing: {', '.join(missing)}")

    def _values(self, table: dict[str, Any], readers: dict[str, Read], place: Place) -> dict[str, Any]:
        """Return the values of a TOML table by key. Values that cannot be read are left out, and their errors are
        recorded."""
        found = {}
        for key, value in table.items():
            at = (*place, key)
            if key not in readers:
                near = difflib.get_close_matches(key, readers, 1)
                meant = f": did you mean {near[0]}?" if near else f"; the keys are {', '.join(readers)}"
                self._mistake(at, f"unknown key {shown(key)}{meant}")
                continue
            try:
                found[key] = readers[key](value)
            except ValueError as error:
                self._mistake(at, f"{key} {error}")
        return found

    def _base(self, name: str | None) -> Variant | None:
        """Return the variant that the key `like` names, or None."""
        if name is None:
            return None
        base = BUILT_IN.get(ALIASES.get(name, name))
        if base is None:
            self._mistake(("like",), f"like: no built-in variant is called {shown(name)}; known: {', '.join(BUILT_IN)}")
        elif base.cards:
            self._mistake(("like",), f"like: {name} is played with cards, which a file can't describe")
            return None
        return base

    def _pieces(self, wanted: tuple[str, ...] | None, base: Variant | None) -> tuple[Piece, ...]:
        """Return all pieces of the variant, in any order: those of `wanted` (by default those of `base`), those that
        the file describes, and their promoted sides."""
        known = {piece.letter: piece for piece in base.pieces} if base else {}
        tables = self._table.get(TABLE, [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            self._mistake((TABLE,), "piece: begin each piece with a line [[piece]]")
            tables = []
        own: dict[str, Piece] = {}
        for index, table in enumerate(tables):
            piece = self._piece(table, (TABLE, index), {**known, **own})
            if piece is None:
                continue
            if piece.letter in own:
                self._mistake((TABLE, index), f"there are two pieces {piece.letter}")
            own[piece.letter] = piece
            self._piece_lines[piece.letter] = self._line((TABLE, index))
        plain = [letter for letter in own if not letter.startswith("+")]
        if wanted is None:
            wanted = tuple(letter for letter in known if not letter.startswith("+"))
        chosen = {**PIECES, **known, **own}
        found: dict[str, Piece] = {}
        for letter in dict.fromkeys((*wanted, *plain)):
            if letter not in chosen:
                self._mistake(("pieces",), f"pieces: {letter} is neither a [[piece]] of this file nor one of shogi's")
                continue
            found[letter] = chosen[letter]
        for letter in [piece.promotes_to for piece in found.values()]:
            if letter in chosen:
                found.setdefault(letter, chosen[letter])
        for letter in own:
            if letter not in found:
                self._mistake((TABLE, list(own).index(letter)), f"{letter}: no piece of the variant promotes to it")
        if not found and not self._mistakes:
            self._need(("pieces",))
        return tuple(found.values())

    def _piece(self, table: dict[str, Any], place: Place, known: dict[str, Piece]) -> Piece | None:
        before = len(self._mistakes)
        given = self._values(table, PIECE, place)
        like = given.pop("like", None)
        model = known.get(like, PIECES.get(like)) if like else None
        if like and model is None:
            self._mistake((*place, "like"), f"like: there is no piece {like}")
        if "letter" not in table:
            self._mistake(place, "missing: letter")
        if len(self._mistakes) > before:
            return None
        if model is None:
            return Piece(**given)
        return replace(model, **{"promotes_to": "", "name": "", "face": "", **given})


def _in_order(variant: Variant) -> tuple[Piece, ...]:
    """Return the pieces in the order of `Variant.pieces`: first those that can be in hand, then promoted sides that can
    be dropped, then the rest."""
    plain = [piece for piece in variant.pieces if not piece.letter.startswith("+") and not piece.royal]
    by_letter = {piece.letter: piece for piece in variant.pieces}
    turned = [by_letter[piece.promotes_to] for piece in plain if piece.promotes_to in by_letter]
    royal = [piece for piece in variant.pieces if piece.royal]
    first = [*plain, *(turned + royal if variant.drop_either_side else royal + turned)]
    return (*first, *(piece for piece in variant.pieces if piece not in first))
