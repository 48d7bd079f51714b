"""What Windows needs before a thread blocks in reading standard input."""

from __future__ import annotations

import sys

IS_WINDOWS = sys.platform == "win32"


def load_before_reading() -> None:
    """On Windows, load the libraries that look at standard input when they are loaded: while another thread reads from
    a pipe there, that waits for the pipe's next data (https://github.com/numpy/numpy/issues/24290)."""
    if IS_WINDOWS:
        import numpy  # noqa: F401 (to have it loaded)
        from llvmlite import binding

        binding.initialize_native_target()
