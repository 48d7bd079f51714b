"""Type aliases of the search's kernels. `native.types` says why mypy sees `Any`."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

Thread: TypeAlias = Annotated[Any, "struct"]
"""The struct that one search thread works on (`search.thread.thread_dtype`)."""

Frame: TypeAlias = Annotated[Any, "struct"]
"""What a search keeps of one node on its way from the root (`search.thread.frame_dtype`)."""

MateState: TypeAlias = Annotated[Any, "struct"]
"""The struct that the mate solver works on (`search.mate.state`)."""

Value: TypeAlias = Annotated[Any, "int64"]
"""A winning chance of the dice search as int64 (`search.dice.values`), positive if the side to move is better."""

Control: TypeAlias = Annotated[Any, "struct"]
"""The struct that controls a search (`search.control.control_dtype`)."""

Tablebase: TypeAlias = Annotated[Any, "struct"]
"""The struct of a tablebase's tables (`index` of each game in `search.tablebase`)."""

Seen: TypeAlias = Annotated[Any, "struct"]
"""A position as a tablebase numbers it (`index` of each game in `search.tablebase`)."""
