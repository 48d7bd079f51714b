"""The entry point of the program: the USI engine if there are no arguments, otherwise the named command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from kogoma.arena.streams import redirect_to_devnull, tell
from kogoma.output_file import error_text

# The program's name in messages; engine.sh passes the name by which the user called it.
PROGRAM = os.environ.get("KOGOMA_PROGRAM") or "usi-engine"

COMPILER = "numba", "llvmlite"  # packages of the extra `compile`


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in `argv` (default: the process's arguments) and return the exit code, 2 for a usage error."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        files, words = _split_variants(words)
        if files or os.environ.get("KOGOMA_VARIANTS"):
            from kogoma.rules.custom.registry import pass_on

            pass_on(files)
    except ValueError as error:
        tell(f"{PROGRAM}: {error}")
        return 2
    if not words:
        _engine()
        return 0
    if sys.stdout is None:
        return _failed("standard output is closed")
    from kogoma.usi_engine.commands import run_command

    try:
        code = run_command(words, PROGRAM)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader of standard output has closed it
        redirect_to_devnull(1)
        return 1
    except KeyboardInterrupt:
        return 130
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in COMPILER:
            return _failed(error_text(missing))
        return _failed(f"{words[0]} compiles code, for which numba is missing: pip install 'kogoma[compile]'")
    except Exception as failure:  # users get a line, not a traceback
        return _failed(error_text(failure))


def _split_variants(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the files that `--variants` names, and the other arguments. Raises ValueError if the name is missing."""
    files, others, rest = list[str](), list[str](), iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name != "--variants":
            others.append(word)
            continue
        file = value if equals else next(rest, "")
        if not file:
            raise ValueError("--variants needs the name of a variant file; docs/custom-variants.md")
        files.append(file)
    return files, others


def _failed(text: str) -> int:
    tell(f"{PROGRAM}: {text}")
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        redirect_to_devnull(1)
    return 1


def _engine() -> None:
    if sys.stdout is None:
        return  # there is no standard output
    from kogoma.arena.windows import end_at_interrupt
    from kogoma.usi_engine.loop import Loop, greet
    from kogoma.usi_engine.output import exit_process

    if sys.stdin is not None and sys.stdin.isatty():
        greet()
    end_at_interrupt()
    try:
        Loop().run()
    except KeyboardInterrupt:
        exit_process(130)


if __name__ == "__main__":
    sys.exit(main())
