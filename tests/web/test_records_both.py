"""Python and the page's JavaScript read the same from records of other programs and from damaged ones: moves,
variations, comments, times, ends, names, headers, notes and errors.

More files: `PYTHONPATH=tests .venv/bin/python -m benchmarks.records_fuzz`
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.kifu.both import difference
from support.kifu.corpus import FORMATS, data_of, records
from support.kifu.damage import damaged_record
from support.node import Nodes

pytestmark = pytest.mark.slow


@settings(max_examples=1000)
@given(st.integers(0, 10**9))
def test_python_and_javascript_read_the_same(page_nodes: Nodes, seed: int) -> None:
    assert difference(page_nodes, *damaged_record(seed)) == ""


@pytest.mark.parametrize("form", FORMATS)
def test_python_and_javascript_read_the_corpus_alike(page_nodes: Nodes, form: str) -> None:
    chosen = {name: record for name, record in records().items() if record["format"] == form}
    found = {name: difference(page_nodes, "shogi", FORMATS[form], data_of(record)) for name, record in chosen.items()}
    assert {name: text for name, text in found.items() if text} == {}
