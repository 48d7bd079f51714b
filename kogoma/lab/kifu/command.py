"""The command `convert`: convert game records from one format to another."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from kogoma.console.arguments import CommandLineError, variant
from kogoma.console.lines import counted
from kogoma.japanese import message
from kogoma.lab.kifu.formats import FORMATS, file_range, format_of, games_as_bytes, lost_text, read_games, write_games
from kogoma.lab.kifu.game import Game, GameError, Note, note_lines
from kogoma.output_file import error_text
from kogoma.rules.variants import DEFAULT, Variant

PIPE = "-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `convert` to a parser."""
    parser.add_argument("sources", nargs="+", metavar="IN", help="files to read; - is standard input")
    parser.add_argument("target", metavar="OUT", help="a file to write, - for standard output, or a folder (with --to)")
    parser.add_argument("--from", dest="from_", choices=FORMATS, help="the format of IN, if not that of its extension")
    parser.add_argument("--to", choices=FORMATS, help="the format of OUT, if not that of its extension")
    together = "write all games to one file, which other programs may not read if it is KIF, KI2 or JKF"
    parser.add_argument("--together", action="store_true", help=together)
    usual = "the variant, if a record fits several (default: shogi, and minishogi on 5x5)"
    parser.add_argument("--variant", type=variant, default=DEFAULT, metavar="VARIANT", help=usual)
    parser.epilog = "Extensions: " + ", ".join(f".{name}" for name in FORMATS) + "."


def run(given: argparse.Namespace) -> int:
    """Run `convert` and return its exit code: 1 if a record could not be read completely or nothing could be written.
    Raises CommandLineError if the arguments do not fit together."""
    target = Path(given.target)
    is_folder = target.is_dir() or given.target.endswith("/")
    if not is_folder and (len(given.sources) == 1 or given.together or given.target == PIPE):
        return 0 if _convert(given.sources, target, given) else 1
    if not is_folder and (not given.to or target.exists()):
        raise CommandLineError(
            f"{target}: several files are written to a folder, in the format of --to, or to one file with --together"
        )
    if not given.to:
        raise CommandLineError(f"{target}: to write to a folder, name the format of the files with --to")
    names = [Path("standard-input" if name == PIPE else name).stem for name in given.sources]
    if twice := [name for name in names if names.count(name) > 1]:
        raise CommandLineError(f"two input files would both be written to {target / twice[0]}.{given.to}")
    target.mkdir(parents=True, exist_ok=True)
    succeeded = [_convert([name], target / f"{stem}.{given.to}", given) for name, stem in zip(given.sources, names)]
    return 0 if all(succeeded) else 1


def _convert(sources: list[str], target: Path, given: argparse.Namespace) -> bool:
    """Read the games of `sources` and write them to `target`. Print errors, and return False if there were any."""
    notes, lost = Counter[str](), Counter[str]()
    to_pipe = str(target) == PIPE
    if to_pipe and not given.to:
        raise CommandLineError("to write to standard output, name the format with --to")
    form = given.to or format_of(str(target))
    troubles: list[str] = []
    games = _noted(_games(sources, given.from_, given.variant, troubles), FORMATS[form].loses, notes)
    try:
        if to_pipe:
            for piece in games_as_bytes(games, form, lost):
                sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
        else:
            inputs = [Path(name) for name in sources if name != PIPE]
            files, count = write_games(target, games, form, together=given.together, inputs=inputs, lost=lost)
            print(f"{file_range(files)}: {counted(count, 'game')}", file=sys.stderr)
    except (BrokenPipeError, CommandLineError):
        raise
    except GameError as error:
        troubles.append(f"{' '.join(sources)}: {error}")
    except OSError as error:
        if to_pipe:
            raise
        troubles.append(error_text(error))
    for text in troubles:
        _tell(text)
    for loss, count in notes.items():
        _tell(f"{target}: {form} cannot store {loss}, which {count} game{'s have' if count != 1 else ' has'}")
    if lost:
        _tell(lost_text(target, form, lost))
    return not troubles


def _games(sources: list[str], form: str | None, preferred: Variant, troubles: list[str]) -> Iterator[Game]:
    """Yield the games of all sources, and append error messages to `troubles`. Raises GameError or OSError if no game
    could be read before the error."""
    count = 0
    for name in sources:
        source: Path | BinaryIO = sys.stdin.buffer if name == PIPE else Path(name)
        if name == PIPE and not form:
            raise CommandLineError("to read standard input, name its format with --from")
        notes: list[Note] = []
        try:
            for game in read_games(source, form or format_of(name), preferred):
                if game.error:
                    kept = len(game.moves)
                    are = "is" if kept == 1 else "are"
                    troubles.append(f"{name}: {game.error}; {counted(kept, 'move')} before that {are} kept")
                notes += game.notes
                count += 1
                yield game
        except (GameError, OSError) as error:
            if not count or isinstance(error, CommandLineError):
                raise
            troubles.append(error_text(error) if isinstance(error, OSError) else f"{name}: {error}")
        for line in note_lines(notes):
            _tell(f"{name}: {line}")
    if not count:
        raise GameError.of("no-record-there")


def _noted(games: Iterable[Game], loses: str, notes: Counter[str]) -> Iterator[Game]:
    """Yield the games unchanged. `loses` names the features that the new format cannot store; for each of them, `notes`
    counts the games that have it."""
    for game in games:
        notes.update(losses(game, loses))
        yield game


def losses(game: Game, loses: str) -> list[str]:
    """Return those of "comments", "times", "variations" and "rolls" that a game has but a format cannot store. `loses`
    is a text that names what the format cannot store."""
    steps = [step for _, line in game.lines() for step in line.entries]
    has = {
        "comments": bool(game.comment or any(step.comment for step in steps)),
        "times": any(step.time_ms for step in steps),
        "variations": any(step.variations for step in steps),
        "rolls": any(step.dice for step in game.main.steps),
    }
    return [name for name, is_there in has.items() if is_there and name in loses]


def _tell(text: str) -> None:
    print(f"convert: {message(text)}", file=sys.stderr)
