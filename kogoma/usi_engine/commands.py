"""The commands of the command line, apart from the engine itself. Loaded only if a command is given."""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from kogoma.arena.arguments import variant, whole_number
from kogoma.output_file import error_text
from kogoma.rules.custom.errors import VariantFileError, shown
from kogoma.rules.variants import DEFAULT, VARIANTS, Variant, infer
from kogoma.usi_engine import japanese

Run = Callable[[argparse.Namespace], int | None]
WIDTH, COLUMN = 80, 32  # width of the list of commands, and of its first column
USAGE = "usage: {program} [COMMAND ...]"  # before and after the list of commands
END = (
    "--variants FILE, anywhere, adds a custom variant; docs/custom-variants.md.",
    "COMMAND --help lists the options of a command.",
)
CHECKED_PLIES = 3  # perft depth that `check` shows

depth = whole_number(1, 100)


class UsageError(Exception):
    """An invalid command line."""


class Parser(argparse.ArgumentParser):
    """An argparse parser whose errors take two lines: the error and the usage."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False, formatter_class=_Formatter)

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the message and the usage."""
        message, usage = (" ".join(text.split()) for text in (message, self.format_usage()))
        if len(usage) > WIDTH:
            usage = f"usage: {self.prog} ... (see --help)"
        raise UsageError(f"{message}\n{usage}")


class _Formatter(argparse.HelpFormatter):
    """Formats help for 80 columns, also on wider screens."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=min(WIDTH, shutil.get_terminal_size().columns) - 2)


class Command(NamedTuple):
    """A command. `set_up` adds its arguments to a parser and returns the function to run. `set_up` is None for `match`,
    which parses its flags itself, in cutechess's style."""

    arguments: str
    summary: str
    set_up: Callable[[argparse.ArgumentParser], Run] | None


def run_command(words: Sequence[str], program: str) -> int:
    """Run a command line and return the exit code, 2 for an invalid one. `program` is the name under which the user
    called it."""
    name, rest = words[0], words[1:]
    if name in ("help", "--help", "-h"):
        if rest:
            return run_command([rest[0], *(["--help"] if rest[0] in COMMANDS else [])], program)
        print(overview(program))
        return 0
    if name == "--version":
        from kogoma.version import __version__

        print(f"Kogoma {__version__}")
        return 0
    try:
        if name not in COMMANDS:
            raise UsageError(
                f"unknown command {name[:40]!r}\nusage: {program} [COMMAND ...]; `help` lists the commands"
            )
        command = COMMANDS[name]
        if command.set_up is None:
            from kogoma.lab.match.command import main as match

            return match(rest, program)
        parser = Parser(prog=f"{program} {name}", description=f"{command.summary[0].upper()}{command.summary[1:]}.")
        run = command.set_up(parser)
        try:
            return run(parser.parse_args(rest)) or 0
        except SystemExit as done:  # raised by --help
            return int(done.code or 0)
    except UsageError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2


def overview(program: str) -> str:
    """Return the list of all commands, in Japanese if the user reads it."""
    in_japanese = japanese.wanted()
    summaries = {"": "the USI engine, for a shogi GUI"} | {name: command.summary for name, command in COMMANDS.items()}
    usage, end = USAGE, END
    if in_japanese:
        summaries, usage, end = summaries | japanese.SUMMARIES, japanese.USAGE, japanese.END
    lines = [usage.format(program=program), ""]
    for name, summary in (*summaries.items(), ("help [COMMAND], --version", "")):
        left = f"{name} {COMMANDS[name].arguments}" if name in COMMANDS else name or "(no command)"
        start = f"  {left}".ljust(COLUMN)
        if len(start) > COLUMN:
            lines.append(start)
            start = " " * COLUMN
        space = WIDTH - COLUMN
        rows = japanese.wrapped(summary, space) if in_japanese else textwrap.wrap(summary, space)
        lines.append(start + "".join(rows[:1]) if rows else start.rstrip())
        lines += [" " * COLUMN + row for row in rows[1:]]
    return "\n".join([*lines, "", *end])


