"""Workarounds for Windows, to be called before a thread reads standard input."""

from __future__ import annotations

import contextlib
import signal
import sys

from kogoma.native.prebuilt import are_here

IS_WINDOWS = sys.platform == "win32"


def load_before_reading() -> None:
    """On Windows, import numpy and LLVM, whose imports query standard input. If another thread were already reading
    from a pipe, these imports would block until the pipe's next data arrives
    (https://github.com/numpy/numpy/issues/24290). LLVM is not needed if there are prebuilt libraries."""
    if IS_WINDOWS:
        import numpy  # noqa: F401 (for its side effects)

        if are_here():
            return
        with contextlib.suppress(ImportError):
            from llvmlite import binding

            binding.initialize_native_target()


def end_at_interrupt() -> None:
    """On Windows, let Ctrl-C end the process. Python would only interrupt the main thread, and there it does not wake a
    thread that waits for a line."""
    if IS_WINDOWS:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
