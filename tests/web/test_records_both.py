"""Python and the page's JavaScript read the same from damaged game records: moves, variations, comments, times, ends,
names, headers, notes and errors.

More files: `PYTHONPATH=tests .venv/bin/python -m benchmarks.records_fuzz`
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.kifu.both import difference
from support.kifu.damage import damaged_record
from support.node import Nodes

pytestmark = pytest.mark.slow


@settings(max_examples=1000)
@given(st.integers(0, 10**9))
def test_python_and_javascript_read_the_same(page_nodes: Nodes, seed: int) -> None:
    assert difference(page_nodes, *damaged_record(seed)) == ""
