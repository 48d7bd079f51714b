"""A workaround for Windows, to be called before a thread reads standard input."""

from __future__ import annotations

import contextlib
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
