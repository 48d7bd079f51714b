"""The commands of the command line, apart from the engine itself. Loaded only if a command is given."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from kogoma import japanese
from kogoma.console.arguments import CommandLineError, variant, whole_number
from kogoma.console.lines import clip
from kogoma.console.streams import redirect_to_devnull, tell
from kogoma.console.terminal import WIDTH, listed, terminal_width
from kogoma.output_file import error_text
from kogoma.rules.custom.errors import VariantFileError, shown
from kogoma.rules.variants import DEFAULT, VARIANTS, Variant, infer

Run = Callable[[argparse.Namespace], int | None]
HELP, VERSION = "help [COMMAND]", "--version"
COLUMN = 32  # where the summaries begin in the list of commands
END = (
    "--variants FILE, anywhere, adds a custom variant; docs/custom-variants.md.",
    "COMMAND --help lists the options of a command.",
)
CHECKED_PLIES = 3  # perft depth that `check` shows

depth = whole_number(1, 100)


class Parser(argparse.ArgumentParser):
    """An argparse parser whose errors take two lines: the error and the usage."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False, formatter_class=_Formatter)

    def error(self, message: str) -> NoReturn:
        """Raise CommandLineError with the error message and, on a second line, the usage."""
        message, usage = (" ".join(text.split()) for text in (message, self.format_usage()))
        if japanese.width(usage) > WIDTH:
            usage = f"usage: {self.prog} ... (see --help)"
        raise CommandLineError(f"{message}\n{usage}")


class _Formatter(argparse.HelpFormatter):
    """Formats help for 80 columns, also on wider screens, in the user's language."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=min(WIDTH, terminal_width()) - 2)

    def start_section(self, heading: str | None) -> None:
        """Begin a section; all headings of argparse and of the commands come here."""
        super().start_section(heading and japanese.help_text(heading))

    def _format_usage(
        self, usage: str | None, actions: Iterable[argparse.Action], groups: Iterable[Any], prefix: str | None
    ) -> str:
        label = japanese.help_text("usage:") + " " if prefix is None else prefix
        blank = " " * japanese.width(label)  # argparse indents lines by the number of the label's characters
        return super()._format_usage(usage, actions, groups, blank).replace(blank, label, 1)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return japanese.wrapped(japanese.help_text(text), width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = japanese.wrapped(japanese.help_text(text), width - len(indent))
        return "\n".join(indent + line for line in lines)


class Command(NamedTuple):
    """A command. `set_up` adds its arguments to a parser and returns the function to run. `set_up` is None for `match`,
    which parses its flags itself, in cutechess's style."""

    arguments: str
    summary: str
    set_up: Callable[[argparse.ArgumentParser], Run] | None


def run_command(words: Sequence[str], program: str) -> int:
    """Run the command line `words` and return its exit code: 2 for an invalid command line, 1 if the command has
    failed. `program` is the name under which the user called the program. Errors are printed as `COMMAND: TEXT`."""
    name, rest = words[0], words[1:]
    if name in ("help", "--help", "-h") and rest:
        name, rest = rest[0], ["--help"]
    try:
        code = 0
        if name in COMMANDS:
            code = _run(name, rest, program)
        elif name in ("help", "--help", "-h"):
            print(overview(program))
        elif name == "--version":
            from kogoma.version import __version__

            print(f"Kogoma {__version__}")
        else:
            unknown, name = clip(name), program
            raise CommandLineError(f"unknown command {unknown}; `{program} help` lists the commands")
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        raise
    except Exception as error:  # users get a line, not a traceback
        tell(f"{name}: {japanese.message(error_text(error))}")
        try:
            sys.stdout.flush()
        except OSError:
            redirect_to_devnull(1)
        return 2 if isinstance(error, CommandLineError) else 1


def _run(name: str, words: Sequence[str], program: str) -> int:
    command = COMMANDS[name]
    if command.set_up is None:
        from kogoma.lab.match.command import main as match

        return match(words, program)
    parser = Parser(prog=f"{program} {name}", description=_sentence(command.summary))
    run = command.set_up(parser)
    try:
        return run(parser.parse_args(words)) or 0
    except SystemExit as done:  # raised by --help
        return int(done.code or 0)


def _sentence(summary: str) -> str:
    """Return a summary in the user's language, an English one as a sentence."""
    text = japanese.help_text(summary)
    return f"{text[0].upper()}{text[1:]}." if text == summary else text


