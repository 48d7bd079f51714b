"""Read and write game records."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from kogoma.lab.kifu.formats import FORMATS, format_of, lost_text
from kogoma.lab.kifu.formats import read_games as games_of
from kogoma.lab.kifu.formats import write_games as write
from kogoma.lab.kifu.game import Game, GameError
from kogoma.rules.variants import DEFAULT, find


def read_games(
    source: str | Path | BinaryIO, *, format: str | None = None, variant: str = DEFAULT.name
) -> Iterator[Game]:
    """Yield the games of a file or a binary stream, each as soon as it is complete. A stream needs a `format`: "kif",
    "kifu", "ki2", "ki2u", "csa", "jkf", "usi", "sfen" or "jsonl". `variant` is used if a record does not name its
    variant. Every move is checked: if one is illegal or a line cannot be read, the game's `error` names the line and
    the move, and the game holds the moves before it; its `notes` tell what was not kept. Raises GameError if the source
    is not a game record, OSError if it cannot be read."""
    if isinstance(source, (str, Path)):
        return games_of(Path(source), format or format_of(str(source)), find(variant))
    if format is None:
        raise GameError("to read a stream, give its format")
    return games_of(source, format, find(variant))


def read_game(source: str | Path | BinaryIO, *, format: str | None = None, variant: str = DEFAULT.name) -> Game:
    """Return the first game of a file or stream. The arguments are those of `read_games`.

    Raises GameError if there is no game or if the game has an error. In the second case, the exception's `game` holds
    the moves before the error.

    >>> import io
    >>> game = read_game(io.BytesIO(b"position startpos moves 7g7f 3c3d"), format="usi")
    >>> game.variant.name, game.moves, game.outcome
    ('shogi', ['7g7f', '3c3d'], None)
    """
    game = next(read_games(source, format=format, variant=variant), None)
    if game is None:
        raise GameError(f"there is no game in {source}")
    if game.trouble:
        game.trouble.game = game
        raise game.trouble
    return game


def write_game(game: Game, path: str | Path, *, format: str | None = None) -> None:
    """Write a game to a file atomically. The extension selects the format, unless `format` is given: .kif (Shift_JIS),
    .kifu (UTF-8), .ki2, .ki2u, .csa, .jkf, .usi, .sfen or .jsonl. Raises GameError if the format cannot store the game,
    OSError if the file cannot be written. Characters that Shift_JIS lacks become question marks, with a warning."""
    form, lost = format or format_of(str(path)), Counter[str]()
    write(Path(path), [game], form, lost=lost)
    if lost:
        warnings.warn(lost_text(Path(path), form, lost), stacklevel=2)


def game_text(game: Game, format: str = "kifu") -> str:
    """Return a game as text in a format. Raises GameError if the format cannot store it.

    >>> print(game_text(Game.played("shogi", ["7g7f", "3c3d", "8h2b+"]), "ki2u").splitlines()[-1])
    ▲７六歩    △３四歩    ▲２二角成
    """
    if format not in FORMATS:
        raise GameError(f"unknown format {format!r:.20}; known: {', '.join(FORMATS)}")
    return FORMATS[format].write(game, 0)
