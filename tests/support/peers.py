"""Programs and libraries that we did not write: what a test does where one is missing."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def absent(peer: str) -> NoReturn:
    """Skip a test whose peer is not installed; where CI is set, everything has to be there."""
    reason = f"{peer} is not installed: nothing to compare with"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
