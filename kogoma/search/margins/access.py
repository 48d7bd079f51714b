"""How kernels get at the margins: `margins(thread).razoring` is a constant, in a tuning build a field of the record."""

from __future__ import annotations

from typing import Any

from kogoma.native.kernel import kernel
from kogoma.rules.dispatch import by_field
from kogoma.search.margins.values import MARGINS


@kernel
def shipped(thread: Any) -> Any:
    """The constants."""
    return MARGINS


@kernel
def of_thread(thread: Any) -> Any:
    """The record's."""
    return thread.margin


margins = by_field("margin", shipped, of_thread)
