"""Let Python and the page's JavaScript read damaged game records, and print what differs.

    PYTHONPATH=tests .venv/bin/python -m benchmarks.records_fuzz [FILES [FIRST]]

FILES (20000) is the number of files, FIRST (0) the number of the first one.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from support.browsers.page_records import DRIVER
from support.kifu.both import difference
from support.kifu.damage import damaged_record
from support.node import Nodes


def main() -> None:
    """Read the files, and print each difference and their number."""
    count, first = (int(text) for text in [*sys.argv[1:], *("20000", "0")[len(sys.argv) - 1 :]])
    differences = 0
    with tempfile.TemporaryDirectory() as folder:
        nodes = Nodes(Path(folder), DRIVER)
        for seed in range(first, first + count):
            variant, form, data = damaged_record(seed)
            if found := difference(nodes, variant, form, data):
                differences += 1
                print(f"file {seed}, {variant}, {form}: {found}\n", flush=True)
        nodes.close()
    print(f"{count} files, {differences} differences")


if __name__ == "__main__":
    main()
