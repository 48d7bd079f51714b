"""The paths that docs/architecture.md names."""

from __future__ import annotations

import re

from support.usi_client import ROOT

FOLDERS = ("rules", "eval", "search", "web", "arena", "lab", "usi_engine", "tests", "benchmarks")


def test_paths_in_the_architecture_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    paths = [path for path in re.findall(r"`([\w/.]+)`", text) if path.split("/")[0] in FOLDERS]
    assert paths and [path for path in paths if not (ROOT / path).exists()] == []