def overview(program: str) -> str:
    """Return the text that lists all commands. `program` is the name of the program, as shown in the text."""
    rows = [(japanese.help_text("(no command)"), "the USI engine, for a shogi GUI")]
    rows += [(f"{name} {command.arguments}", command.summary) for name, command in COMMANDS.items()]
    rows += [(HELP, "list the commands, or the options of one"), (VERSION, "print the version")]
    lines = [japanese.help_text("usage:") + f" {program} [COMMAND ...]", ""]
    lines += [*listed(rows, COLUMN), ""]
    for text in END:
        lines += japanese.wrapped(japanese.help_text(text), min(WIDTH, terminal_width()))
    return "\n".join(lines)


def _warmup(parser: argparse.ArgumentParser) -> Run:
    parser.add_argument("variants", nargs="*", type=variant, metavar="VARIANT", help="a game (default: all)")

    def run(given: argparse.Namespace) -> None:
        from kogoma.search.library import warmup

        started = time.perf_counter()
        warmup(_show, *(given.variants or VARIANTS.values()), mates=True)
        print(f"ready after {time.perf_counter() - started:.1f} s")

    return run


def _bench(parser: argparse.ArgumentParser) -> Run:
    parser.add_argument("depth", nargs="?", type=_depth_or_variant, metavar="DEPTH", help="depth of every search")
    parser.add_argument("variant", nargs="?", type=variant, metavar="VARIANT", help="the game (default: minishogi)")

    def run(given: argparse.Namespace) -> None:
        from kogoma.usi_engine.terminal import bench_lines

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
    parser.add_argument("depth", type=depth, metavar="DEPTH", help="depth in plies")
    parser.add_argument("position", nargs="*", default=[], metavar="SFEN|startpos", help="position from which to count")
    parser.epilog = (
        "The last word may be a variant. Without it, the SFEN's board selects the variant, and `startpos` is shogi's."
    )

    def run(given: argparse.Namespace) -> None:
        from kogoma.rules.position import new_position

        words = given.position
        game = VARIANTS[words.pop()] if words and words[-1] in VARIANTS else DEFAULT
        sfen = " ".join(words)
        try:
            position = new_position(game) if sfen in ("", "startpos") else new_position(infer(sfen, game), sfen)
        except ValueError as error:
            parser.error(str(error))
        position.legal_moves()  # load the native library before the time is measured

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
    parser.add_argument("files", nargs="+", metavar="FILE", help="a variant file (TOML)")

    def run(given: argparse.Namespace) -> int:
        from kogoma.rules.custom.registry import load_file

        failed = False
        for path in given.files:
            try:
                print(f"{shown(path)}: {_described(load_file(path))}", flush=True)
            except VariantFileError as error:
                failed = True
                print(japanese.message("\n".join(error.lines())), file=sys.stderr)
        return int(failed)

    return run


def _described(variant: Variant) -> str:
    """Return a few lines of text about a variant: its pieces with their values, perft for some plies, and a diagram."""
    from kogoma.eval.weights import load
    from kogoma.rules.position import new_position

    values = load(variant, network=False)["value"]
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
    parser.add_argument("-o", dest="output", metavar="FOLDER", type=Path, required=True, help="folder for the files")

    def run(given: argparse.Namespace) -> None:
        from kogoma.native.processes import terminable
        from kogoma.web.games_folder import write_games

        with terminable():
            write_games(given.output, given.variants or VARIANTS.values(), _show)

    return run


def _of(module: str) -> Callable[[argparse.ArgumentParser], Run]:
    """Return a function that imports `module`, adds its arguments to a parser by its `add_arguments`, and returns its
    `run`. The module is thus imported only when its command is used."""

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
    "info": Command("", "print what a bug report needs, and test the engine", _of("kogoma.usi_engine.info_command")),
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
    "referee": Command(
        "GAME -p1 BOT -p2 BOT",
        "play one game between two bots of an arena, also for cg-brutaltester and psyleague; docs/arena.md",
        _of("kogoma.lab.match.referee"),
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
    "solve": Command(
        "GAME",
        "compute the value of every position of dobutsu; docs/tablebase.md",
        _of("kogoma.usi_engine.solve_command"),
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
        "convert game records between KIF, KI2, CSA, JKF, USI and SFEN; docs/game-records.md",
        _of("kogoma.lab.kifu.command"),
    ),
}
