"""Signals as a terminal's programs start with them, wherever the tests themselves were started."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator


@contextlib.contextmanager
def default_interrupt() -> Iterator[None]:
    """Processes that are started meanwhile end at SIGINT, also where the tests have inherited it as ignored (`nohup`,
    cron, `&` in a script). What is a function here is the default in a program that is started."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
