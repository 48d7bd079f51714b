"""Search parameters for kernels: `search_parameters(thread).razoring` is a constant, or in a tuning build a field of
the thread's struct."""

from __future__ import annotations

from typing import Any

from kogoma.native.kernel import kernel
from kogoma.rules.dispatch import by_field
from kogoma.search.parameters.values import PARAMETERS
from kogoma.search.types import Thread


@kernel
def default_parameters(thread: Thread) -> Any:
    """Return the default search parameters, which are compiled in as constants."""
    return PARAMETERS


@kernel
def thread_parameters(thread: Thread) -> Any:
    """Return the search parameters in the thread struct of a tuning build."""
    return thread.parameters


search_parameters = by_field("parameters", default_parameters, thread_parameters)