def _warmup(parser: argparse.ArgumentParser) -> Run:
    parser.add_argument("variants", nargs="*", type=variant, metavar="VARIANT", help="a game (default: all)")

    def run(given: argparse.Namespace) -> None:
        from kogoma.search.library import warmup

        started = time.perf_counter()
        warmup(_show, *(given.variants or VARIANTS.values()), mates=True)
        print(f"ready after {time.perf_counter() - started:.1f} s")

    return run


def _bench(parser: argparse.ArgumentParser) -> Run:
    parser.add_argument("depth", nargs="?", type=_depth_or_variant, metavar="DEPTH", help="of every search")
    parser.add_argument("variant", nargs="?", type=variant, metavar="VARIANT", help="the game (default: minishogi)")

    def run(given: argparse.Namespace) -> None:
        from kogoma.usi_engine.console import bench_lines

        plies, game = given.depth, given.variant
        if isinstance(plies, Variant):
            if game is not None:
                parser.error("the variant comes after the depth")
            plies, game = None, plies
        for line in bench_lines(plies, None if game is None else game.name, _show):
            print(line)

    return run


def _depth_or_variant(text: str) -> int | Variant:
    return VARIANTS[text] if text in VARIANTS else depth(text)


def _perft(parser: argparse.ArgumentParser) -> Run:
    parser.usage = f"{parser.prog} {COMMANDS['perft'].arguments}"
    parser.add_argument("depth", type=depth, metavar="DEPTH", help="in plies")
    parser.add_argument("position", nargs="*", default=[], metavar="SFEN|startpos", help="where to count from")
    parser.epilog = "The last word may be a variant; without one the SFEN's board decides, and `startpos` is shogi's."

    def run(given: argparse.Namespace) -> None:
        from kogoma.rules.position import new_position

        words = given.position
        game = VARIANTS[words.pop()] if words and words[-1] in VARIANTS else DEFAULT
        sfen = " ".join(words)
        try:
            position = new_position(game) if sfen in ("", "startpos") else new_position(infer(sfen, game), sfen)
        except ValueError as error:
            parser.error(str(error))
        position.legal_moves()  # load and build before the time is taken

        started = time.perf_counter()
        total = 0
        for move, count in position.divide(given.depth):
            _show(f"{move}: {count}")
            total += count
        seconds = time.perf_counter() - started
        print(f"\nNodes searched: {total}")
        print(f"{seconds:.3f} s, {total / max(seconds, 1e-9) / 1e6:.1f} million nodes/s")

    return run


def _check(parser: argparse.ArgumentParser) -> Run:
    parser.add_argument("files", nargs="+", metavar="FILE", help="a game as TOML")

    def run(given: argparse.Namespace) -> int:
        from kogoma.rules.custom.registry import load_file

        failed = False
        for path in given.files:
            try:
                print(f"{shown(path)}: {_described(load_file(path))}", flush=True)
            except VariantFileError as error:
                failed = True
                print("\n".join(error.lines()), file=sys.stderr)
        return int(failed)

    return run


def _described(variant: Variant) -> str:
    """Return a variant in a few lines: its pieces with their values, and perft for some plies."""
    from kogoma.eval.weights import load
    from kogoma.rules.position import new_position

    values = load(variant, relations=False)["value"]
    pieces = ", ".join(f"{letter} {values[letter]}" for letter in variant.letters if letter in values)
    position = new_position(variant)
    counts = " ".join(str(position.perft(plies)) for plies in range(1, CHECKED_PLIES + 1))
    return (
        f"{variant.name}, {variant.files}x{variant.ranks} squares\n"
        f"  pieces, in centipawns: {pieces}\n"
        f"  perft 1 to {CHECKED_PLIES}: {counts}\n"
        f"{position}"
    )


