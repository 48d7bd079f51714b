"""The formats of game records by file extension, and reading and writing files of games.

Formats that are read as a whole (KIF, KI2, CSA, JKF) are limited to MOST_BYTES; line-based files are read line by line.
Files are written atomically.
"""

from __future__ import annotations

import codecs
import errno
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from kogoma.console.arguments import CommandLineError
from kogoma.console.lines import counted
from kogoma.lab.journals.match_journal import read_records
from kogoma.lab.kifu.csa import csa, read_csa
from kogoma.lab.kifu.errors import GameError, wrapped
from kogoma.lab.kifu.game import Game, Note
from kogoma.lab.kifu.jkf import jkf, read_jkf
from kogoma.lab.kifu.journal_games import game_of, read_match, write_record
from kogoma.lab.kifu.kif import ki2, kif
from kogoma.lab.kifu.kif_reader import read_kif
from kogoma.lab.kifu.usi_lines import read_lines, sfen_line, usi_line
from kogoma.output_file import replacing
from kogoma.rules.variants import DEFAULT, Variant

MOST_BYTES = 16_000_000  # limit of files that are read as a whole
MAX_LINE_BYTES = 4_000_000
_NEWLINE = re.compile("\r\n|\r|\n")
_HALF_WIDTH = re.compile("[\uff61-\uff9f]")
_SAME = str.maketrans("\u301c\u2212\u2016", "\uff5e\uff0d\u2225")  # to the characters that cp932 has at these codes
_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}  # by the first bytes of a file
_SAME_IN_EUC = _SAME | str.maketrans("\xa2\xa3\xac", "\uffe0\uffe1\uffe2")
_UNUSED = dict.fromkeys((0x80, 0xF8F0, 0xF8F1, 0xF8F2, 0xF8F3), "\ufffd")  # what cp932 decodes unused bytes to
ENDINGS = (".kif", ".kifu", ".sfen")  # extensions of a match's exports


class FormatError(GameError, CommandLineError):
    """A file or a format that a command cannot use; the message is one line."""


class Format(NamedTuple):
    """A format. `between` separates two games. `lines` says whether each game is one line, and `single` whether other
    programs read only one game of a file. `loses` names what the format cannot store."""

    encoding: str
    write: Callable[[Game, int], str]
    read: Callable[[Iterable[str], Variant], Iterator[Game]]
    between: str = ""
    lines: bool = False
    single: bool = False
    loses: str = ""


_LINES, _JOURNAL = "comments, times and variations", "comments and variations"
FORMATS = {
    "kif": Format("cp932", lambda game, _: kif(game), read_kif, "\n", single=True),  # Shift_JIS, as programs expect it
    "kifu": Format("utf-8", lambda game, _: kif(game), read_kif, "\n", single=True),
    "ki2": Format("cp932", lambda game, _: ki2(game), read_kif, "\n", single=True, loses="times and rolls"),
    "ki2u": Format("utf-8", lambda game, _: ki2(game), read_kif, "\n", single=True, loses="times and rolls"),
    "csa": Format("utf-8", lambda game, _: csa(game), lambda lines, _: read_csa(lines), "/\n", loses="variations"),
    "jkf": Format("utf-8", lambda game, _: jkf(game), lambda lines, _: read_jkf(lines), single=True),
    "usi": Format("utf-8", lambda game, _: usi_line(game), read_lines, lines=True, loses=_LINES),
    "sfen": Format("utf-8", lambda game, _: sfen_line(game), read_lines, lines=True, loses=_LINES),
    "jsonl": Format("utf-8", write_record, lambda lines, _: read_match(lines), lines=True, loses=_JOURNAL),
}


def format_of(name: str) -> str:
    """Return the format of a file, which its extension determines. Raises FormatError for an unknown extension, OSError
    for a folder."""
    ending = Path(name).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        if Path(name).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
        names = ", ".join(f".{each}" for each in FORMATS)
        raise FormatError(f"{name}: unknown extension; known: {names}", code="unknown-extension")
    return ending


def read_games(source: Path | BinaryIO, form: str, preferred: Variant = DEFAULT) -> Iterator[Game]:
    """Yield the games of a file or stream in the format `form`. A record that does not name its variant belongs to
    `preferred`, if it fits that variant. Raises GameError for text that is not a game record, even after valid games,
    and OSError if the source cannot be read."""
    if form not in FORMATS:
        raise FormatError.of("unknown-format", text=form, names=", ".join(FORMATS))
    reader = FORMATS[form].read
    if isinstance(source, Path):
        with open(source, "rb") as file:
            yield from read_games(file, form, preferred)
        return
    undecodable: list[Note] = []
    try:
        for game in reader(lines_of(source, form, undecodable), preferred):
            game.notes += undecodable
            undecodable.clear()
            yield game
    except GameError:
        raise
    except ValueError as error:
        raise wrapped(error) from None


