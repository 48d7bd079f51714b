"""What a program says to whoever started it: answers on standard output, and on standard error what is amiss. Either
may be closed or full, or a pipe that nobody reads."""

from __future__ import annotations

import os
import select
import sys

ANSWERS_LOST = 1  # exit code


def say(text: str) -> None:
    """An answer on standard output. Where that can't be written to, nobody waits for another: the process ends with
    ANSWERS_LOST, after a line on standard error."""
    why = "is closed"
    if sys.stdout is not None:
        try:
            print(text, flush=True)
            return
        except OSError as error:
            why = f"can't be written to: {error.strerror}"
            let_go(1)
    tell(f"standard output {why}")
    sys.exit(ANSWERS_LOST)


def tell(text: str) -> None:
    """A line on standard error, if that takes it at once."""
    if sys.stderr is None:
        return
    try:
        # A pipe that is full would hold the program up; select knows no pipes on Windows.
        if os.name != "posix" or select.select([], [2], [], 0)[1]:
            print(text, file=sys.stderr, flush=True)
    except OSError:
        let_go(2)


def let_go(descriptor: int) -> None:
    """What Python still holds for it goes nowhere, so that it does not fail once more at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
