"""Check that the paths in docs/architecture.md exist."""

from __future__ import annotations

import re

from support.usi_client import ROOT

PACKAGE = ROOT / "kogoma"  # other paths are relative to this folder
OUTSIDE = ("tests", "benchmarks")


def test_paths_in_the_architecture_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()} | {*OUTSIDE}
    paths = [path for path in re.findall(r"`([\w/.]+)`", text) if "/" in path and path.split("/")[0] in folders]
    missing = [path for path in paths if not ((ROOT if path.startswith(OUTSIDE) else PACKAGE) / path).exists()]
    assert paths and missing == []
