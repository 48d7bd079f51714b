"""The entry point of the program: the USI engine if there are no arguments, otherwise the named command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from kogoma.arena.streams import redirect_to_devnull, tell

# The program's name in messages; engine.sh passes the name by which the user called it.
PROGRAM = os.environ.get("KOGOMA_PROGRAM") or "usi-engine"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in `argv` (default: the arguments of the process). Return its exit code, which is 2 for a usage
    error."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        files, words = _split_variants(words)
        if files or os.environ.get("KOGOMA_VARIANTS"):
            from kogoma.rules.custom.registry import pass_on

            pass_on(files)
    except ValueError as error:
        from kogoma.japanese import message

        tell(f"{PROGRAM}: {message(str(error))}")
        return 2
    if not words:
        _engine()
        return 0
    if sys.stdout is None:
        from kogoma.japanese import message

        tell(f"{PROGRAM}: {message('standard output is closed')}")
        return 1
    from kogoma.usi_engine.commands import run_command

    try:
        return run_command(words, PROGRAM)
    except BrokenPipeError:  # the reader of standard output has closed it
        redirect_to_devnull(1)
        return 1
    except KeyboardInterrupt:
        return 130


def _split_variants(words: list[str]) -> tuple[list[str], list[str]]:
    """Return two lists: the files that the options `--variants` name, and all other arguments. Raises ValueError if a
    file name is missing."""
    files, others, rest = list[str](), list[str](), iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name != "--variants":
            others.append(word)
            continue
        file = value if equals else next(rest, "")
        if not file:
            raise ValueError("--variants needs the name of a variant file; see docs/custom-variants.md")
        files.append(file)
    return files, others


def _engine() -> None:
    if sys.stdout is None:
        return  # nobody could read an answer
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
