"""Output of bots and commands: answers on standard output, problems on standard error. Both may be closed, full or
unread pipes."""

from __future__ import annotations

import os
import select
import sys

ANSWERS_LOST = 1  # exit code


def say(text: str) -> None:
    """Print an answer on standard output. If that fails, report it and exit with the status ANSWERS_LOST."""
    why = "is closed"
    if sys.stdout is not None:
        try:
            print(text, flush=True)
            return
        except OSError as error:
            why = f"can't be written to: {error.strerror}"
            redirect_to_devnull(1)
    tell(f"standard output {why}")
    sys.exit(ANSWERS_LOST)


def tell(text: str) -> None:
    """Print a line on standard error, or discard the line if printing fails or would block."""
    if sys.stderr is None:
        return
    try:
        # Writing to a full pipe would block. On Windows, select does not support pipes.
        if os.name != "posix" or select.select([], [2], [], 0)[1]:
            print(text, file=sys.stderr, flush=True)
    except OSError:
        redirect_to_devnull(2)


def redirect_to_devnull(descriptor: int) -> None:
    """Redirect a file descriptor to the null device, so that Python's flush at exit does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