def _wasm(parser: argparse.ArgumentParser) -> Run:
    parser.add_argument("variants", nargs="*", type=variant, metavar="VARIANT", help="a game (default: all)")
    parser.add_argument("-o", dest="output", metavar="FOLDER", type=Path, required=True, help="where the files go")

    def run(given: argparse.Namespace) -> int:
        from kogoma.native.object_file import KernelError
        from kogoma.web.games_folder import write_games

        try:
            write_games(given.output, given.variants or VARIANTS.values(), _show)
        except (KernelError, OSError) as error:
            print(f"{parser.prog}: {error_text(error)}", file=sys.stderr)
            return 1
        return 0

    return run


def _of(module: str) -> Callable[[argparse.ArgumentParser], Run]:
    """Return the `set_up` of a module that has `add_arguments` and `run`; the module is imported when the command is
    used."""

    def set_up(parser: argparse.ArgumentParser) -> Run:
        found = importlib.import_module(module)
        found.add_arguments(parser)
        run: Run = found.run
        return run

    return set_up


def _show(text: str) -> None:
    print(text, flush=True)


COMMANDS = {
    "warmup": Command(
        "[VARIANT ...]",
        "compile the engine now, so that the first game starts at once; by default for all variants",
        _warmup,
    ),
    "bench": Command(
        "[DEPTH] [VARIANT]", "search fixed positions; the number of nodes identifies the engine's behaviour", _bench
    ),
    "perft": Command("DEPTH [SFEN|startpos] [VARIANT]", "count the leaf nodes at DEPTH plies, by first move", _perft),
    "check": Command(
        "FILE ...", "check files of custom variants and list their errors; docs/custom-variants.md", _check
    ),
    "codingame": Command(
        "GAME",
        "play CodinGame's minishogi, dice or onitama as a bot, on standard input and output",
        _of("kogoma.arena.codingame.command"),
    ),
    "codeabbey": Command(
        "count|play|match",
        "play the Game of Generals, CodeAbbey's problem 469: count moves, find the best move, play a match",
        _of("kogoma.arena.codeabbey.command"),
    ),
    "export": Command(
        "GAME -o FILE", "export a bot for an arena as a single file; docs/arena.md", _of("kogoma.arena.export.command")
    ),
    "wasm": Command("[VARIANT ...] -o FOLDER", "export the engine as WebAssembly for a web page; docs/web.md", _wasm),
    "release": Command(
        "[PLATFORM ...]",
        "build the wheels of all platforms from this checkout; docs/release.md",
        _of("kogoma.lab.release.command"),
    ),
    "match": Command("-engine ... -engine ...", "run a match between engines; docs/matches.md", None),
    "openings": Command(
        "VARIANT", "generate opening positions for matches; docs/matches.md", _of("kogoma.lab.match.opening_maker")
    ),
    "tune": Command(
        "VARIANT [--hours H]",
        "fit the evaluation to self-play games or, with --search, tune the search parameters; docs/tuning.md",
        _of("kogoma.lab.tune.command"),
    ),
    "mate": Command(
        "SFEN|FILE|--make GAME",
        "solve, check or generate mate problems; docs/mate.md",
        _of("kogoma.usi_engine.mate_command"),
    ),
    "book": Command(
        "VARIANT|show|probe|import|export",
        "make, show, probe or convert an opening book; docs/book.md",
        _of("kogoma.lab.book.command"),
    ),
    "board": Command(
        "[RECORDS ...]",
        "play and analyse in a browser on this machine; --export writes a static site; docs/board.md",
        _of("kogoma.lab.board.command"),
    ),
    "analyse": Command(
        "GAME ...",
        "analyse all positions of games and list the mistakes; docs/game-records.md",
        _of("kogoma.lab.analysis.command"),
    ),
    "report": Command(
        "JOURNAL", "write a match's results as an HTML page; docs/report.md", _of("kogoma.lab.report.page")
    ),
    "convert": Command(
        "IN... OUT",
        "convert game records between KIF, KI2, CSA, USI and SFEN; docs/game-records.md",
        _of("kogoma.lab.kifu.command"),
    ),
}
