"""Escaping of control characters in text for terminals. Text from engines, files and other machines could otherwise
control the terminal: clear it, set its title, or hide what was printed."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, TextIO, cast

# The control characters of Unicode, and the surrogates, with which Python represents bytes of file names that are no
# text.
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000))
_ESCAPES = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:x}" for code in _CONTROLS if chr(code) not in "\t\n"}


def printable(text: str) -> str:
    """Return a text in which control characters other than tab and newline are replaced by escapes such as `\\x1b`."""
    return text if text.isprintable() else text.translate(_ESCAPES)


class EscapingStream:
    """A text stream that escapes control characters and writes to `stream`."""

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
    """Return standard output without escaping, for code that controls the terminal and escapes other text itself."""
    stream: Any = sys.stdout
    return cast(TextIO, stream.stream if isinstance(stream, EscapingStream) else stream)