def lines_of(stream: BinaryIO, form: str = "sfen", undecodable: list[Note] | None = None) -> Iterator[str]:
    """Yield the decoded lines of a stream in the format `form`, or in any other format that is read by line. The first
    line may begin with a byte order mark, and lines may end in any way. If characters could not be decoded, add a note
    to `undecodable`. Raises GameError for text that cannot be decoded, except in a match journal, whose reader skips
    invalid lines."""
    notes = [] if undecodable is None else undecodable
    if not FORMATS[form].lines:
        yield from _whole(stream, notes)
        return
    number = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            raise GameError.of("long-line", n=MAX_LINE_BYTES // 1_000_000).at(number, 1)
        if form == "jsonl":
            yield line.decode("utf-8", errors="surrogateescape")
        elif number == 1 and line.startswith(tuple(_UTF_16)):
            yield from _whole(stream, notes, line)
            return
        else:
            yield from _NEWLINE.split(decode(line, number).rstrip("\r\n"))


def _whole(stream: BinaryIO, undecodable: list[Note], start: bytes = b"") -> list[str]:
    """Return the lines of a stream, of which `start` has been read already."""
    data = start + stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise GameError.of("large-file", n=MOST_BYTES // 1_000_000)
    lines = _NEWLINE.split(decode(data))
    if (number := next((number for number, line in enumerate(lines, 1) if "\ufffd" in line), 0)) > 0:
        undecodable.append(Note("undecodable", number, lines[number - 1]))
    return lines


def decode(data: bytes, number: int = 1) -> str:
    """Decode text that is in UTF-8, Shift_JIS or EUC-JP, whichever fits, or in UTF-16 with a byte order mark. A few
    characters that cannot be decoded are replaced by U+FFFD. Raises GameError for data that is not a text. `number` is
    the number of the first line."""
    for mark, encoding in _UTF_16.items():
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors="replace")
    data = data.rstrip(b"\x1a")  # the end of a file of DOS
    if b"\0" in data:
        raise GameError.of("not-text").at(*_place_after(data[: data.index(b"\0")], number))
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        first = error.start
    # A text in EUC-JP, read as Shift_JIS, is full of half-width katakana. A name in these, read as EUC-JP, is damaged.
    texts = [data.decode(encoding, errors="replace") for encoding in ("cp932", "euc_jp", "utf-8")]
    texts[:2] = texts[0].translate(_UNUSED), texts[1].translate(_SAME_IN_EUC)  # as browsers decode
    text = min(texts, key=lambda text: len(_HALF_WIDTH.findall(text)) + 10 * text.count("\ufffd"))
    if 20 * text.count("\ufffd") > len(text):
        raise GameError.of("unknown-encoding").at(*_place_after(data[:first], number))
    return text.removeprefix("\ufeff")


def _place_after(data: bytes, number: int) -> tuple[int, int]:
    """Return line and column of what follows `data`, whose first line is line `number`."""
    lines = data.decode("utf-8", errors="replace").removeprefix("\ufeff").split("\n")
    return number + len(lines) - 1, len(lines[-1]) + 1


def games_as_bytes(games: Iterable[Game], form: str, lost: Counter[str] | None = None) -> Iterator[bytes]:
    """Yield games in a format, one after another, as bytes. Characters that the encoding lacks become question marks,
    and are counted in `lost`. Raises GameError for a game that the format cannot store."""
    if form not in FORMATS:
        raise FormatError.of("unknown-format", text=form, names=", ".join(FORMATS))
    made = FORMATS[form]
    for number, game in enumerate(games):
        text = made.between * bool(number) + made.write(game, number)
        if made.encoding != "utf-8":
            text = text.translate(_SAME)
        if lost is not None and (data := text.encode(made.encoding, errors="ignore").decode(made.encoding)) != text:
            lost.update((Counter(text) - Counter(data)).elements())
        yield text.encode(made.encoding, errors="replace")


def lost_text(target: Path, form: str, lost: Counter[str]) -> str:
    """Return a message about the characters that were lost when games were written to `target`."""
    letters, count = " ".join(sorted(lost)[:10]), sum(lost.values())
    return f"{target}: Shift_JIS lacks {letters}: {counted(count, 'question mark')} written; .{form}u stores them"


def write_games(
    path: Path,
    games: Iterable[Game],
    form: str,
    *,
    together: bool = False,
    inputs: Iterable[Path] = (),
    lost: Counter[str] | None = None,
) -> tuple[list[Path], int]:
    """Write games to a file atomically, and return the files written and the number of games.

    If the format usually holds one game per file (`single`), each of several games gets a file of its own:
    NAME-001.kif, NAME-002.kif, ... If `together` is set, they are all written to `path`. `lost` counts characters that
    the encoding lacks. Raises GameError for a game
    that the format cannot store, or if a file in `inputs` would be overwritten. Raises OSError if a file cannot be
    written.
    """
    sources = {source.resolve() for source in inputs}
    is_special = path.exists() and not path.is_file()  # a device or a pipe, which cannot be replaced atomically
    waiting = iter(games)
    first = list(islice(waiting, 2))
    if together or len(first) < 2 or form not in FORMATS or not FORMATS[form].single or is_special:
        return [path], _write_file(path, chain(first, waiting), form, sources, lost)
    files = []
    for number, game in enumerate(chain(first, waiting), 1):
        files.append(path.with_stem(f"{path.stem}-{number:03}"))
        _write_file(files[-1], [game], form, sources, lost)
    return files, len(files)


def _write_file(path: Path, games: Iterable[Game], form: str, sources: set[Path], lost: Counter[str] | None) -> int:
    """Write games to one file atomically, and return their number. Raises GameError if `path` is in `sources`."""
    if path.resolve() in sources:
        raise FormatError.of("overwrites-input", path=path)
    count = 0
    with replacing(path) as file:
        for piece in games_as_bytes(games, form, lost):
            file.write(piece)
            count += 1
    return count


def export(records: Path, path: Path) -> list[Path]:
    """Write all games of a match journal to `path`, in the order of their numbers, and return the files written. The
    extension of `path` selects the format. Raises OSError if a file cannot be read or written."""
    games = sorted(read_records(records).games, key=lambda game: int(game["game"]))
    return write_games(path, map(game_of, games), format_of(path.name))[0]


def file_range(files: list[Path]) -> str:
    """Return a text for messages: the name of the only file, or "FIRST to LAST" for several files."""
    return str(files[0]) if len(files) == 1 else f"{files[0]} to {files[-1].name}"
