"""What a record looks like to other languages: its size, and where each field lies, as plain data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Dtype = Callable[[str], Any]  # layout -> numpy dtype of a record
Description = dict[str, Any]  # {"size": bytes, "fields": {name: [offset, kind, shape]}}


def describe(dtype: np.dtype[np.void]) -> Description:
    """The fields of a record: each with its offset in bytes, its kind ("uint64") and its shape, [] for a single number.

    ValueError if a field does not lie where a typed array can begin.
    """
    fields: dict[str, list[Any]] = {}
    for name, (field, offset, *_) in (dtype.fields or {}).items():
        base, shape = field.subdtype or (field, ())
        if offset % base.itemsize:
            raise ValueError(f"field {name} of {base.itemsize} bytes lies at {offset}, which is no multiple of that")
        fields[name] = [offset, base.name, list(shape)]
    return {"size": dtype.itemsize, "fields": fields}
