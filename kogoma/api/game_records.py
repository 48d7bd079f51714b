"""Records of games for scripts: read, made and written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from kogoma.lab.kifu.formats import FORMATS, format_of
from kogoma.lab.kifu.formats import read_games as games_of
from kogoma.lab.kifu.formats import write_games as write
from kogoma.lab.kifu.game import Game, GameError
from kogoma.rules.variants import DEFAULT, find


def read_games(
    source: str | Path | BinaryIO, *, format: str | None = None, variant: str = DEFAULT.name
) -> Iterator[Game]:
    """All games of a file, each as it is complete, or of a binary stream, which needs the `format`: "kif", "kifu",
    "csa", "usi", "sfen" or "jsonl". `variant` is the game where a record does not tell.

    Every move is checked. Where one is illegal, or a line can't be read, `error` of the game names line and move, and
    the game holds what stands before. GameError for what is no record; OSError.
    """
    if isinstance(source, (str, Path)):
        return games_of(Path(source), format or format_of(str(source)), find(variant))
    if format is None:
        raise GameError("a stream needs the format of its records")
    return games_of(source, format, find(variant))


def read_game(source: str | Path | BinaryIO, *, format: str | None = None, variant: str = DEFAULT.name) -> Game:
    """The first game of a file or stream, as `read_games` reads it. GameError also where its record is wrong in the
    middle: the error's `game` is then what stands before.

    >>> import io
    >>> game = read_game(io.BytesIO(b"position startpos moves 7g7f 3c3d"), format="usi")
    >>> game.variant.name, game.moves, game.outcome
    ('shogi', ['7g7f', '3c3d'], None)
    """
    game = next(read_games(source, format=format, variant=variant), None)
    if game is None:
        raise GameError(f"there is no game in {source}")
    if game.error:
        raise GameError(game.error, game)
    return game


def write_game(game: Game, path: str | Path, *, format: str | None = None) -> None:
    """Write a game to a file, which is complete or as it was before. The format is told by the ending: .kif
    (Shift_JIS), .kifu (UTF-8), .ki2, .ki2u, .csa, .usi, .sfen or .jsonl. GameError for a game that it can't say;
    OSError."""
    write(Path(path), [game], format or format_of(str(path)))


def game_text(game: Game, format: str = "kifu") -> str:
    """A game as text in that format. GameError for a game that it can't say.

    >>> print(game_text(Game.played("shogi", ["7g7f", "3c3d", "8h2b+"]), "ki2u").splitlines()[-1])
    ▲７六歩    △３四歩    ▲２二角成
    """
    if format not in FORMATS:
        raise GameError(f"unknown format {format!r:.20}; known: {', '.join(FORMATS)}")
    return FORMATS[format].write(game, 0)
