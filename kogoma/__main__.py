"""The entry point of the program: the USI engine if there are no arguments, otherwise the named command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from kogoma.console.streams import redirect_to_devnull, say, tell

# The program's name in messages; engine.sh and the programs for Windows pass the name by which the user called them.
PROGRAM = os.environ.get("KOGOMA_PROGRAM") or "usi-engine"

BLAS_THREADS = "OPENBLAS_NUM_THREADS"
ROOM = 256  # bytes in a path for the name of any file of Kogoma or numpy, relative to the folder of the packages


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in `argv` (default: the arguments of the process). Return its exit code, which is 2 for a usage
    error."""
    words = list(sys.argv[1:] if argv is None else argv)
    if BLAS_THREADS not in os.environ:
        # Only this process, as `os.environ` does not have it: OpenBLAS, which numpy uses and Kogoma does not, would
        # reserve 40 MB for each processor, and end the process if they are not available.
        os.putenv(BLAS_THREADS, "1")
    if not words:
        return _main(words)
    from kogoma.escapes import escaped_output

    with escaped_output():
        return _main(words)


def _main(words: list[str]) -> int:
    if problem := _path_problem() or _memory_problem():
        if not words:
            say(f"info string error: {problem}")
        tell(f"{PROGRAM}: {problem}")
        return 1
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
        return _engine()
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


def _path_problem() -> str:
    """Return a description of the problem if the path of the folder that contains the package is too long for the
    system, otherwise "". Some files could not be opened then, and imports would fail with misleading errors."""
    if sys.platform == "win32":
        return ""  # depends on the registry; the zip file's launcher checks it, and pip cannot install there
    size = len(os.fsencode(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    most = os.pathconf("/", "PC_PATH_MAX") - ROOM
    if size <= most:
        return ""
    excess = f"it has {size} bytes, at most {most} are possible"
    return f"the path of Kogoma's folder is too long: {excess}; install Kogoma in another folder"


def _memory_problem() -> str:
    """Return a description of the problem if the process may use so little memory that not even numpy can be imported,
    otherwise ""."""
    from kogoma.native.address_space import LEAST, limit

    most = limit()
    if most is None or most >= LEAST:
        return ""
    return f"{most >> 20} MB of memory are too little (ulimit -v): Kogoma needs at least {LEAST >> 20} MB"


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


def _engine() -> int:
    if sys.stdout is None:
        return 0  # nobody could read an answer
    from kogoma.console.windows import end_at_interrupt
    from kogoma.usi_engine.loop import Loop, greet
    from kogoma.usi_engine.options import first_variant
    from kogoma.usi_engine.output import exit_process

    try:
        variant = first_variant(sys.argv[0], PROGRAM)
    except ValueError as error:
        from kogoma.japanese import message

        say(f"info string error: {error}")
        tell(f"{PROGRAM}: {message(str(error))}")
        return 2
    if sys.stdin is not None and sys.stdin.isatty():
        greet()
    end_at_interrupt()
    try:
        Loop(variant).run()
    except KeyboardInterrupt:
        exit_process(130)


if __name__ == "__main__":
    sys.exit(main())
