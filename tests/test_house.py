"""What the house rules say of files and folders."""

from __future__ import annotations

import re

from support.usi_client import ROOT

FOLDERS = ("rules", "eval", "search", "web", "arena", "lab", "usi_engine", "tests", "benchmarks")
MOST_LINES, MOST_FILES = 400, 16


def test_files_are_short_and_folders_small() -> None:
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    long = [str(path.relative_to(ROOT)) for path in paths if len(path.read_text().splitlines()) > MOST_LINES]
    counts = {folder: sum(path.parent == folder for path in paths) for folder in {path.parent for path in paths}}
    crowded = {str(folder.relative_to(ROOT)): count for folder, count in counts.items() if count > MOST_FILES}
    assert (long, crowded) == ([], {})


def test_paths_in_the_architecture_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    paths = [path for path in re.findall(r"`([\w/.]+)`", text) if path.split("/")[0] in FOLDERS]
    assert paths and [path for path in paths if not (ROOT / path).exists()] == []
