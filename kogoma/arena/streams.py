"""Output of bots and commands: answers on standard output, problems on standard error. Both may be closed, full or
unread pipes. Control characters are escaped, because text from engines, files and other machines could otherwise
control the user's terminal."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import unicodedata
from collections.abc import Iterator
from typing import Any, TextIO, cast

ANSWERS_LOST = 1  # exit code
# Control characters (Cc), and bytes that are no text (Cs: Python keeps those of file names), except tab and newline.
_ESCAPES = {
    code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    for code in (*range(0xA0), *range(0xD800, 0xE000))
    if unicodedata.category(chr(code)) in ("Cc", "Cs") and chr(code) not in "\t\n"
}


def printable(text: str) -> str:
    """Return a text in which control characters are replaced by escapes such as `\\x1b`, except tabs and newlines."""
    return text if text.isprintable() else text.translate(_ESCAPES)


class EscapingStream:
    """A text stream that writes to another one, and escapes control characters. `stream` is the other one."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text, and return the number of its characters."""
        self.stream.write(printable(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextlib.contextmanager
def escaped_output() -> Iterator[None]:
    """Within this context, control characters in all text that is written to standard output and standard error are
    escaped."""
    with contextlib.ExitStack() as stack:
        if sys.stdout is not None:
            stack.enter_context(contextlib.redirect_stdout(cast(TextIO, EscapingStream(sys.stdout))))
        if sys.stderr is not None:
            stack.enter_context(contextlib.redirect_stderr(cast(TextIO, EscapingStream(sys.stderr))))
        yield


def terminal() -> TextIO:
    """Return standard output for a program that controls the terminal: without escaping, which it has to do itself."""
    stream: Any = sys.stdout
    return cast(TextIO, stream.stream if isinstance(stream, EscapingStream) else stream)


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
