"""The facts, and their files: a line of JSON for each kind of fact and variant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kogoma.lab.journals.journal import Journal
from kogoma.output_file import write_file

Facts = dict[tuple[str, str], dict[str, Any]]
"""Facts by kind and variant. The kinds are "first moves", "games" and "solved"."""


def take(facts: Facts, line: str | bytes) -> bool:
    """Take over the fact in a line of a file; it replaces an earlier one. Return True."""
    entry = json.loads(line)
    facts[entry["kind"], entry["variant"]] = entry
    return True


def read_facts(path: Path) -> Facts:
    """Return the facts in a file; none if there is no such file."""
    facts: Facts = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        take(facts, line)
    return facts


def write_facts(path: Path, facts: Facts) -> None:
    """Write facts to a file."""
    write_file(path, "".join(json.dumps(facts[key]) + "\n" for key in sorted(facts)))


class FactJournal:
    """A file to which facts are appended as they are computed."""

    def __init__(self, path: Path) -> None:
        self.facts: Facts = {}
        self._journal = Journal(path)
        self._journal.read(lambda _, line: take(self.facts, line))

    def has(self, kind: str, variant: str, settings: dict[str, int]) -> bool:
        """Return whether the fact of a kind about a variant was computed with these settings."""
        return settings.items() <= self.facts.get((kind, variant), {}).items() and (kind, variant) in self.facts

    def add(self, kind: str, variant: str, fact: dict[str, Any]) -> None:
        """Append a fact."""
        entry = {"kind": kind, "variant": variant, **fact}
        self._journal.add(entry)
        self.facts[kind, variant] = entry
