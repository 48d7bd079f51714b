"""The command line: the USI engine, or one of a few commands."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.variants import Variant

USAGE = """\
usage: usi-engine [COMMAND]

  (no command)            the USI engine, for a shogi GUI
  warmup [VARIANT ...]    compile now what the first game would wait for; without a name, for all games
  bench [DEPTH] [VARIANT] search fixed positions; the node count is the engine's signature
  perft DEPTH [SFEN|startpos] [VARIANT]
                          count the games of DEPTH plies, by first move
  codingame minishogi|dice|onitama [--margin MS] [--hash MB] [--chat]
                          a bot for CodinGame: turns on standard input, answers on standard output
  codeabbey count         CodeAbbey's problem 469, from standard input
  codeabbey play [--movetime MS]
                          the best move after the moves on standard input, in the same notation
  codeabbey match [--movetime MS] [--seed N] [--plies N]
                          a game of the engine against itself, from a random set-up
  match -engine ... -engine ... [FLAGS]
                          engines against engines; `match help` and docs/matches.md tell the flags
  openings VARIANT [-count N] [-plies MIN-MAX] [-balance CP] [-nodes N] [-seed S] [-o FILE.sfen]
                          make openings to start a match's games from
  report RECORDS [-o FILE.html]
                          write a match's records as a page to look at
  help, --version"""


class UsageError(Exception):
    """A command line that can't be obeyed."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in `argv` (default: the process's arguments); returns the exit code, 2 for a wrong usage."""
    words = list(sys.argv[1:] if argv is None else argv)
    commands: dict[str, Callable[[list[str]], int | None]] = {
        "warmup": _warmup,
        "bench": _bench,
        "perft": _perft,
        "match": _match,
        "openings": _openings,
        "report": _report,
        "codingame": _codingame,
        "codeabbey": _codeabbey,
        "help": _help,
        "--help": _help,
        "-h": _help,
        "--version": _version,
    }
    try:
        if not words:
            _engine()
        elif words[0] in commands:
            code = commands[words[0]](words[1:])
            sys.stdout.flush()
            return code or 0
        else:
            raise UsageError(f"unknown command {words[0]!r}")
    except UsageError as error:
        print(f"usi-engine: {error}\n{USAGE}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader has gone; Python must not try to write the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except KeyboardInterrupt:
        return 130
    except Exception as failure:
        print(f"usi-engine: {type(failure).__name__}: {failure}", file=sys.stderr)
        return 1
    return 0


def _engine() -> None:
    if sys.stdout is None:
        return  # nobody listens
    from usi_engine.loop import Loop, greet
    from usi_engine.output import exit_process

    if sys.stdin is not None and sys.stdin.isatty():
        greet()
    try:
        Loop().run()
    except KeyboardInterrupt:
        exit_process(130)


def _warmup(words: list[str]) -> None:
    from rules.variants import VARIANTS
    from search.library import warmup

    variants = [_variant(word) for word in words] or list(VARIANTS.values())
    started = time.perf_counter()
    warmup(lambda text: print(text, flush=True), *variants)
    print(f"ready after {time.perf_counter() - started:.1f} s")


def _bench(words: list[str]) -> None:
    from rules.variants import VARIANTS
    from usi_engine.console import bench_lines

    name = _variant(words.pop()).name if words and words[-1] in VARIANTS else None
    _at_most(1, words)
    depth = _depth(words[0]) if words else None
    for line in bench_lines(depth, name, lambda text: print(text, flush=True)):
        print(line)


def _perft(words: list[str]) -> None:
    from rules.variants import DEFAULT, VARIANTS, infer

    if not words:
        raise UsageError("perft needs a depth")
    depth, rest = _depth(words[0]), words[1:]
    variant = VARIANTS[rest.pop()] if rest and rest[-1] in VARIANTS else DEFAULT
    sfen = " ".join(rest)
    try:
        from rules.position import new_position

        position = new_position(variant) if sfen in ("", "startpos") else new_position(infer(sfen, variant), sfen)
    except ValueError as error:
        raise UsageError(str(error)) from None
    position.legal_moves()  # whatever has to be loaded or built is not timed

    started = time.perf_counter()
    total = 0
    for move, count in position.divide(depth):
        print(f"{move}: {count}", flush=True)
        total += count
    seconds = time.perf_counter() - started
    print(f"\nNodes searched: {total}")
    print(f"{seconds:.3f} s, {total / max(seconds, 1e-9) / 1e6:.1f} million nodes/s")


def _match(words: list[str]) -> int:
    from lab.match.command import main as match

    return match(words)


def _openings(words: list[str]) -> int:
    from lab.match.opening_maker import main as openings

    return openings(words)


def _report(words: list[str]) -> int:
    from lab.report.report import main as report

    return report(words)


def _codingame(words: list[str]) -> None:
    from arena.codingame.command import parse_command, run

    try:
        options = parse_command(words)
    except ValueError as error:
        raise UsageError(str(error)) from None
    run(options)


def _codeabbey(words: list[str]) -> int:
    from arena.codeabbey.command import InputError, parse_command

    try:
        command = parse_command(words)
    except ValueError as error:
        raise UsageError(str(error)) from None
    try:
        command()
    except InputError as error:
        print(f"codeabbey: {error}", file=sys.stderr)
        return 2
    return 0


def _help(words: list[str]) -> None:
    print(USAGE)


def _version(words: list[str]) -> None:
    from usi_engine import __version__

    print(f"Kogoma {__version__}")


def _at_most(count: int, words: list[str]) -> None:
    if len(words) > count:
        raise UsageError(f"cannot use {words[count]!r}")


def _variant(word: str) -> Variant:
    from rules.variants import find

    try:
        return find(word)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _depth(word: str) -> int:
    if not (word.isascii() and word.isdigit() and 1 <= int(word[:9]) <= 100):
        raise UsageError(f"the depth must be a number from 1 to 100, not {word[:40]!r}")
    return int(word)


if __name__ == "__main__":
    sys.exit(main())
